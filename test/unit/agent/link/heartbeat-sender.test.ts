import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { agentLog } from '../../../../agent/base/log.ts';
import type { ClientRequest } from '../../../../agent/link/client.ts';
import { HeartbeatSender } from '../../../../agent/link/heartbeat-sender.ts';
import type { Reply } from '../../../../agent/link/outcome.ts';
import { type Beat, Spool } from '../../../../agent/spool/spool.ts';
import { seededRandom } from '../../../../src/base/random.ts';
import type { BatchedBeat } from '../../../../src/protocol/heartbeat.ts';
import { ManualTimers } from '../manual-timers.ts';
import { temporaryFolder } from '../temporary-folder.ts';

type Mode = 'there' | 'gone' | 'taken-but-silent' | 'forgetful' | 'denies' | 'refuses' | 'overloaded';

const GONE: Reply = { kind: 'unreachable', reason: 'connect ECONNREFUSED' };
const answer = (status: number, json: unknown = {}, retryAfterMs: number | null = null): Reply => ({
  kind: 'answer',
  status,
  json,
  retryAfterMs,
});

/** A server in a few lines: what it took, and how it behaves just now. */
class FakeServer {
  mode: Mode = 'there';
  nextBeatMs = 1_000;
  warnings: string[] = [];
  registrations = 0;
  requests: string[] = [];
  isKnown = false;
  hasSocket = false;
  readonly beats: number[] = [];

  /** A frame is answered as the batch that it holds. */
  frame(beats: readonly BatchedBeat[]): Reply | null {
    if (!this.hasSocket) return null;
    this.requests.push(`frame of ${beats.length}`);
    const body = beats.map((beat) => JSON.stringify(beat)).join('\n');
    return this.#react({ method: 'POST', path: '/api/v1/heartbeat', body, deadlineMs: 1 });
  }

  answer(request: Omit<ClientRequest, 'token'>): Reply {
    this.requests.push(`${request.method} ${request.path}`);
    return this.#react(request);
  }

  #react({ method, path, body }: Omit<ClientRequest, 'token'>): Reply {
    if (this.mode === 'gone') return GONE;
    if (this.mode === 'denies') return answer(401, { message: 'Token invalid' });
    if (this.mode === 'overloaded') return answer(503, { message: 'Overloaded' }, 4_000);
    const reply = {
      nextBeatMs: this.nextBeatMs,
      configVersion: 3,
      ...(this.warnings.length > 0 ? { warnings: this.warnings } : {}),
    };
    if (method === 'PUT') {
      this.registrations++;
      this.isKnown = this.mode !== 'forgetful';
      return answer(200, { id: 'n', ...reply, token: 'own' });
    }
    if (this.mode === 'refuses') return answer(422, { message: 'Invalid argument' });
    const lines = String(body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Beat & { id?: string });
    const isBatch = path === '/api/v1/heartbeat';
    if (!this.isKnown) {
      return isBatch ? answer(200, { accepted: 0, unknown: ['n'], ...reply }) : answer(404, { errorCode: 1004 });
    }
    this.beats.push(...lines.map(({ metrics }) => metrics['i'] ?? -1));
    if (this.mode === 'taken-but-silent') return { kind: 'unreachable', reason: 'socket hang up' };
    return answer(200, isBatch ? { accepted: lines.length, unknown: [], ...reply } : reply);
  }
}

interface World {
  readonly server: FakeServer;
  readonly timers: ManualTimers;
  readonly sender: HeartbeatSender;
  readonly spool: Spool;
  readonly lines: string[];
  readonly events: string[];
  offer(i: number): Promise<void>;
  /** Lets everything that can happen now happen. */
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
}

