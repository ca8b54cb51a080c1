/** The load generator tells the truth: what it counts as answered was answered, and a stall is not hidden. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startPeer } from '../../bench/harness/peer-process.ts';
import { requestBytes } from '../../bench/load/http-wire.ts';
import { Latencies } from '../../bench/load/latencies.ts';
import { Load } from '../../bench/load/load.ts';
import type { LoadPlan, LoadResult } from '../../bench/load/load-plan.ts';
import { redisScanner } from '../../bench/load/redis-wire.ts';
import { numberAfter } from '../../bench/load/websocket-wire.ts';

const NODES = { first: 0, count: 4_000 };

async function run(plan: LoadPlan): Promise<LoadResult> {
  const load = new Load(plan);
  await load.connect();
  return load.run(() => {});
}

/** A plan of one-byte requests to a server of the test's own. */
async function against(
  listener: RequestListener,
  plan: Omit<LoadPlan, 'host' | 'port' | 'secure' | 'bytes'>,
): Promise<LoadResult> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const bytes = [requestBytes('POST', '/', '127.0.0.1', '1')];
    return await run({ host: '127.0.0.1', port, secure: false, bytes, ...plan });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('masked frames of every length form are understood by a server that is not ours, and each answer finds its message', async () => {
  const peer = await startPeer('bare-uws');
  try {
    for (const [format, subprotocol] of [
      ['json', 'cairn.json'],
      ['msgpack', 'cairn.msgpack'],
    ] as const) {
      // 1 beat is below 126 bytes, 20 below 65,536, 2,000 above.
      for (const perMessage of [1, 20, 2_000]) {
        const { answered, failed } = await run({
          host: peer.host,
          port: peer.port,
          secure: false,
          connections: 2,
          inFlight: perMessage === 2_000 ? 1 : 8,
          requests: 50,
          dialect: { kind: 'websocket', path: '/api/v1/heartbeat', subprotocol },
          bytes: { what: 'frames', nodes: NODES, metrics: false, format, perMessage },
        });
        assert.deepEqual({ answered, failed }, { answered: 50, failed: 0 }, `${format}, ${perMessage} beats a frame`);
      }
    }
  } finally {
    await peer.stop();
  }
});

test('a server that refuses the upgrade is named in a plain sentence', async () => {
  const refused = against((_, response) => response.writeHead(404).end(), {
    connections: 1,
    requests: 1,
    dialect: { kind: 'websocket', path: '/api/v1/heartbeat', subprotocol: 'cairn.json' },
  });
  await assert.rejects(
    refused,
    /the server refuses the upgrade to WebSocket at \/api\/v1\/heartbeat: it answered HTTP 404/,
  );
});

test('refusals, failures and replies that name unknown nodes are not taken for answers', async () => {
  let count = 0;
  const result = await against(
    (request, response) => {
      request.resume();
      const turn = count++ % 4;
      const body = turn < 2 ? '' : `{"accepted":1,"unknown":[${turn === 2 ? '"i-1"' : ''}]}`;
      if (turn === 0) response.setHeader('retry-after', '1');
      response.writeHead(turn < 2 ? 503 : 200, { 'content-length': body.length }).end(body);
    },
    { connections: 2, requests: 40 },
  );
  const { answered, refused, retryAfter, failed } = result;
  assert.deepEqual(
    { answered, refused, retryAfter, failed },
    { answered: 10, refused: 20, retryAfter: 10, failed: 10 },
  );
});

test('in an open loop the latency counts from the intended send time, and every due message has an outcome', async () => {
  const HELD_MS = 600;
  let seen = 0;
  let held: (() => void)[] | undefined = [];
  const result = await against(
    (request, response) => {
      request.resume();
      const answer = (): void => void response.setHeader('content-length', '2').end('{}');
      if (++seen <= 20 || !held) return answer();
      held.push(answer);
      if (held.length > 1) return;
      setTimeout(() => {
        const waiting = held as (() => void)[];
        held = undefined;
        for (const release of waiting) release();
      }, HELD_MS);
    },
    { connections: 1, requests: 0, phases: [{ name: 'steady', perSecond: 100, seconds: 1 }], giveUpMs: 300 },
  );
  const { answered, givenUp, failed, counts, bins, phases } = result;
  assert.equal(answered + givenUp, 100);
  assert.equal(failed, 0);
  assert.ok(givenUp > 0, 'the messages that were due early in the stall waited more than 300 ms');
  // One message was in flight; those that queued behind it carry the stall too.
  const late = new Latencies(Float64Array.from(counts)).quantile(0.9);
  assert.ok(late > 100, `the ninth decile is ${late} ms`);
  assert.equal(phases.length, 1);
  assert.equal(
    bins.reduce((sum, bin) => sum + bin.answered + bin.lost, 0),
    100,
  );
});

test('answers of Redis are counted across any cut, and an error is not a success', () => {
  const statuses: number[] = [];
  const scan = redisScanner((status) => statuses.push(status));
  for (const chunk of ['+O', 'K\r\n+OK\r\n+', 'OK\r', '\n', '-ERR full\r\n']) scan(Buffer.from(chunk));
  assert.deepEqual(statuses, [200, 200, 200, 500]);
});

test('a number after a key is read from JSON and from every unsigned form of MessagePack', () => {
  assert.equal(numberAfter(Buffer.from('{"seq":70000,"accepted":1}'), 'seq', true), 70_000);
  for (const [hex, value] of [
    ['07', 7],
    ['ccff', 255],
    ['cd0100', 256],
    ['ce00011170', 70_000],
  ] as const) {
    assert.equal(numberAfter(Buffer.from(`82a3736571${hex}`, 'hex'), 'seq', false), value);
  }
  assert.equal(numberAfter(Buffer.from('{"type":"config"}'), 'seq', true), undefined);
});
