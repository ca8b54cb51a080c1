/** Service tokens from outside: made, listed, used, ended; what a copy of the data folder gives away. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Answer, Api, until } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { withServer } from '../../support/with-server.ts';
import { cairn } from '../cli/cairn.ts';

let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;
let admin: Record<string, string>;

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  async (served) => {
    ({ server, api } = served);
    admin = bearer(await issuer.token({ groups: ['admin'] }));
  },
  () => ({ server, api }),
);
after(() => issuer.stop());

const PATH = '/api/v1/security/serviceToken';

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function make(body: object, headers = admin): Promise<Answer> {
  return api.request('POST', PATH, { body: { name: 'ci', role: 'viewer', ttl: '1h', ...body }, headers });
}

test('they can be made only while the provider is on', async () => {
  const answer = await make({}, {});
  assert.equal(answer.status, 422, answer.text);
  assert.match(answer.json.fields.body, /enable it first/);
  assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
});

test('what is not a service token is refused by field', async () => {
  const cases: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ name: 'a\u0007' }, 'name'],
    [{ role: 'root' }, 'role'],
    [{ ttl: '0s' }, 'ttl'],
    [{ queues: [] }, 'queues'],
    [{ queues: ['a,b'] }, 'queues.0'],
    [{ role: 'admin', queues: ['a'] }, 'queues'],
  ];
  for (const [body, field] of cases) {
    const answer = await make(body);
    assert.equal(answer.status, 422, JSON.stringify(body));
    assert.deepEqual(Object.keys(answer.json.fields), [field], answer.text);
  }
});

test('a token works as a bearer, also on /metrics, and says who it is', async () => {
  const { json, headers } = await make({ name: 'prometheus' });
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal((await api.get('/metrics', bearer(json.token))).status, 200);
  const me = await api.get('/api/v1/security/me', bearer(json.token));
  assert.equal(me.json.name, 'service token prometheus');
  assert.deepEqual(me.json.roles, ['viewer']);
  assert.equal(me.json.expiresAt, json.expiresAt);
  assert.equal((await api.request('POST', PATH, { body: {}, headers: bearer(json.token) })).json.errorCode, 2003);
});

test('roles are those of the token', async () => {
  const operator = bearer((await make({ role: 'operator' })).json.token);
  assert.equal(
    (await api.request('POST', '/api/v1/security/nodeToken', { body: { ttl: '1h' }, headers: operator })).status,
    200,
  );
  assert.equal((await api.request('PUT', '/api/v1/configKV', { body: { kvMap: {} }, headers: operator })).status, 403);
  const root = bearer((await make({ role: 'admin' })).json.token);
  assert.equal((await api.request('PUT', '/api/v1/configKV', { body: { kvMap: {} }, headers: root })).status, 200);
  const bound = bearer((await make({ queues: ['a', 'b|c'.replace('|', '/')] })).json.token);
  assert.deepEqual((await api.get('/api/v1/security/me', bound)).json.roles, ['viewer@a|b/c']);
});

test('the list has every valid token and none of their texts', async () => {
  const { token, id, expiresAt } = (await make({ name: 'listed', role: 'operator', queues: ['q'] })).json;
  const answer = await api.get(PATH, admin);
  const { createdAt, ...listed } = answer.json.find((one: { id: string }) => one.id === id);
  assert.deepEqual(listed, { id, name: 'listed', role: 'operator', queues: ['q'], createdBy: 'anna', expiresAt });
  assert.ok(createdAt <= expiresAt);
  assert.ok(!answer.text.includes(token.slice(-43)));
});

test('a token of another secret, another id or another form is refused', async () => {
  const { token } = (await make({})).json;
  const other = (await make({})).json.token;
  const wrong = [
    token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
    token.slice(0, 26) + other.slice(26),
    'cairn_st_',
    `${token}A`,
  ];
  for (const text of wrong) {
    const answer = await api.get('/api/v1/job', bearer(text));
    assert.equal(`${answer.status}/${answer.json.errorCode}`, '401/2002', text);
  }
});

test('a revoked token is refused at once, its stream ends, and the others go on', async () => {
  const { token, id } = (await make({})).json;
  const kept = bearer((await make({})).json.token);
  const stream = await fetch(`${server.address}/api/v1/event`, { headers: bearer(token) });
  assert.equal(stream.status, 200);
  assert.equal((await api.request('DELETE', `${PATH}/${id}`, { headers: admin })).json.id, id);
  assert.equal((await api.get('/api/v1/job', bearer(token))).json.errorCode, 2002);
  await stream.text();
  assert.equal((await api.get('/api/v1/job', kept)).status, 200);
  assert.equal((await api.request('DELETE', `${PATH}/${id}`, { headers: admin })).status, 404);
});

test('making a token ends no stream of anybody', async () => {
  const stream = await fetch(`${server.address}/api/v1/event?types=config.changed`, { headers: admin });
  await make({});
  await api.request('PUT', '/api/v1/configKV', { body: { kvMap: { 'job.diskSizeGB': '123' } }, headers: admin });
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!text.includes('job.diskSizeGB')) {
    const { done, value } = await reader.read();
    assert.ok(!done, `the stream ended after ${text}`);
    text += Buffer.from(value).toString();
  }
  await reader.cancel();
});

test('a token ends when it said it would', async () => {
  const { token } = (await make({ ttl: '1s' })).json;
  const stream = await fetch(`${server.address}/api/v1/event`, { headers: bearer(token) });
  // The stream is cut when the token ends.
  await stream.text().catch(() => '');
  const answer = await api.get('/api/v1/job', bearer(token));
  assert.equal(answer.json.errorCode, 2002);
  assert.match(answer.json.message, /expired/);
});

test('each is audited, survives a restart, and is in no file of the server', async () => {
  const { token, id } = (await make({ name: 'kept' })).json;
  const records = (await api.get('/api/v1/audit', admin)).json;
  assert.deepEqual(
    records.slice(0, 1).map(({ action, target, who }: Record<string, string>) => [action, target, who]),
    [['serviceToken.made', `service token ${id}`, 'anna']],
  );
  assert.ok(records.some(({ action }: { action: string }) => action === 'serviceToken.revoked'));
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders, env: { CAIRN_IDP_ISSUER: issuer.url } });
  api.close();
  api = new Api(server.address);
  assert.equal((await api.get('/api/v1/job', bearer(token))).status, 200);
  const secret = Buffer.from(token.slice(-43));
  for (const folder of [server.folders.data, server.folders.log])
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        assert.ok(
          !(await readFile(join(entry.parentPath, entry.name))).includes(secret),
          `${entry.name} holds the token`,
        );
});

test('the command line makes, lists and revokes them, and says what is not allowed with exit code 4', async () => {
  const write = async (name: string, token: string): Promise<string> => {
    const file = join(server.folders.data, name);
    await writeFile(file, `${token}\n`);
    return file;
  };
  const adminFile = await write('admin-token', (admin['authorization'] as string).replace('Bearer ', ''));
  const run = (tokenFile: string, ...args: readonly string[]) =>
    cairn(args, { env: { CAIRN_SERVER: api.base, CAIRN_TOKEN_FILE: tokenFile } });
  const made = await run(
    adminFile,
    ...['token', 'service', '--name', 'nightly', '--role', 'operator', '--queue', 'red', '--ttl', '1h'],
  );
  assert.deepEqual([made.code, /^[\w-]+\n$/.test(made.stdout)], [0, true], `${made.stdout} ${made.stderr}`);
  const [, id] = / id (\S+) /.exec(made.stderr) ?? [];
  const listed = await run(adminFile, 'token', 'list', '--output', 'csv');
  assert.match(listed.stdout, new RegExp(`^${id},nightly,operator,red,`, 'm'));
  const file = await write('service-token', made.stdout.trim());
  assert.match((await run(file, 'whoami')).stdout, /^name +service token nightly\nroles +operator@red$/m);
  assert.equal((await run(file, 'job', 'list')).code, 0);
  for (const refused of [
    ['config', 'history'],
    ['token', 'list'],
    ['logs', 'server'],
  ])
    assert.equal((await run(file, ...refused)).code, 4, refused.join(' '));
  assert.match((await run(adminFile, 'token', 'revoke', id as string)).stdout, /revoked the service token/);
  await until(
    async () => (await run(file, 'whoami')).code,
    (code) => code === 4,
    'the revoked token to be refused',
  );
  for (const text of ['', 'two\nlines', '\u00fcber']) {
    const { code, stderr } = await run(await write('no-token', text), 'whoami');
    assert.deepEqual([code, /holds no token/.test(stderr)], [2, true], `${JSON.stringify(text)}: ${stderr}`);
  }
});
