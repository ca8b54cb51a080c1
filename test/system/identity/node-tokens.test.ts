/** Node and join tokens from outside: made, used, renewed, ended, revoked; and the key that signs them. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import { type Answer, Api } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { withServer } from '../../support/with-server.ts';

let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;
let admin: Record<string, string>;

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { args: ['--shards', '2'], env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  async (served) => {
    ({ server, api } = served);
    admin = bearer(await issuer.token({ groups: ['admin'] }));
    assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
  },
  () => ({ server, api }),
);

after(async () => {
  await issuer.stop();
});

const bearer = (token: string): Record<string, string> => ({ authorization: `bearer ${token}` });
const make = (body: unknown): Promise<Answer> =>
  api.request('POST', '/api/v1/security/nodeToken', { body, headers: admin });
const tokenFor = async (body: object): Promise<string> => (await make(body)).json.token;
const register = (id: string, token: string): Promise<Answer> =>
  api.request('PUT', `/api/v1/node/${id}`, { body: {}, headers: bearer(token) });
const beat = (id: string, token: string): Promise<Answer> =>
  api.request('POST', `/api/v1/node/${id}/heartbeat`, { body: {}, headers: bearer(token) });
const refusal = ({ status, json }: Answer): string => `${status}/${json?.errorCode}`;

test('the signing key is the owner’s alone', async () => {
  const folder = join(server.folders.data, 'keys');
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  assert.equal((await stat(join(folder, 'node-token.json'))).mode & 0o777, 0o600);
});

test('a token is made for as long as was asked, and says when it ends', async () => {
  const begun = Date.now();
  const { status, json } = await make({ nodeId: 'n1', ttl: '90m' });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ['token', 'expiresAt']);
  const life = Date.parse(json.expiresAt) - 5_400_000;
  assert.ok(life >= begun && life <= Date.now(), json.expiresAt);
  assert.equal((await make({ ttl: 60_000_000_000 })).status, 200);
});

test('a token that cannot be made is 422 with the field', async () => {
  const bad: [unknown, string][] = [
    [{ nodeId: 'n1' }, 'ttl'],
    [{ nodeId: 'n1', ttl: '-1h' }, 'ttl'],
    [{ nodeId: 'n1', ttl: '0' }, 'ttl'],
    [{ nodeId: 'n1', ttl: 'soon' }, 'ttl'],
    [{ nodeId: 'n1', ttl: '87601h' }, 'ttl'],
    [{ nodeId: 'a/b', ttl: '1h' }, 'nodeId'],
    [{ nodeId: '', ttl: '1h' }, 'nodeId'],
    [[], 'body'],
  ];
  for (const [body, field] of bad) {
    const answer = await make(body);
    assert.equal(refusal(answer), '422/1003', JSON.stringify(body));
    assert.deepEqual(Object.keys(answer.json.fields), [field]);
  }
});

test('a join token registers, and brings the node a token of its own that is renewed by registering', async () => {
  const joinToken = await tokenFor({ ttl: '1h' });
  const joined = await register('j1', joinToken);
  assert.equal(joined.status, 200);
  const own: string = joined.json.token;
  assert.equal((await beat('j1', own)).status, 200);
  assert.equal(refusal(await beat('j1', joinToken)), '403/2004');
  assert.equal(refusal(await beat('j2', own)), '403/2004');
  assert.equal(refusal(await register('j2', own)), '403/2004');
  const renewed = await register('j1', own);
  assert.equal((await beat('j1', renewed.json.token)).status, 200);
  assert.notEqual(renewed.json.token, own);
});

test('a token that an administrator made for a node is not prolonged by registering', async () => {
  const answer = await register('n1', await tokenFor({ nodeId: 'n1', ttl: '1h' }));
  assert.equal(answer.status, 200);
  assert.equal(answer.json.token, undefined);
});

test('a token ends when it says, also one that was seen before', async () => {
  const { json } = await make({ nodeId: 'n1', ttl: '700ms' });
  assert.equal((await beat('n1', json.token)).status, 200);
  await new Promise((resolve) => setTimeout(resolve, Date.parse(json.expiresAt) - Date.now() + 1));
  assert.equal(refusal(await beat('n1', json.token)), '401/2002');
});

test('what a node token may not do is told by its code', async () => {
  const token = bearer(await tokenFor({ nodeId: 'n1', ttl: '1h' }));
  assert.equal((await api.get('/api/v1/config', token)).status, 200);
  assert.equal(refusal(await api.get('/api/v1/job', token)), '403/2004');
  const change = { body: { kvMap: { 'node.ttl': '9m' } }, headers: token };
  assert.equal(refusal(await api.request('PUT', '/api/v1/configKV', change)), '403/2003');
  assert.equal(
    refusal(await api.request('POST', '/api/v1/security/nodeToken', { body: { ttl: '1h' }, headers: token })),
    '403/2003',
  );
});

test('revoking ends what a node was given so far, and nothing else, also after a crash', async () => {
  const [first, second, other] = await Promise.all([
    tokenFor({ nodeId: 'n1', ttl: '1h' }),
    tokenFor({ nodeId: 'n1', ttl: '1h' }),
    tokenFor({ nodeId: 'j1', ttl: '1h' }),
  ]);
  assert.equal((await beat('n1', first)).status, 200);
  const answer = await api.request('DELETE', '/api/v1/security/nodeToken/n1', { headers: admin });
  assert.equal(answer.status, 200);
  assert.equal(answer.json.nodeId, 'n1');
  const check = async (): Promise<void> => {
    assert.equal(refusal(await beat('n1', first)), '401/2002');
    assert.equal(refusal(await beat('n1', second)), '401/2002');
    assert.equal((await beat('j1', other)).status, 200);
    assert.equal((await beat('n1', await tokenFor({ nodeId: 'n1', ttl: '1h' }))).status, 200);
  };
  await check();
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders, env: { CAIRN_IDP_ISSUER: issuer.url } });
  api.close();
  api = new Api(server.address);
  await check();
});

test('revoking the join tokens leaves the nodes that joined', async () => {
  const joinToken = await tokenFor({ ttl: '1h' });
  const own: string = (await register('j3', joinToken)).json.token;
  assert.equal((await api.request('DELETE', '/api/v1/security/nodeToken', { headers: admin })).status, 200);
  assert.equal(refusal(await register('j3', joinToken)), '401/2002');
  assert.equal((await beat('j3', own)).status, 200);
});

/** An open socket's frames and its end, in order, as texts. */
async function socketOf(token: string): Promise<{ socket: WebSocket; next: () => Promise<string> }> {
  const socket = new WebSocket(`${server.address.replace('http', 'ws')}/api/v1/heartbeat`, 'cairn.json', {
    headers: bearer(token),
  });
  const seen: string[] = [];
  let wake: () => void = () => {};
  const hear = (text: string): void => {
    seen.push(text);
    wake();
  };
  socket.on('message', (data: Buffer) => hear(data.toString()));
  socket.on('close', (code) => hear(`closed ${code}`));
  socket.on('unexpected-response', (_, response) => hear(`refused ${response.statusCode}`));
  socket.on('error', () => {});
  const next = async (): Promise<string> => {
    while (seen.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return seen.shift() as string;
  };
  await Promise.race([
    new Promise((resolve) => socket.once('open', resolve)),
    new Promise((resolve) => socket.once('unexpected-response', resolve)),
  ]);
  return { socket, next };
}

const TIMEOUT = { timeout: 20_000 };

test('over a WebSocket a node beats for itself only', TIMEOUT, async () => {
  const { socket, next } = await socketOf(await tokenFor({ nodeId: 'n1', ttl: '1h' }));
  socket.send(JSON.stringify({ seq: 1, beats: [{ id: 'n1' }] }));
  assert.equal(JSON.parse(await next()).accepted, 1);
  socket.send(JSON.stringify({ seq: 2, beats: [{ id: 'n1' }, { id: 'j1' }] }));
  const refused = JSON.parse(await next());
  assert.deepEqual([refused.seq, refused.statusCode, refused.errorCode], [2, 403, 2004]);
  socket.close();
});

test('a WebSocket is no way in for those who may not beat, and ends with its token', TIMEOUT, async () => {
  assert.equal(await (await socketOf('rubbish')).next(), 'refused 401');
  assert.equal(await (await socketOf(await tokenFor({ ttl: '1h' }))).next(), 'refused 403');
  const { json } = await make({ nodeId: 'n1', ttl: '1s' });
  const { socket, next } = await socketOf(json.token);
  await new Promise((resolve) => setTimeout(resolve, Date.parse(json.expiresAt) - Date.now() + 1));
  socket.send(JSON.stringify([{ id: 'n1' }]));
  assert.equal(await next(), 'closed 1012');
});

test('revoking a node’s tokens ends its WebSocket', TIMEOUT, async () => {
  const { next } = await socketOf(await tokenFor({ nodeId: 'n1', ttl: '1h' }));
  await api.request('DELETE', '/api/v1/security/nodeToken/n1', { headers: admin });
  assert.equal(await next(), 'closed 1012');
});

test('a new signing key lets earlier tokens run out, or ends them at once', async () => {
  const rotate = (revokeOld: boolean): Promise<Answer> =>
    api.request('POST', '/api/v1/security/nodeKey', { body: { revokeOld }, headers: admin });
  const before = await tokenFor({ nodeId: 'n1', ttl: '1h' });
  const first = await rotate(false);
  assert.equal(first.status, 200);
  assert.equal((await beat('n1', before)).status, 200);
  const between = await tokenFor({ nodeId: 'n1', ttl: '1h' });
  assert.notEqual((await rotate(true)).json.keyId, first.json.keyId);
  assert.equal(refusal(await beat('n1', before)), '401/2002');
  assert.equal(refusal(await beat('n1', between)), '401/2002');
  assert.equal((await beat('n1', await tokenFor({ nodeId: 'n1', ttl: '1h' }))).status, 200);
  const stored = JSON.parse(await readFile(join(server.folders.data, 'keys', 'node-token.json'), 'utf8'));
  assert.equal(stored.length, 1);
});

test('a join token brings a node its own token also while the provider is off', async () => {
  const joinToken = await tokenFor({ ttl: '1h' });
  assert.equal((await api.request('DELETE', '/api/v1/security/idp', { headers: admin })).status, 200);
  const own: string = (await register('j4', joinToken)).json.token;
  assert.equal((await register('j5', 'rubbish')).json.token, undefined);
  assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
  assert.equal((await beat('j4', own)).status, 200);
});
