import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Beat, BeatOutcome } from '../../../../fleet/run/beat-sender.ts';
import { RunStats } from '../../../../fleet/run/run-stats.ts';
import { SocketBeats } from '../../../../fleet/run/socket-beats.ts';
import { type FrameAnswer, NotOpened } from '../../../../fleet/wire/beat-socket.ts';
import { WireError } from '../../../../fleet/wire/client.ts';
import { seededRandom } from '../../../../src/base/random.ts';
import { until } from '../../../support/api.ts';

const reply = (accepted: number, unknown: readonly string[] = []): FrameAnswer => ({
  status: 200,
  json: { accepted, unknown, nextBeatMs: 1_000, configVersion: 1 },
});
const TAKEN: BeatOutcome = { type: 'taken', nextBeatMs: 1_000 };
const beatOf = (id: string): Beat => ({ id, time: '2026-01-01T00:00:00Z', metrics: { x: 1 } });
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Frame {
  readonly ids: string[];
  readonly answer: (answer: FrameAnswer) => void;
  readonly lose: (error: WireError) => void;
}

/** Sockets whose frames the test answers. */
function world({ nodes = 1, batch = 1, falls = true, refusal }: Partial<Options> = {}) {
  const stats = new RunStats();
  const frames: Frame[] = [];
  const forms: string[] = [];
  const fallen: string[] = [];
  const server = { refusal, end: (): void => {} };
  const beats = new SocketBeats({
    open: async (form, onClosed) => {
      if (server.refusal) throw server.refusal;
      forms.push(form);
      server.end = onClosed;
      return {
        send: (sent) =>
          new Promise((answer, lose) => {
            frames.push({ ids: sent.map(({ id }) => id), answer, lose });
          }),
        close: () => {},
      };
    },
    nodes,
    batch,
    fallback: falls
      ? {
          send: async ({ id }) => {
            fallen.push(id);
            return TAKEN;
          },
        }
      : undefined,
    stats,
    random: { ...seededRandom(1), next: () => 1, between: (_low, high) => high },
  });
  return { beats, stats, frames, forms, fallen, server };
}

interface Options {
  readonly nodes: number;
  readonly batch: number;
  readonly falls: boolean;
  readonly refusal: NotOpened;
}

test('a frame holds one beat, and its reply is the beat’s outcome', async () => {
  const { beats, frames, stats } = world();
  const outcome = beats.send(beatOf('a'));
  await settle();
  assert.deepEqual(frames[0]?.ids, ['a']);
  frames[0]?.answer(reply(1));
  assert.deepEqual(await outcome, TAKEN);
  assert.deepEqual([stats.socketBeats, stats.sockets, stats.wire.latency.count], [1, 1, 1]);
});

test('nodes share at most 64 sockets, some of which speak JSON', async () => {
  const { beats, forms, frames } = world({ nodes: 10_000 });
  for (let i = 0; i < 640; i++) void beats.send(beatOf(`node-${i}`));
  await settle();
  assert.equal(forms.length, 64);
  assert.equal(forms.filter((form) => form === 'cairn.json').length, 16);
  assert.equal(frames.length, 640);
});

test('beats that wait for the replies to 32 frames share the next ones', async () => {
  const { beats, frames } = world();
  const outcomes = Array.from({ length: 200 }, (_, i) => beats.send(beatOf(String(i))));
  await settle();
  assert.equal(frames.length, 32);
  frames[0]?.answer(reply(1));
  await settle();
  assert.equal(frames.length, 33);
  assert.equal(frames[32]?.ids.length, 100);
  for (let i = 1; i < frames.length; i++) {
    frames[i]?.answer(reply(frames[i]?.ids.length ?? 0));
    await settle();
  }
  for (const outcome of await Promise.all(outcomes)) assert.deepEqual(outcome, TAKEN);
});

test('a batch goes when it is full, and when its time is over', async () => {
  const { beats, frames } = world({ batch: 3 });
  const outcomes = ['a', 'b', 'c', 'd'].map((id) => beats.send(beatOf(id)));
  await settle();
  assert.deepEqual(
    frames.map(({ ids }) => ids),
    [['a', 'b', 'c']],
  );
  frames[0]?.answer(reply(3));
  await Promise.all(outcomes.slice(0, 3));
  await until(
    async () => frames.length,
    (count) => count === 2,
    'the second frame',
  );
  assert.deepEqual(frames[1]?.ids, ['d']);
  frames[1]?.answer(reply(1));
  assert.deepEqual(await outcomes[3], TAKEN);
});

test('a beat whose frame was lost is in doubt, and the next one goes over HTTP until there is a socket again', async () => {
  const { beats, frames, fallen, server, stats } = world();
  const first = beats.send(beatOf('a'));
  await settle();
  frames[0]?.lose(new WireError('closed', true));
  server.end();
  assert.deepEqual(await first, { type: 'doubtful' });
  assert.equal(stats.wire.failures, 1);
  assert.deepEqual(await beats.send(beatOf('b')), TAKEN);
  assert.deepEqual(fallen, ['b']);
  await until(
    async () => {
      void beats.send(beatOf('c'));
      await settle();
      return stats.sockets;
    },
    (sockets) => sockets === 2,
    'a second socket',
  );
});

test('beats that were not sent when the socket ended take the other way', async () => {
  const { beats, frames, fallen, server } = world();
  const outcomes = Array.from({ length: 40 }, (_, i) => beats.send(beatOf(String(i))));
  await settle();
  for (const frame of frames) frame.lose(new WireError('closed', true));
  server.end();
  const types = (await Promise.all(outcomes)).map(({ type }) => type);
  assert.deepEqual([types.filter((type) => type === 'doubtful').length, fallen.length], [32, 8]);
});

test('a server that knows no WebSocket gets calls, without an error; where there is to be one, with an error', async () => {
  const refusal = new NotOpened('the upgrade was answered 405', 405);
  const lenient = world({ refusal });
  assert.deepEqual(await lenient.beats.send(beatOf('a')), TAKEN);
  assert.deepEqual([lenient.fallen, lenient.stats.faults, lenient.stats.wire.failures], [['a'], 0, 0]);
  const strict = world({ refusal, falls: false });
  assert.deepEqual(await strict.beats.send(beatOf('a')), { type: 'untaken' });
  assert.equal(strict.stats.faults, 1);
});

test('a frame that is answered by an error, a warning or an unknown node is not taken for a beat', async () => {
  const answers: readonly [FrameAnswer, string, number][] = [
    [{ status: 503, json: { statusCode: 503 } }, 'doubtful', 0],
    [{ status: 422, json: { statusCode: 422, message: 'Invalid argument' } }, 'untaken', 1],
    [reply(0, ['a']), 'doubtful', 1],
    [{ status: 200, json: { ...reply(1).json, warnings: ['late'] } }, 'doubtful', 1],
  ];
  for (const [answer, type, faults] of answers) {
    const { beats, frames, stats } = world();
    const outcome = beats.send(beatOf('a'));
    await settle();
    frames[0]?.answer(answer);
    assert.equal((await outcome).type, type);
    assert.equal(stats.faults, faults);
    assert.equal(stats.socketBeats, 0);
  }
});
