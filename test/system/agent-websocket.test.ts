/** How the agent's beats go: over a WebSocket, over HTTP where there is none, and from one to the other and back. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { Api, until } from '../support/api.ts';
import { freePort } from '../support/network/free-port.ts';
import { ServerProcess } from '../support/server-process.ts';
import { TokenIssuer } from '../support/token-issuer.ts';
import { AgentProcess } from './agent-process.ts';

let folder: string;
let server: ServerProcess;
let api: Api;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-agent-ws-'));
  // A port of its own that stays the same: the server goes and comes back to it.
  server = await ServerProcess.start({ addr: `http://127.0.0.1:${await freePort()}` });
  api = new Api(server.address);
  assert.equal((await api.configKv({ 'node.heartbeat': '1s', 'node.ttl': '10s' })).status, 200);
});

after(async () => {
  api.close();
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
});

function startAgent(
  context: TestContext,
  id: string,
  { address = server.address, args = [] }: { address?: string; args?: readonly string[] } = {},
): AgentProcess {
  const agent = new AgentProcess({ server: address, dataFolder: join(folder, id), args: ['--id', id, ...args] });
  context.after(() => agent.kill('SIGKILL'));
  return agent;
}

const OVER_WEBSOCKET = /beat \S+: accepted over WebSocket/;
const OVER_HTTP = /beat \S+: accepted over HTTP/;

/** Beats that the agent says it has made, each once. */
const madeBy = ({ log }: AgentProcess): Set<string | undefined> =>
  new Set([...log.matchAll(/beat (\S+): (?:accepted|on disk)/g)].map((match) => match[1]));

/** How many of them the server has. */
const countOf = async (id: string): Promise<number> => {
  const { status, json } = await api.get(`/api/v1/metricValue/node-${id}/metricDef-memoryUsedMB?interval=1m&agg=count`);
  return status === 200 ? json.points.reduce((sum: number, { value }: { value: number }) => sum + value, 0) : 0;
};

async function restartServer(signal: NodeJS.Signals): Promise<void> {
  await server.kill(signal);
  server = await ServerProcess.start({ folders: server.folders });
  api.close();
  api = new Api(server.address);
}

