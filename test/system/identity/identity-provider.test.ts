/** The provider as it lives: it goes away, comes back, and changes its keys (contract section 9). */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Answer, Api, until } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { withServer } from '../../support/with-server.ts';

let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { args: ['--shards', '2'], env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  async (served) => {
    ({ server, api } = served);
    assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
  },
  () => ({ server, api }),
);

after(async () => {
  await issuer.stop();
});

const get = (token: string): Promise<Answer> => api.get('/api/v1/config', { authorization: `Bearer ${token}` });

async function restart(): Promise<void> {
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders, env: { CAIRN_IDP_ISSUER: issuer.url } });
  api.close();
  api = new Api(server.address);
}

test('a provider that goes away right after it was enabled leaves its known keys at work', async () => {
  issuer.down = true;
  assert.equal((await get(await issuer.token())).status, 200);
});

test('an unknown key is 503 with the reason while the provider is away, and a bad signature is 401 all the same', async () => {
  const answer = await get(await issuer.token({ kid: 'nobody' }));
  assert.equal(answer.status, 503);
  assert.equal(answer.json.errorCode, 3002);
  assert.match(answer.json.message, /keys cannot be fetched/);
  assert.ok(answer.headers['retry-after']);
  const [head, payload, signature] = (await issuer.token()).split('.') as [string, string, string];
  assert.equal((await get(`${head}.${payload}.${signature.slice(0, -8)}AAAAAAAA`)).status, 401);
});

test('known keys work over a restart that the provider does not see', async () => {
  await restart();
  assert.equal((await get(await issuer.token())).status, 200);
});

test('an unknown key is 401 when the provider is back and does not have it', async () => {
  issuer.down = false;
  const answer = await get(await issuer.token({ kid: 'nobody' }));
  assert.equal(answer.status, 401);
  assert.equal(answer.json.errorCode, 2002);
});

test('a rotated key is taken up at its first token, by every shard', async () => {
  const old = await issuer.token();
  await issuer.rotate();
  const fresh = await issuer.token();
  const answers = await Promise.all(Array.from({ length: 8 }, () => get(fresh)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal((await get(old)).status, 401, 'the old key has left the set');
});

test('a key that was changed under the same id is taken up, too', async () => {
  await issuer.rotate('the-same');
  assert.equal((await get(await issuer.token())).status, 200);
  await issuer.rotate('the-same');
  const fresh = await issuer.token();
  await until(
    () => get(fresh),
    ({ status }) => status === 200,
    'the changed key to be taken up',
  );
});

test('an administrator’s group that is taken away takes effect with the next call, also for a token that was seen', async () => {
  const headers = { authorization: `Bearer ${await issuer.token({ groups: ['root'] })}` };
  assert.equal((await api.get('/api/v1/audit', headers)).status, 200);
  const body = { kvMap: { 'security.idp.adminGroups': 'admin' } };
  assert.equal((await api.request('PUT', '/api/v1/configKV', { body, headers })).status, 200);
  assert.equal((await api.get('/api/v1/audit', headers)).status, 403);
});

test('a stream of events ends with its token', async () => {
  const headers = { authorization: `Bearer ${await issuer.token({ expiresIn: 2 })}` };
  const response = await fetch(`${server.address}/api/v1/event`, { headers, signal: AbortSignal.timeout(20_000) });
  assert.equal(response.status, 200);
  const ended = await response.text().then(
    () => 'whole',
    ({ name }: Error) => name,
  );
  assert.equal(ended, 'TypeError', 'cut, and not by our own time limit');
});

test('a header that is no bearer token is missing or invalid, never a fault', async () => {
  const outcomes: [string, number][] = [
    ['Basic YTpi', 2001],
    ['bearer', 2001],
    ['bearer ', 2001],
    ['Bearer a b', 2002],
    ['Bearer ..', 2002],
    ['Bearer {}', 2002],
    [`Bearer ${'x'.repeat(3_000)}`, 2002],
  ];
  for (const [authorization, code] of outcomes) {
    const { status, json } = await api.get('/api/v1/config', { authorization });
    assert.deepEqual([status, json.errorCode], [401, code], authorization);
  }
});
