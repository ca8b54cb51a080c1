/** Signing in on the command line: a real provider with PKCE, a user pool, and what is stored (contract section 11). */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { cairn } from './cairn.ts';

/** A server and its provider at once, as far as signing in sees them. */
interface Played {
  readonly base: string;
  readonly tokens: URLSearchParams[];
  readonly pool: object[];
  idp: Record<string, unknown>;
  close(): void;
}

async function play(): Promise<Played> {
  const tokens: URLSearchParams[] = [];
  const pool: object[] = [];
  const played = { base: '', tokens, pool, idp: {} as Record<string, unknown> };
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const answer = (value: object, status = 200): void => {
      response.writeHead(status, {
        'content-type': 'application/json',
        'cairn-sign-in-endpoint': `${played.base}/pool`,
      });
      response.end(JSON.stringify(value));
    };
    const expires = tokens.length > 0 ? 3_600 : 30;
    switch ((request.url ?? '').split('?')[0]) {
      case '/api/v1/security/idp':
        return answer(played.idp);
      case '/.well-known/openid-configuration':
        return answer({ authorization_endpoint: `${played.base}/authorize`, token_endpoint: `${played.base}/token` });
      case '/token':
        tokens.push(new URLSearchParams(body));
        return answer({ access_token: `access-${tokens.length}`, refresh_token: 'refresh', expires_in: expires });
      case '/pool/':
        pool.push(JSON.parse(body) as object);
        if (body.includes('wrong')) return answer({ message: 'Incorrect username or password.' }, 400);
        return answer({ AuthenticationResult: { AccessToken: 'pool-access', RefreshToken: 'r', ExpiresIn: 3_600 } });
      case '/api/v1/security/me':
        return answer({ name: 'ada', roles: [String(request.headers.authorization)] });
      default:
        return answer({ message: 'Not found' }, 404);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  played.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(played, { close: () => void server.close() });
}

test('login by browser: a challenge, a state, and a token that is stored, used, renewed and forgotten', async (t) => {
  const played = await play();
  played.idp = { enabled: true, issuer: played.base, clientID: 'cli', scopes: 'cairn', region: '', userPoolID: '' };
  const home = temporaryFolder(t);
  const env = { XDG_CONFIG_HOME: home, CAIRN_SERVER: played.base };
  const stolen: number[] = [];
  const signedIn = await cairn(['login', '--no-browser'], {
    env,
    onStart: (child) => {
      let said = '';
      child.stderr?.on('data', async (chunk: Buffer) => {
        said += chunk;
        const url = /^http:\/\/\S+\/authorize\?\S+$/m.exec(said)?.[0];
        if (url === undefined || stolen.length > 0) return;
        const asked = new URL(url).searchParams;
        assert.equal(asked.get('code_challenge_method'), 'S256');
        assert.equal(asked.get('scope'), 'openid cairn');
        const redirect = asked.get('redirect_uri') as string;
        stolen.push((await fetch(`${redirect}?code=stolen&state=guessed`)).status);
        await fetch(`${redirect}?code=the-code&state=${asked.get('state')}`);
      });
    },
  });
  assert.equal(signedIn.code, 0, signedIn.stderr);
  assert.deepEqual(stolen, [404], 'an answer to another question is none');
  const [form] = played.tokens;
  assert.deepEqual([form?.get('code'), form?.get('client_id')], ['the-code', 'cli']);
  assert.match(form?.get('code_verifier') ?? '', /^[\w-]{43}$/);
  const file = join(home, 'cairn', 'credentials.json');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const who = await cairn(['whoami'], { env });
  assert.match(who.stdout, /^name +ada\nroles +Bearer access-2\n$/, 'renewed, because it was about to expire');
  assert.equal(played.tokens[1]?.get('grant_type'), 'refresh_token');
  assert.match((await cairn(['whoami', '--json'], { env })).stdout, /Bearer access-2/, 'and stored');
  assert.match((await cairn(['logout'], { env })).stdout, /^signed out/);
  assert.equal(await readFile(file, 'utf8'), '{}\n');
  assert.match((await cairn(['whoami'], { env })).stdout, /undefined/, 'no token is sent any more');
  played.close();
});

test('login by password asks the user pool, and what it refuses is not allowed', async (t) => {
  const played = await play();
  played.idp = { enabled: true, region: 'us-east-1', userPoolID: 'us-east-1_x', clientID: 'app' };
  const env = { XDG_CONFIG_HOME: temporaryFolder(t), CAIRN_SERVER: played.base };
  const login = (password: string) => cairn(['login', '--username', 'ada'], { env, input: `${password}\n` });
  const refused = await login('wrong');
  assert.deepEqual([refused.code, /Incorrect username/.test(refused.stderr)], [4, true]);
  assert.equal((await login('Secret-123')).code, 0);
  assert.deepEqual(played.pool[1], {
    AuthFlow: 'USER_PASSWORD_AUTH',
    ClientId: 'app',
    AuthParameters: { USERNAME: 'ada', PASSWORD: 'Secret-123' },
  });
  assert.match((await cairn(['whoami'], { env })).stdout, /Bearer pool-access/);
  const token = join(env.XDG_CONFIG_HOME, 'token');
  await writeFile(token, 'of-a-program\n');
  assert.match((await cairn(['whoami', '--token-file', token], { env })).stdout, /Bearer of-a-program/, 'a file wins');
  played.close();
});

test('without a provider there is nothing to sign in to', async (t) => {
  const played = await play();
  played.idp = { enabled: false };
  const { code, stderr } = await cairn(['login'], {
    env: { XDG_CONFIG_HOME: temporaryFolder(t), CAIRN_SERVER: played.base },
  });
  assert.deepEqual([code, /has no identity provider/.test(stderr)], [1, true]);
  played.close();
});