/** Passes requests on, and answers upgrades as a server does that has never heard of them. */
async function proxyWithoutUpgrades(context: TestContext): Promise<string> {
  const { hostname, port } = new URL(server.address);
  const proxy = http.createServer(({ method, url, headers, rawHeaders }, response) => {
    if (headers.upgrade) {
      response.writeHead(400).end('what is that?');
      return;
    }
    const onward = http.request({ hostname, port, method, path: url, headers: rawHeaders }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.req.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test('beats go over one WebSocket, and every one that was acknowledged is there', async (context) => {
  const agent = startAgent(context, 'framed');
  await agent.nextLog(OVER_WEBSOCKET);
  await agent.nextLog(OVER_WEBSOCKET);
  assert.equal(await agent.kill('SIGTERM'), 0);
  assert.equal(agent.log.match(/heartbeats are sent over a WebSocket/g)?.length, 1);
  assert.doesNotMatch(agent.log, OVER_HTTP);
  assert.equal(await countOf('framed'), madeBy(agent).size);
});

test('with --transport http no WebSocket is opened', async (context) => {
  const agent = startAgent(context, 'plain', { args: ['--transport', 'http'] });
  await agent.nextLog(OVER_HTTP);
  assert.equal(await agent.kill('SIGTERM'), 0);
  assert.doesNotMatch(agent.log, /WebSocket/);
});

test('over TLS the certificate of --ca holds for the WebSocket too', async (context) => {
  const secure = await ServerProcess.start({ addr: `https://127.0.0.1:${await freePort()}` });
  context.after(() => secure.dispose());
  const secureApi = new Api(secure.address);
  context.after(() => secureApi.close());
  await secureApi.configKv({ 'node.heartbeat': '1s', 'node.ttl': '10s' });
  const agent = startAgent(context, 'secure', {
    address: secure.address,
    args: ['--ca', join(secure.folders.data, 'tls', 'server.crt')],
  });
  await agent.nextLog(OVER_WEBSOCKET);
  assert.equal(await agent.kill('SIGTERM'), 0);
});

test('a shorter heartbeat reaches the agent by the push, long before its next beat', async (context) => {
  const slow = await ServerProcess.start();
  context.after(() => slow.dispose());
  const slowApi = new Api(slow.address);
  context.after(() => slowApi.close());
  await slowApi.configKv({ 'node.heartbeat': '1h', 'node.ttl': '3h' });
  const agent = startAgent(context, 'pushed', { address: slow.address });
  await agent.nextLog(/heartbeats are sent over a WebSocket/);
  await until(
    async () => (await slowApi.get('/api/v1/node/pushed')).status,
    (status) => status === 200,
    'the node to be registered',
  );
  const changed = agent.nextLog(/changes node\.heartbeat, node\.ttl[\s\S]*accepted over WebSocket/);
  await slowApi.configKv({ 'node.heartbeat': '1s', 'node.ttl': '10s' });
  await changed;
  assert.equal(await agent.kill('SIGTERM'), 0);
});

test('a frame for a node that others have deregistered registers it again', async (context) => {
  const agent = startAgent(context, 'again');
  await agent.nextLog(OVER_WEBSOCKET);
  const noticed = agent.nextLog(/unregistered over WebSocket[\s\S]*registered as again[\s\S]*accepted over WebSocket/);
  await api.delete('/api/v1/node/again');
  await noticed;
  assert.equal(await agent.kill('SIGTERM'), 0);
});

test('a server that is killed and comes back gets every beat once, and then a WebSocket again', async (context) => {
  const agent = startAgent(context, 'outlives');
  await agent.nextLog(OVER_WEBSOCKET);
  const down = agent.nextLog(/no WebSocket: it was closed with 1006[\s\S]*beat \S+: on disk/);
  await server.kill('SIGKILL');
  await down;
  const back = agent.nextLog(
    /the server is back[\s\S]*heartbeats are sent over a WebSocket[\s\S]*accepted over WebSocket/,
  );
  await restartServer('SIGKILL');
  await back;
  await until(
    () => readFile(join(folder, 'outlives', 'spool.ndjson'), 'utf8'),
    (text) => text === '',
    'the spool to be empty',
  );
  assert.equal(await agent.kill('SIGTERM'), 0);
  // A frame that was in flight may have been taken without a word; it is the one beat that may count twice.
  const doubtful = agent.log.match(/beat \S+: later over WebSocket/g)?.length ?? 0;
  const twice = (await countOf('outlives')) - madeBy(agent).size;
  assert.ok(twice >= 0 && twice <= doubtful, `${twice} too many, ${doubtful} in doubt`);
});

test('a server that stops says goodbye, and its agents come back to the next one', async (context) => {
  const agent = startAgent(context, 'patient');
  await agent.nextLog(OVER_WEBSOCKET);
  const gone = agent.nextLog(/no WebSocket: it was closed with 10\d\d \(.+\)/);
  await server.kill('SIGTERM');
  await gone;
  const back = agent.nextLog(/heartbeats are sent over a WebSocket[\s\S]*accepted over WebSocket/);
  await restartServer('SIGTERM');
  await back;
  assert.equal(await agent.kill('SIGTERM'), 0);
});

test('where an upgrade is refused beats go over HTTP, and the reason is said once', async (context) => {
  const address = await proxyWithoutUpgrades(context);
  const agent = startAgent(context, 'behind-a-proxy', { address });
  for (let i = 0; i < 3; i++) await agent.nextLog(OVER_HTTP);
  assert.equal(await agent.kill('SIGTERM'), 0);
  assert.equal(agent.log.match(/the server rejected it with HTTP 400; heartbeats are sent over HTTP/g)?.length, 1);
  assert.equal(await countOf('behind-a-proxy'), madeBy(agent).size);
});

test('where a WebSocket is the only way and is refused, beats wait on disk for the one that is not', async (context) => {
  const address = await proxyWithoutUpgrades(context);
  const first = startAgent(context, 'strict', { address, args: ['--transport', 'websocket'] });
  for (let i = 0; i < 2; i++) await first.nextLog(/beat \S+: on disk/);
  assert.equal(await first.kill('SIGTERM'), 0);
  assert.doesNotMatch(first.log, OVER_HTTP);
  const second = startAgent(context, 'strict', { args: ['--transport', 'websocket'] });
  await second.nextLog(OVER_WEBSOCKET);
  await until(
    () => readFile(join(folder, 'strict', 'spool.ndjson'), 'utf8'),
    (text) => text === '',
    'the spool to be empty',
  );
  assert.equal(await second.kill('SIGTERM'), 0);
  assert.equal(await countOf('strict'), new Set([...madeBy(first), ...madeBy(second)]).size);
});

test('when the identity provider is turned on the WebSocket ends, and comes back with a token that the server takes', async (context) => {
  const issuer = await TokenIssuer.start();
  context.after(() => issuer.stop());
  const guarded = await ServerProcess.start({ env: { CAIRN_IDP_ISSUER: issuer.url } });
  context.after(() => guarded.dispose());
  const guardedApi = new Api(guarded.address);
  context.after(() => guardedApi.close());
  await guardedApi.configKv({ 'node.heartbeat': '1s', 'node.ttl': '10s' });
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'not a token');
  const agent = startAgent(context, 'guarded', { address: guarded.address, args: ['--token-file', tokenFile] });
  await agent.nextLog(OVER_WEBSOCKET);
  const shut = agent.nextLog(/no WebSocket: it was closed with 1012[\s\S]*HTTP 401[\s\S]*beat \S+: on disk/);
  const settings = {
    region: 'us-east-1',
    userPoolID: 'us-east-1_AbCdEf123',
    clientID: 'client123',
    identityPoolID: 'us-east-1:12345678-1234-1234-1234-123456789012',
    adminGroups: 'admin',
    accessKey: '',
    secretKey: '',
    token: await issuer.token({ groups: ['admin'] }),
  };
  assert.equal((await guardedApi.put('/api/v1/security/idp', settings)).status, 200);
  await shut;
  const back = agent.nextLog(/heartbeats are sent over a WebSocket[\s\S]*accepted over WebSocket/);
  await writeFile(tokenFile, settings.token);
  await back;
  assert.equal(await agent.kill('SIGTERM'), 0);
});
