/** An agent that joins with a join token, lives on its own token, and joins again when that one is taken away. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Answer, Api, until } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { AgentProcess } from '../agent-process.ts';

let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;
let admin: Record<string, string>;
let dataFolder: string;
let agent: AgentProcess;

before(async () => {
  issuer = await TokenIssuer.start();
  server = await ServerProcess.start({ env: { CAIRN_IDP_ISSUER: issuer.url } });
  api = new Api(server.address);
  await api.configKv({ 'node.heartbeat': '1s', 'node.ttl': '10s' });
  admin = { authorization: `Bearer ${await issuer.token({ groups: ['admin'] })}` };
  assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
  dataFolder = join(server.folders.data, '..', 'agent');
});

after(async () => {
  await agent.kill('SIGKILL');
  api.close();
  await server.dispose();
  await issuer.stop();
});

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  api.request(method, path, { headers: admin, ...(body === undefined ? {} : { body }) });
const ownToken = (): Promise<string> => readFile(join(dataFolder, 'node-token'), 'utf8').catch(() => '');

function start(joinToken: string): void {
  agent = new AgentProcess({ server: server.address, dataFolder, args: ['--id', 'a1', '--join-token', joinToken] });
}

/** A beat that the server takes after this moment. */
async function beatsFromNow(): Promise<void> {
  const begun = new Date().toISOString();
  await until(
    () => ask('GET', '/api/v1/node/a1'),
    ({ status, json }) => status === 200 && json.lastHeartbeat > begun,
    'a heartbeat of the agent',
  );
}

test('a join token gets the node in, and it goes on with a token of its own', async () => {
  const { json } = await ask('POST', '/api/v1/security/nodeToken', { ttl: '1h' });
  start(json.token);
  await until(ownToken, (token) => token !== '', 'the node’s own token');
  assert.equal((await stat(join(dataFolder, 'node-token'))).mode & 0o777, 0o600);
  await beatsFromNow();
});

test('after a restart the own token is enough', async () => {
  await agent.kill('SIGTERM');
  await ask('DELETE', '/api/v1/security/nodeToken');
  start('a-join-token-that-is-over');
  await beatsFromNow();
});

test('when its own token is revoked, the node joins again', async () => {
  await agent.kill('SIGTERM');
  const { json } = await ask('POST', '/api/v1/security/nodeToken', { ttl: '1h' });
  start(json.token);
  await beatsFromNow();
  const before = await ownToken();
  assert.equal((await ask('DELETE', '/api/v1/security/nodeToken/a1')).status, 200);
  await until(ownToken, (token) => token !== before, 'another token of its own');
  await beatsFromNow();
});

test('a join token cannot take the place of a node that lives', async () => {
  const { json } = await ask('POST', '/api/v1/security/nodeToken', { ttl: '1h' });
  const headers = { authorization: `Bearer ${json.token}` };
  const { instance } = (await ask('GET', '/api/v1/node/a1')).json;
  for (const [id, body] of [
    ['a1', { instance: { instanceId: 'i-other' } }],
    ['a2', { instance: { instanceId: instance.instanceId } }],
  ] as const) {
    const refused = await api.request('PUT', `/api/v1/node/${id}`, { headers, body });
    assert.deepEqual([refused.status, refused.json.errorCode, refused.json.token], [409, 1011, undefined], id);
  }
  const joined = await api.request('PUT', '/api/v1/node/a2', { headers, body: { instance: { instanceId: 'i-a2' } } });
  assert.equal(joined.status, 200);
  assert.equal(typeof joined.json.token, 'string');
});
