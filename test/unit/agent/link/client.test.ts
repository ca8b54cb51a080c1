import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Client, type ClientRequest } from '../../../../agent/link/client.ts';
import type { Reply } from '../../../../agent/link/outcome.ts';

type Answer = (request: http.IncomingMessage, body: Buffer, response: http.ServerResponse) => void;

async function world(
  context: TestContext,
  answer: Answer,
  path = '',
): Promise<{ client: Client; connections: () => number; call: (request?: Partial<ClientRequest>) => Promise<Reply> }> {
  let connections = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, Buffer.concat(chunks), response));
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new Client({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    ca: null,
    insecure: false,
    identity: null,
  });
  context.after(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  const call = (request: Partial<ClientRequest> = {}): Promise<Reply> =>
    client.call({ method: 'POST', path: '/x', deadlineMs: 10_000, token: null, ...request });
  return { client, connections: () => connections, call };
}

const echo: Answer = ({ method, url, headers }, body, response) => {
  response.setHeader('retry-after', '3');
  const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body).toString() : body.toString();
  response.end(JSON.stringify({ method, url, headers, text }));
};

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const mustEcho = (reply: Reply): Echo => {
  if (reply.kind !== 'answer') assert.fail(reply.reason);
  return reply.json as Echo;
};

test('a request arrives with its method, path, type, token and body, and its answer comes back', async (context) => {
  const { call } = await world(context, echo, '/behind/a/proxy/');
  const reply = await call({ method: 'PUT', path: '/y?z=1', body: '{}', type: 'application/json', token: 'secret' });
  const { method, url, headers, text } = mustEcho(reply);
  assert.deepEqual([method, url, text], ['PUT', '/behind/a/proxy/y?z=1', '{}']);
  assert.equal(headers['authorization'], 'Bearer secret');
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['content-encoding'], undefined);
  assert.deepEqual(reply.kind === 'answer' && [reply.status, reply.retryAfterMs], [200, 3_000]);
});

test('without a token no authorization is sent, and a call without a body says so', async (context) => {
  const { call } = await world(context, echo);
  const { headers } = mustEcho(await call());
  assert.equal(headers['authorization'], undefined);
  assert.equal(headers['content-length'], '0');
});

test('a body above 4 KiB is compressed', async (context) => {
  const { call } = await world(context, echo);
  const small = mustEcho(await call({ body: 'a'.repeat(4_096) }));
  assert.equal(small.headers['content-encoding'], undefined);
  const large = mustEcho(await call({ body: 'b'.repeat(4_097) }));
  assert.equal(large.headers['content-encoding'], 'gzip');
  assert.equal(large.text, 'b'.repeat(4_097));
  assert.ok(Number(large.headers['content-length']) < 200);
});

test('calls one after the other share a connection, and there are never more than three', async (context) => {
  const { call, connections } = await world(context, echo);
  for (let i = 0; i < 5; i++) await call();
  assert.equal(connections(), 1);
  await Promise.all(Array.from({ length: 8 }, () => call()));
  assert.equal(connections(), 3);
});

test('a server that does not answer in time is unreachable', async (context) => {
  const { call } = await world(context, () => {});
  assert.deepEqual(await call({ deadlineMs: 50 }), { kind: 'unreachable', reason: 'no answer within 0.05 s' });
});

test('a connection that breaks before or within the answer is unreachable', async (context) => {
  const { call } = await world(context, ({ url }, _body, response) => {
    if (url === '/within') response.writeHead(200, { 'content-length': '100' }).write('{');
    setImmediate(() => response.destroy());
  });
  assert.equal((await call({ path: '/before' })).kind, 'unreachable');
  assert.equal((await call({ path: '/within' })).kind, 'unreachable');
});

test('a port that nobody listens on is unreachable, with the reason', async (context) => {
  const { client } = await world(context, echo);
  client.close();
  const probe = http.createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const other = new Client({ server: `http://127.0.0.1:${port}`, ca: null, insecure: false, identity: null });
  const reply = await other.call({ method: 'GET', path: '/', deadlineMs: 10_000, token: null });
  assert.match(reply.kind === 'unreachable' ? reply.reason : '', /ECONNREFUSED/);
});

test('an answer that is not JSON, and one that is too large, do no harm', async (context) => {
  const { call } = await world(context, ({ url }, _body, response) =>
    response.end(url === '/large' ? 'x'.repeat(2_000_000) : '<html>'),
  );
  assert.deepEqual(await call(), { kind: 'answer', status: 200, retryAfterMs: null, json: undefined });
  assert.equal((await call({ path: '/large' })).kind, 'unreachable');
});

test('closing gives up what is in flight, what waits for a connection, and what comes after', async (context) => {
  const { client, call } = await world(context, () => {});
  const calls = Array.from({ length: 4 }, () => call());
  await new Promise((resolve) => setImmediate(resolve));
  client.close();
  for (const reply of await Promise.all(calls)) assert.equal(reply.kind, 'unreachable');
  assert.deepEqual(await call(), { kind: 'unreachable', reason: 'the agent is stopping' });
});
