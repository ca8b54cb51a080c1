/** Limits that are off by default: budgets of requests, and the number of connections. */
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import { type Answer, Api, until } from '../support/api.ts';
import { IDP_SETTINGS } from '../support/idp-settings.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { TokenIssuer } from '../support/token-issuer.ts';
import { withServer } from '../support/with-server.ts';

let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { args: ['--shards', '2'], env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  (served) => {
    ({ server, api } = served);
  },
);

after(async () => {
  await issuer.stop();
});

const several = (count: number, ask: () => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, ask));

function mustBeBudgeted(answers: readonly Answer[]): void {
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0 && refused.length < answers.length, `${refused.length} of ${answers.length} refused`);
  for (const { json, headers } of refused) {
    assert.deepEqual([json.statusCode, json.errorCode, json.message], [429, 3001, 'Too many requests']);
    assert.match(headers['retry-after'] as string, /^[1-9]\d*$/);
  }
}

test('by default nobody is held back', async () => {
  const answers = await several(300, () => api.get('/api/v1/config'));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
});

test('an address beyond its budget is told when to come back; health is not counted; all shards share the budget', async () => {
  assert.equal((await api.configKv({ 'security.limits.requestsPerAddress': '20' })).status, 200);
  const answers = await several(300, () => api.get('/api/v1/config'));
  mustBeBudgeted(answers);
  const healthy = await several(100, () => api.get('/livez'));
  assert.deepEqual(new Set(healthy.map(({ status }) => status)), new Set([200]));
  await until(
    () => api.configKv({ 'security.limits.requestsPerAddress': '0' }),
    ({ status }) => status === 200,
    'a request to be granted again',
  );
});

test('a token beyond its budget is refused, another one is not', async () => {
  await api.configKv({ 'security.limits.requestsPerToken': '5' });
  await api.put('/api/v1/security/idp', IDP_SETTINGS);
  const busy = { authorization: `Bearer ${await issuer.token({ groups: ['admin'] })}` };
  const quiet = { authorization: `Bearer ${await issuer.token({ groups: ['staff', 'admin'] })}` };
  mustBeBudgeted(await several(60, () => api.get('/api/v1/config', busy)));
  assert.equal((await api.get('/api/v1/config', quiet)).status, 200);
  assert.equal((await api.request('DELETE', '/api/v1/security/idp', { headers: quiet })).status, 200);
});

test('connections beyond the bound are told so and closed, and there is room again when others leave', async () => {
  await api.configKv({ 'security.limits.requestsPerToken': '0', 'security.limits.connections': '20' });
  api.close();
  const { hostname, port } = new URL(server.address);
  const sockets = Array.from({ length: 60 }, () => net.connect(Number(port), hostname));
  const answers = await Promise.all(sockets.map(firstLineOf));
  for (const socket of sockets) socket.destroy();
  const counts = { 200: 0, 503: 0 };
  for (const line of answers) counts[line.includes(' 503 ') ? 503 : 200]++;
  assert.ok(counts[503] >= 30, JSON.stringify(counts));
  api = new Api(server.address);
  const again = (): Promise<Answer> => api.get('/api/v1/config');
  await until(again, ({ status }) => status === 200, 'room for a connection');
});

test('connections that were WebSockets leave room too', async () => {
  for (let i = 0; i < 60; i++) {
    const socket = new WebSocket(`${server.address.replace('http', 'ws')}/api/v1/heartbeat`, 'cairn.json');
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    socket.close();
    await new Promise((resolve) => socket.once('close', resolve));
  }
  assert.equal((await api.get('/api/v1/config')).status, 200);
});

function firstLineOf(socket: net.Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.once('data', (text: string) => resolve(text.split('\r\n')[0] as string));
    socket.once('connect', () => socket.write('GET /api/v1/config HTTP/1.1\r\nhost: x\r\n\r\n'));
  });
}
