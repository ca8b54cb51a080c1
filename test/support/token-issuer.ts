/** An OpenID Connect issuer in the test: a real key set over HTTP, real signatures, and every way to get a token wrong. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

export interface TokenClaims {
  readonly groups?: readonly string[];
  readonly clientId?: string;
  readonly use?: string;
  readonly issuer?: string;
  /** Seconds from now; negative has expired. */
  readonly expiresIn?: number;
  readonly notBefore?: number;
  readonly kid?: string;
}

interface SigningKey {
  readonly kid: string;
  readonly key: PrivateKey;
  readonly jwk: JWK;
}

export class TokenIssuer {
  readonly url: string;
  readonly #server: Server;
  #keys: SigningKey[] = [];
  /** Requests for the key set so far. */
  fetches = 0;
  down = false;
  /** What it serves instead of its key set. */
  served: object | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<TokenIssuer> {
    const answer: { issuer?: TokenIssuer } = {};
    const server = createServer((_, response) => {
      const { issuer } = answer;
      if (!issuer || issuer.down) {
        response.destroy();
        return;
      }
      issuer.fetches++;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(issuer.served ?? { keys: issuer.#keys.map(({ jwk }) => jwk) }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    answer.issuer = new TokenIssuer(server);
    await answer.issuer.rotate();
    return answer.issuer;
  }

  /** A new signing key, with an id of its own unless one is given; the old one leaves the key set. */
  async rotate(kid = `key-${Math.random().toString(36).slice(2)}`): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    this.#keys = [{ kid, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } }];
  }

  async token(claims: TokenClaims = {}): Promise<string> {
    const signer = this.#keys[0] as SigningKey;
    return new SignJWT({
      token_use: claims.use ?? 'access',
      client_id: claims.clientId ?? 'client123',
      username: 'anna',
      ...(claims.groups ? { 'cognito:groups': claims.groups } : {}),
    })
      .setProtectedHeader({ alg: 'RS256', kid: claims.kid ?? signer.kid })
      .setIssuer(claims.issuer ?? this.url)
      .setSubject('sub-1')
      .setIssuedAt()
      .setNotBefore(Math.floor(Date.now() / 1000) + (claims.notBefore ?? -5))
      .setExpirationTime(Math.floor(Date.now() / 1000) + (claims.expiresIn ?? 3_600))
      .sign(signer.key);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
