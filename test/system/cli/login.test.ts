/** `cairn login` at a certified OpenID Connect provider, for a server that knows people by it (contract sections 11 and 14). */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Api } from '../../support/api.ts';
import { freePort } from '../../support/network/free-port.ts';
import { OidcIssuer } from '../../support/providers/oidc-issuer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { withServer } from '../../support/with-server.ts';
import { cairn, type Finished } from './cairn.ts';
import { type Page, visit } from './plain-browser.ts';

let api: Api;
let issuer: OidcIssuer;
let port: number;

withServer(
  async () => {
    port = await freePort();
    issuer = await OidcIssuer.start('keycloak', [`http://127.0.0.1:${port}/callback`]);
    return {};
  },
  async (served) => {
    api = served.api;
    const settings = { ...issuer.settings, adminGroups: 'admin', scopes: 'openid api' };
    assert.equal((await api.put('/api/v1/security/idp', settings)).status, 200);
  },
);
after(() => issuer?.stop());

type Run = (...args: readonly string[]) => Promise<Finished>;

/** `cairn` of a person with a home folder. */
function personIn(home: string): Run {
  return (...args) => cairn(args, { env: { XDG_CONFIG_HOME: home, CAIRN_SERVER: api.base } });
}

/** What a person does whom `cairn login` asks to open an address: signs in as `name`, or follows a link of the page. */
async function logIn(home: string, name: string, link?: string): Promise<Finished & { readonly page: Page }> {
  let page: Promise<Page> | undefined;
  const finished = await cairn(['login', '--no-browser', '--port', String(port)], {
    env: { XDG_CONFIG_HOME: home, CAIRN_SERVER: api.base },
    onStart: (child) => {
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk;
        const address = /^http:\S+\/auth\?\S+$/m.exec(said)?.[0];
        if (address === undefined || !said.endsWith('\n') || page) return;
        page = visit(address, { login: name, password: 'x' }, link);
        page.catch(() => child.kill('SIGINT'));
      });
    },
  });
  assert.ok(page, `no address to open: ${finished.stderr}`);
  return { ...finished, page: await page };
}

const credentialsIn = (home: string): string => join(home, 'cairn', 'credentials.json');

/** Of the one server that this home has signed in to. */
async function changeStored(home: string, change: (stored: Record<string, unknown>) => object): Promise<void> {
  const all = JSON.parse(await readFile(credentialsIn(home), 'utf8'));
  await writeFile(credentialsIn(home), JSON.stringify({ [api.base]: { ...all[api.base], ...change(all[api.base]) } }));
}

test('an administrator signs in, does what only he may, and signs out', async (t) => {
  const home = temporaryFolder(t);
  const run = personIn(home);
  assert.equal((await run('whoami')).code, 4);
  issuer.groups = ['admin'];
  const { code, stdout, stderr, page } = await logIn(home, 'anna');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^signed in to http:\/\/127\.0\.0\.1:\d+ until \d{4}-\S+Z; it is renewed/);
  assert.deepEqual([page.status, page.text], [200, 'Signed in. You can close this window.\n']);
  assert.equal((await stat(credentialsIn(home))).mode & 0o777, 0o600);
  assert.match((await run('whoami')).stdout, /^name +anna\nroles +admin\n$/);
  assert.equal((await run('config', 'set', 'node.ttl=9m')).code, 0);
  assert.equal((await run('logout')).code, 0);
  assert.equal((await run('whoami')).code, 4);
});

test('a viewer signs in and is told what he may not do', async (t) => {
  const home = temporaryFolder(t);
  const run = personIn(home);
  issuer.groups = ['staff'];
  assert.equal((await logIn(home, 'bert')).code, 0);
  assert.match((await run('whoami')).stdout, /^name +bert\nroles +viewer\n$/);
  assert.equal((await run('job', 'list')).code, 0);
  const refused = await run('config', 'set', 'node.ttl=8m');
  assert.deepEqual([refused.code, refused.stderr.split('\n').length], [4, 2], refused.stderr);
});

test('who does not sign in is not allowed, and is told why', async (t) => {
  const home = temporaryFolder(t);
  const { code, stderr, page } = await logIn(home, 'nobody', 'Cancel');
  assert.equal(code, 4);
  assert.match(stderr, /not signed in: End-User aborted interaction/);
  assert.equal(page.text, 'Not signed in. See the terminal.\n');
  await assert.rejects(stat(credentialsIn(home)), 'nothing is stored');
});

test('a token that has ended is renewed; where it cannot be, signing in and out still work', async (t) => {
  const home = temporaryFolder(t);
  const run = personIn(home);
  issuer.groups = ['admin'];
  assert.equal((await logIn(home, 'anna')).code, 0);
  await changeStored(home, () => ({ accessToken: 'ended', expiresAt: '2026-01-31T08:00:00.000Z' }));
  const renewed = await run('whoami');
  assert.match(renewed.stdout, /^name +anna$/m, renewed.stderr);
  assert.doesNotMatch(await readFile(credentialsIn(home), 'utf8'), /"ended"/, 'the new one is stored');
  const ends = (stored: Record<string, unknown>): object => ({
    accessToken: 'ended',
    expiresAt: '2026-01-31T08:00:00.000Z',
    refresh: { ...(stored['refresh'] as object), refreshToken: 'revoked' },
  });
  await changeStored(home, ends);
  const refused = await run('job', 'list');
  assert.equal(refused.code, 4);
  assert.match(refused.stderr, /refused: .*; sign in again with cairn login/);
  const again = await logIn(home, 'anna');
  assert.equal(again.code, 0, again.stderr);
  assert.equal((await run('job', 'list')).code, 0);
  await changeStored(home, ends);
  const out = await run('logout');
  assert.deepEqual([out.code, out.stderr], [0, '']);
});
