/**
 * The server's side of Cognito's SRP exchange (RFC 5054's group of 3,072 bits, RFC 2945's formulas, HKDF with Cognito's info
 * text), with one user: cognito-local has no SRP. It never sees the password, only the verifier that is made when it starts;
 * it gives tokens of an issuer of the test's own.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TokenIssuer } from '../token-issuer.ts';

const N = BigInt(
  `0x${[
    'FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD',
    'EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED',
    'EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F',
    '83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B',
    'E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510',
    '15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7',
    'ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C',
    'BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF',
  ].join('')}`,
);
const G = 2n;

interface Exchange {
  readonly a: bigint;
  readonly b: bigint;
  readonly secret: Buffer;
}

export interface SrpUser {
  readonly poolName: string;
  readonly userName: string;
  readonly password: string;
}

export class SrpPool {
  readonly url: string;
  /** Bodies of all calls, as they came. */
  readonly calls: string[] = [];
  readonly #server: Server;
  readonly #issuer: TokenIssuer;
  readonly #user: Omit<SrpUser, 'password'>;
  readonly #salt = randomBytes(16).toString('hex');
  readonly #verifier: bigint;
  #exchange: Exchange | undefined;

  private constructor(server: Server, issuer: TokenIssuer, { password, ...user }: SrpUser) {
    this.#server = server;
    this.#issuer = issuer;
    this.#user = user;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const x = hashOf(
      padded(BigInt(`0x${this.#salt}`)),
      sha256(Buffer.from(`${user.poolName}${user.userName}:${password}`)),
    );
    this.#verifier = power(G, x);
  }

  static async start(issuer: TokenIssuer, user: SrpUser): Promise<SrpPool> {
    const answer: { pool?: SrpPool } = {};
    const server = createServer((request, response) => void answer.pool?.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    answer.pool = new SrpPool(server, issuer, user);
    return answer.pool;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (text === '') {
      response.end();
      return;
    }
    this.calls.push(text);
    const body = JSON.parse(text) as { AuthFlow?: string; [name: string]: unknown };
    const given = (body['AuthParameters'] ?? body['ChallengeResponses']) as Record<string, string>;
    if (body.AuthFlow === 'USER_SRP_AUTH') response.end(JSON.stringify(this.#challenge(given)));
    else if (this.#isProof(given)) response.end(JSON.stringify({ AuthenticationResult: await this.#tokens() }));
    else {
      response.statusCode = 400;
      response.end(JSON.stringify({ __type: 'NotAuthorizedException', message: 'Incorrect username or password.' }));
    }
  }

  #challenge({ SRP_A = '' }: Record<string, string>): object {
    const b = BigInt(`0x${randomBytes(32).toString('hex')}`);
    this.#exchange = { a: BigInt(`0x${SRP_A}`), b, secret: randomBytes(64) };
    return {
      ChallengeName: 'PASSWORD_VERIFIER',
      ChallengeParameters: {
        USER_ID_FOR_SRP: this.#user.userName,
        SALT: this.#salt,
        SRP_B: this.#publicValue(b).toString(16),
        SECRET_BLOCK: this.#exchange.secret.toString('base64'),
      },
    };
  }

  #publicValue(b: bigint): bigint {
    return (hashOf(padded(N), padded(G)) * this.#verifier + power(G, b)) % N;
  }

  /** Whether the browser came to the same key, which takes the password. */
  #isProof({ PASSWORD_CLAIM_SIGNATURE, TIMESTAMP = '' }: Record<string, string>): boolean {
    if (!this.#exchange) return false;
    const { a, b, secret } = this.#exchange;
    const u = hashOf(padded(a), padded(this.#publicValue(b)));
    const shared = power((a * power(this.#verifier, u)) % N, b);
    const extracted = createHmac('sha256', padded(u)).update(padded(shared)).digest();
    const key = createHmac('sha256', extracted).update('Caldera Derived Key\u0001').digest().subarray(0, 16);
    const { poolName, userName } = this.#user;
    const signature = createHmac('sha256', key)
      .update(poolName + userName)
      .update(secret)
      .update(TIMESTAMP)
      .digest('base64');
    return signature === PASSWORD_CLAIM_SIGNATURE;
  }

  async #tokens(): Promise<object> {
    const AccessToken = await this.#issuer.token({ groups: ['admin'] });
    return { AccessToken, IdToken: AccessToken, RefreshToken: 'refresh-1', TokenType: 'Bearer', ExpiresIn: 3_600 };
  }
}

/** Whole bytes, and a zero byte before a number whose highest bit is set. */
function padded(value: bigint): Buffer {
  const text = value.toString(16);
  const even = text.length % 2 === 0 ? text : `0${text}`;
  return Buffer.from(/^[89a-f]/.test(even) ? `00${even}` : even, 'hex');
}

function sha256(...parts: readonly Buffer[]): Buffer {
  return parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
}

function hashOf(...parts: readonly Buffer[]): bigint {
  return BigInt(`0x${sha256(...parts).toString('hex')}`);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let factor = base % N;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % N;
    factor = (factor * factor) % N;
  }
  return result;
}