function world(context: TestContext, mode: Mode = 'there'): World {
  const server = new FakeServer();
  server.mode = mode;
  const timers = new ManualTimers();
  const lines: string[] = [];
  const events: string[] = [];
  const spool = Spool.open({
    folder: temporaryFolder(context),
    nodeId: 'n',
    monotonicMs: () => timers.clock.monotonicMs(),
    onDropped: () => {},
  });
  const sender = new HeartbeatSender({
    nodeId: 'n',
    call: async (request) => server.answer(request),
    sendFrame: async (beats) => server.frame(beats),
    facts: () => ({ id: 'n', hostName: 'h' }),
    wantsNewToken: () => false,
    spool,
    timers,
    random: { ...seededRandom(3), between: (_low, high) => high },
    log: agentLog(
      'info',
      (line) => lines.push(line),
      () => 0,
    ),
    events: {
      onRegistered: (token) => events.push(`registered ${token}`),
      onBeatMs: (ms) => events.push(`beat ${ms}`),
      onConfigVersion: (version) => events.push(`config ${version}`),
      onOrder: ({ id, type }) => events.push(`order ${id} ${type}`),
      onDenied: () => events.push('denied'),
      onUp: () => events.push('up'),
    },
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  sender.start();
  return {
    server,
    timers,
    sender,
    spool,
    lines,
    events,
    settle,
    offer: async (i) => {
      sender.offer({ time: `2026-01-01T00:00:00.${String(i).padStart(3, '0')}Z`, metrics: { i } });
      await settle();
    },
    advance: async (ms) => {
      // In steps, because an answer may set the next timer.
      for (let moved = 0; moved < ms; moved += 100) {
        timers.advance(100);
        await settle();
      }
    },
  };
}

test('the heartbeat sender registers, tells what the reply says, and sends a beat at once', async (context) => {
  const { server, offer, settle, events, sender } = world(context);
  await settle();
  assert.deepEqual(events, ['registered own', 'up', 'beat 1000', 'config 3']);
  assert.equal(sender.isUp, true);
  await offer(1);
  assert.deepEqual(server.beats, [1]);
  assert.deepEqual(server.requests, ['PUT /api/v1/node/n', 'POST /api/v1/node/n/heartbeat']);
});

test('with a WebSocket beats go in frames, fresh ones and those of an outage, and registrations over HTTP', async (context) => {
  const { server, offer, settle, advance, events } = world(context);
  server.hasSocket = true;
  await settle();
  await offer(1);
  server.mode = 'gone';
  for (let i = 2; i <= 4; i++) await offer(i);
  server.mode = 'there';
  await advance(1_000);
  assert.deepEqual(server.beats, [1, 2, 3, 4]);
  assert.deepEqual(server.requests, ['PUT /api/v1/node/n', 'frame of 1', 'frame of 1', 'frame of 3']);
  assert.deepEqual(events.slice(2, 4), ['beat 1000', 'config 3']);
});

test('a beat whose WebSocket broke goes over HTTP from the spool', async (context) => {
  const { server, offer, settle, advance } = world(context);
  server.hasSocket = true;
  await settle();
  server.mode = 'gone';
  await offer(1);
  server.mode = 'there';
  server.hasSocket = false;
  await advance(1_000);
  await offer(2);
  assert.deepEqual(server.beats, [1, 2]);
  assert.deepEqual(server.requests.slice(2), ['POST /api/v1/heartbeat', 'POST /api/v1/node/n/heartbeat']);
});

test('a frame that names the node as unknown registers it again, and the beat is sent once more', async (context) => {
  const { server, offer, settle } = world(context);
  server.hasSocket = true;
  await settle();
  server.isKnown = false;
  await offer(1);
  await settle();
  assert.equal(server.registrations, 2);
  assert.deepEqual(server.beats, [1]);
});

test('a frame that is not taken for want of room waits as long as it was asked to', async (context) => {
  const { server, offer, settle, advance } = world(context);
  server.hasSocket = true;
  await settle();
  server.mode = 'overloaded';
  await offer(1);
  server.mode = 'there';
  await advance(3_900);
  assert.deepEqual(server.beats, []);
  await advance(1_000);
  assert.deepEqual(server.beats, [1]);
});

test('a token that a frame is denied for is told', async (context) => {
  const { server, offer, settle, events } = world(context);
  server.hasSocket = true;
  await settle();
  server.mode = 'denies';
  await offer(1);
  assert.ok(events.includes('denied'));
});

test('while the server is away beats are kept, and come once each, in order, when it is back', async (context) => {
  const { server, offer, settle, advance, lines, events } = world(context);
  await settle();
  await offer(0);
  server.mode = 'gone';
  for (let i = 1; i <= 20; i++) {
    await offer(i);
    await advance(1_000);
  }
  assert.deepEqual(server.beats, [0]);
  server.mode = 'there';
  await advance(2_000);
  await offer(21);
  assert.deepEqual(
    server.beats,
    Array.from({ length: 22 }, (_, i) => i),
  );
  assert.equal(events.filter((event) => event === 'up').length, 2);
  assert.equal(server.registrations, 1);
  assert.equal(lines.filter((line) => line.includes('ECONNREFUSED')).length, 1, 'a reason is told once an outage');
  assert.match(lines.at(-1) ?? '', /the server is back after \d+ s/);
});

test('an agent that starts before its server keeps its beats and registers when the server comes', async (context) => {
  const { server, offer, advance } = world(context, 'gone');
  for (let i = 0; i < 3; i++) await offer(i);
  server.mode = 'there';
  await advance(2_000);
  assert.equal(server.registrations, 1);
  assert.deepEqual(server.beats, [0, 1, 2]);
});

test('a beat whose answer was lost is sent again rather than lost', async (context) => {
  const { server, offer, settle, advance } = world(context);
  await settle();
  server.mode = 'taken-but-silent';
  await offer(1);
  server.mode = 'there';
  await advance(1_000);
  assert.deepEqual(server.beats, [1, 1]);
});

test('a server that does not know the node gets its registration and then the beat', async (context) => {
  const { server, offer, settle } = world(context);
  await settle();
  server.isKnown = false;
  await offer(1);
  await settle();
  assert.equal(server.registrations, 2);
  assert.deepEqual(server.beats, [1]);
});

test('a server that forgets the node every time is not pestered', async (context) => {
  const { server, offer, advance } = world(context, 'forgetful');
  for (let i = 0; i < 30; i++) {
    await offer(i);
    await advance(1_000);
  }
  assert.ok(server.registrations >= 10, `${server.registrations} registrations`);
  assert.ok(server.registrations <= 60, `${server.registrations} registrations in 30 s`);
  server.mode = 'there';
  await advance(5_000);
  assert.deepEqual(
    server.beats,
    Array.from({ length: 30 }, (_, i) => i),
  );
});

test('an overloaded server is left alone for as long as it asked', async (context) => {
  const { server, offer, settle, advance } = world(context);
  await settle();
  server.mode = 'overloaded';
  await offer(1);
  const { length } = server.requests;
  await advance(3_900);
  assert.equal(server.requests.length, length);
  await advance(1_000);
  assert.equal(server.requests.length, length + 1);
});

test('a beat that the server refuses is dropped with a word, and does not block the next one', async (context) => {
  const { server, offer, settle, lines, spool } = world(context);
  await settle();
  server.mode = 'refuses';
  await offer(1);
  server.mode = 'there';
  await offer(2);
  assert.deepEqual(server.beats, [2]);
  assert.equal(spool.isEmpty, true);
  assert.ok(lines.some((line) => line.includes('rejects this heartbeat: HTTP 422')));
});

test('spooled beats that the server refuses are dropped with a word', async (context) => {
  const { server, offer, settle, advance, spool, lines } = world(context);
  await settle();
  server.mode = 'gone';
  await offer(1);
  server.mode = 'refuses';
  await advance(1_000);
  assert.equal(spool.isEmpty, true);
  assert.ok(lines.some((line) => line.includes('rejects 1 spooled heartbeats')));
});

test('a token that is not accepted is told, and the beats wait', async (context) => {
  const { server, offer, settle, advance, events } = world(context);
  await settle();
  server.mode = 'denies';
  await offer(1);
  assert.ok(events.includes('denied'));
  server.mode = 'there';
  await advance(1_000);
  assert.deepEqual(server.beats, [1]);
});

test('a warning of the server is logged once', async (context) => {
  const { server, offer, settle, lines } = world(context);
  await settle();
  server.warnings = ['hostName was cut'];
  for (let i = 0; i < 5; i++) await offer(i);
  assert.equal(lines.filter((line) => line.includes('hostName was cut')).length, 1);
});

test('finishing sends all that waits, without the pauses between batches', async (context) => {
  const { server, offer, settle, sender, timers } = world(context);
  await settle();
  server.mode = 'gone';
  for (let i = 0; i < 1_300; i++) sender.offer({ time: '2026-01-01T00:00:00Z', metrics: { i } });
  await offer(1_300);
  server.mode = 'there';
  timers.advance(1_000);
  await sender.finish();
  assert.equal(server.beats.length, 1_301);
});

test('finishing does not wait for a server that is away, and a stopped heartbeat sender sends nothing and keeps every beat', async (context) => {
  const { server, offer, settle, sender, spool, advance } = world(context);
  await settle();
  server.mode = 'gone';
  await offer(1);
  await sender.finish();
  await sender.stop();
  const { length } = server.requests;
  server.mode = 'there';
  await offer(2);
  await advance(60_000);
  assert.equal(server.requests.length, length);
  assert.equal(spool.peek().lines.length, 2);
});
