/** The authorization code flow with PKCE over a loopback redirect (RFC 8252, RFC 7636): the password never passes here. */

import { spawn } from 'node:child_process';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXIT, Failure } from '../api/failure.ts';
import { type Endpoints, exchangeForm, type Granted } from './tokens.ts';

const WAIT_MS = 5 * 60_000;
const PATH = '/callback';

export interface BrowserSignIn {
  readonly endpoints: Endpoints;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** 0: any that is free. */
  readonly port: number;
  readonly say: (text: string) => void;
  readonly opensBrowser: boolean;
}

/** Throws `Failure` where the person does not sign in, or the provider refuses. */
export async function signInWithBrowser(options: BrowserSignIn): Promise<Granted> {
  const { endpoints, clientId, scopes, say } = options;
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const server = http.createServer();
  await listening(server, options.port);
  const redirect = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  const url = new URL(endpoints.authorization_endpoint);
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope: ['openid', ...scopes.filter((scope) => scope !== 'openid')].join(' '),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })) {
    url.searchParams.set(name, value);
  }
  try {
    say(`open this address in a browser on this machine to sign in:\n${url.href}\n`);
    if (options.opensBrowser) openBrowser(url.href);
    const code = await codeFrom(server, state);
    return await exchangeForm(endpoints.token_endpoint, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirect,
      client_id: clientId,
      code_verifier: verifier,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function listening(server: http.Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Failure(`cannot listen on 127.0.0.1:${port} for the answer of the browser: ${error.code}`)),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
}

function codeFrom(server: http.Server, state: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Failure('nobody signed in within 5 minutes')), WAIT_MS);
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      // Any page may send a browser here: only the answer to our own question counts.
      if (pathname !== PATH || !isSame(searchParams.get('state') ?? '', state)) {
        response.writeHead(404).end();
        return;
      }
      const code = searchParams.get('code');
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end(code ? 'Signed in. You can close this window.\n' : 'Not signed in. See the terminal.\n');
      clearTimeout(timer);
      const reason = searchParams.get('error_description') ?? searchParams.get('error') ?? 'no code came';
      response.on('close', () =>
        code ? resolve(code) : reject(new Failure(`not signed in: ${reason}`, EXIT.notAllowed)),
      );
    });
  });
}

function isSame(given: string, wanted: string): boolean {
  return given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}

/** Where there is no browser, the address stands on the terminal. */
function openBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
