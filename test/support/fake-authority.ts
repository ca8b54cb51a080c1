/**
 * An ACME authority for tests (RFC 8555, the part that HTTP-01 needs): it asks for each challenge where the client said it
 * answers, holds the answer against the account's key, and signs what the client's request names. It does not check
 * signatures of requests.
 */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';
import { calculateJwkThumbprint, type JWK } from 'jose';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

export class FakeAuthority {
  readonly #server: http.Server;
  readonly #challengePort: number;
  #thumbprint = '';
  #names: string[] = [];
  #isProven = false;
  #certificate = '';
  /** How many certificates it has issued. */
  issued = 0;
  /** The life of what it issues. */
  validDays = 90;

  private constructor(challengePort: number) {
    this.#challengePort = challengePort;
    this.#server = http.createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.writeHead(500, { 'content-type': 'application/problem+json' });
        response.end(JSON.stringify({ type: 'urn:ietf:params:acme:error:serverInternal', detail: String(error) }));
      });
    });
  }

  static async start(challengePort: number): Promise<FakeAuthority> {
    const authority = new FakeAuthority(challengePort);
    await new Promise<void>((resolve) => authority.#server.listen(0, '127.0.0.1', resolve));
    return authority;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get directoryUrl(): string {
    return `${this.base}/directory`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString('utf8')) as Signed) : undefined;
    const send = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      const isText = typeof body === 'string';
      response.writeHead(status, {
        'replay-nonce': Math.random().toString(36).slice(2),
        'content-type': isText ? 'application/pem-certificate-chain' : 'application/json',
        ...headers,
      });
      response.end(isText ? body : JSON.stringify(body));
    };
    const at = (path: string): string => `${this.base}${path}`;
    const order = (): object => ({
      status: this.#certificate !== '' ? 'valid' : this.#isProven ? 'ready' : 'pending',
      identifiers: this.#names.map((value) => ({ type: 'dns', value })),
      authorizations: [at('/authorization')],
      finalize: at('/finalize'),
      ...(this.#certificate === '' ? {} : { certificate: at('/certificate') }),
    });
    const challenge = (): object => ({
      type: 'http-01',
      url: at('/challenge'),
      token: 'token-1',
      status: this.#isProven ? 'valid' : 'pending',
    });
    switch (request.url) {
      case '/directory':
        return send(200, { newNonce: at('/nonce'), newAccount: at('/account'), newOrder: at('/order') });
      case '/nonce':
        return send(200, {});
      case '/account':
        this.#thumbprint = await calculateJwkThumbprint(decoded<{ jwk: JWK }>(sent?.protected).jwk);
        return send(201, { status: 'valid' }, { location: at('/account/1') });
      case '/order': {
        const { identifiers } = decoded<{ identifiers: { value: string }[] }>(sent?.payload);
        this.#names = identifiers.map(({ value }) => value);
        this.#isProven = false;
        this.#certificate = '';
        return send(201, order(), { location: at('/order/1') });
      }
      case '/order/1':
        return send(200, order(), { location: at('/order/1') });
      case '/authorization':
        return send(200, {
          status: this.#isProven ? 'valid' : 'pending',
          identifier: { type: 'dns', value: this.#names[0] },
          challenges: [challenge()],
        });
      case '/challenge':
        this.#isProven = await this.#isAnswered('token-1');
        return this.#isProven ? send(200, challenge()) : send(403, { type: 'unauthorized', detail: 'wrong answer' });
      case '/finalize':
        if (!this.#isProven) return send(403, { type: 'orderNotReady', detail: 'not proven' });
        this.#certificate = await this.#issue(decoded<{ csr: string }>(sent?.payload).csr);
        return send(200, order(), { location: at('/order/1') });
      case '/certificate':
        return send(200, this.#certificate);
      default:
        return send(404, { type: 'malformed', detail: request.url });
    }
  }

  async #isAnswered(token: string): Promise<boolean> {
    const url = `http://127.0.0.1:${this.#challengePort}/.well-known/acme-challenge/${token}`;
    const text = await (await fetch(url)).text();
    return text === `${token}.${this.#thumbprint}`;
  }

  async #issue(csr: string): Promise<string> {
    x509.cryptoProvider.set(webcrypto as never);
    const request = new x509.Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'));
    const { privateKey } = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    this.issued += 1;
    const made = await x509.X509CertificateGenerator.create({
      serialNumber: String(this.issued).padStart(2, '0'),
      subject: `CN=${this.#names[0]}`,
      issuer: 'CN=Fake authority',
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + this.validDays * DAY_MS),
      signingAlgorithm: ALGORITHM,
      publicKey: request.publicKey,
      signingKey: privateKey as never,
      extensions: [new x509.SubjectAlternativeNameExtension(this.#names.map((value) => ({ type: 'dns', value })))],
    });
    return `${made.toString('pem')}\n`;
  }
}

interface Signed {
  readonly protected: string;
  readonly payload: string;
}

function decoded<T>(text = ''): T {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as T;
}
