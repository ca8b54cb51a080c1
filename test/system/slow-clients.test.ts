/** Clients that hold a connection without using it: each is cut by policy, and the server goes on for the others. */
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;

withServer({ args: ['--workers', '1'] }, (served) => {
  ({ server, api } = served);
});

/** uWS closes after 10 s, by a wheel that turns every 4 s. */
const CUT_MS = 40_000;

interface Slow {
  readonly name: string;
  readonly head: string;
  /** Sent again and again. */
  readonly drip: string;
}

const KINDS: readonly Slow[] = [
  { name: 'says nothing', head: '', drip: '' },
  { name: 'sends its head byte by byte', head: 'GET /livez HTTP/1.1\r\nx: ', drip: 'a' },
  {
    name: 'sends its body byte by byte',
    head: 'PUT /api/v1/configKV HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n',
    drip: ' ',
  },
  {
    name: 'sends a chunked body byte by byte',
    head: 'PUT /api/v1/configKV HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    drip: '1\r\n \r\n',
  },
];

test('a client that is slow on purpose is cut', async () => {
  await Promise.all(KINDS.map(mustBeCut));
  assert.equal((await api.get('/livez')).status, 200);
});

function mustBeCut({ name, head, drip }: Slow): Promise<void> {
  const { hostname, port } = new URL(server.address);
  const socket = net.connect(Number(port), hostname);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(new Error(`a client that ${name} was not cut within ${CUT_MS} ms`)), CUT_MS);
    const beat = setInterval(() => socket.write(drip), 500);
    const end = (error?: Error): void => {
      clearTimeout(timer);
      clearInterval(beat);
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    socket.on('connect', () => socket.write(head));
    socket.on('error', () => end());
    socket.on('close', () => end());
    socket.resume();
  });
}

test('an answer that nobody reads ends, and the access log says that the client did not take it', async () => {
  await api.put('/api/v1/node/big', {});
  await api.configKv({ 'node.maxPerLogSizeMB': '64' });
  const chunk = Buffer.alloc(8 * 1024 * 1024, 'x\n');
  for (let i = 0; i < 4; i++)
    await api.request('POST', `/api/v1/nodes/big/files/var/log/big.log?offset=${i * chunk.length}`, { body: chunk });
  const { hostname, port } = new URL(server.address);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.pause();
  socket.write('GET /nodes/big/var/log/big.log HTTP/1.1\r\nhost: x\r\n\r\n');
  const lines = await until(
    () => server.logText('cairn-access.log'),
    (text) => text.includes('"url":"/nodes/big/var/log/big.log"'),
    'the end of the answer',
    CUT_MS,
  );
  assert.match(lines, /"url":"\/nodes\/big\/var\/log\/big\.log","status":499/);
  socket.destroy();
});

/** A place of the pool that is held for ever is missed by the 65th client of a thread; so many go away at once. */
const LEAVERS = 160;

test('clients that go away before their answer begins take nothing of the pool with them', async () => {
  const { hostname, port } = new URL(server.address);
  for (const path of ['/nodes/big/var/log/big.log', '/nodes/big/var/log/big.log?q=x', '/api/v1/job']) {
    const leave = (): Promise<void> =>
      new Promise((resolve) => {
        const socket = net.connect(Number(port), hostname);
        socket.on('error', () => {});
        socket.on('close', () => resolve());
        socket.resume();
        // The end of what it says comes with the request: uWS takes it for the end of the client.
        socket.end(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      });
    for (let i = 0; i < LEAVERS; i += 16) await Promise.all(Array.from({ length: 16 }, leave));
    const answer = await Promise.race([
      api.get('/api/v1/job?limit=1'),
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), CUT_MS).unref()),
    ]);
    assert.equal(answer?.status, 200, `the pool answers nobody after ${path}`);
  }
});
