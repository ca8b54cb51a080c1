import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { agentLog } from '../../../../agent/base/log.ts';
import { LogState } from '../../../../agent/ship/log-state.ts';
import type { StepResult } from '../../../../agent/ship/log-tail.ts';
import { joined, pauseMs, type Round, Shipper, type Tail } from '../../../../agent/ship/shipper.ts';
import { seededRandom } from '../../../../src/base/random.ts';
import { ManualTimers } from '../manual-timers.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const NOTHING: Round = { moved: false, lingers: false, more: false, failed: false, retryAfterMs: null };
const SENT: StepResult = { type: 'sent', more: false };
const later = (retryAfterMs: number | null): StepResult => ({
  type: 'failed',
  outcome: { type: 'later', reason: 'gone', retryAfterMs },
});

class FakeTail implements Tail {
  readonly path: string;
  steps = 0;
  isClosed = false;
  readonly #results: (StepResult | Error)[];

  constructor(path: string, results: (StepResult | Error)[]) {
    this.path = path;
    this.#results = results;
  }

  async step(): Promise<StepResult> {
    this.steps++;
    const result = this.#results.shift() ?? { type: 'idle' };
    if (result instanceof Error) throw result;
    return result;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

interface World {
  readonly shipper: Shipper;
  readonly timers: ManualTimers;
  readonly lines: string[];
  readonly link: { isUp: boolean };
  /** Lets the round that has begun come to its end. */
  settle(): Promise<void>;
}

function world(context: TestContext, tails: Tail[]): World {
  const timers = new ManualTimers();
  const lines: string[] = [];
  const link = { isUp: true };
  const shipper = new Shipper({
    tails,
    state: new LogState(temporaryFolder(context)),
    isUp: () => link.isUp,
    beatMs: () => 30_000,
    timers,
    random: { ...seededRandom(1), between: (_low, high) => high },
    log: agentLog(
      'info',
      (line) => lines.push(line),
      () => 0,
    ),
  });
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { shipper, timers, lines, link, settle };
}

test('files that grow are looked at each second, resting ones every five, and a backlog four times a second', () => {
  assert.equal(pauseMs({ ...NOTHING, moved: true }), 1_000);
  assert.equal(pauseMs({ ...NOTHING, lingers: true }), 1_000);
  assert.equal(pauseMs(NOTHING), 5_000);
  assert.equal(pauseMs({ ...NOTHING, moved: true, more: true }), 250);
});

test('a round is the sum of its files', () => {
  const results: StepResult[] = [
    { type: 'idle' },
    { type: 'sent', more: true },
    { type: 'lingers' },
    later(3_000),
    later(1_000),
  ];
  assert.deepEqual(results.reduce(joined, NOTHING), {
    moved: true,
    lingers: true,
    more: true,
    failed: true,
    retryAfterMs: 3_000,
  });
  assert.deepEqual(joined(NOTHING, later(null)), { ...NOTHING, failed: true });
  assert.deepEqual(joined(NOTHING, { type: 'settled' }), { ...NOTHING, lingers: true });
});

test('every file has its turn in every round, and a step that only settles is followed by the next', async (context) => {
  const busy = new FakeTail('/a', [{ type: 'settled' }, { type: 'settled' }, { type: 'sent', more: true }, SENT]);
  const calm = new FakeTail('/b', [SENT]);
  const { shipper, timers, settle } = world(context, [busy, calm]);
  shipper.wake();
  await settle();
  assert.deepEqual([busy.steps, calm.steps], [3, 1]);
  assert.equal(timers.nextMs, 250);
  timers.advance(250);
  await settle();
  assert.deepEqual([busy.steps, calm.steps], [4, 2]);
  assert.equal(timers.nextMs, 1_000);
});

test('a file that settles for ever does not hold the others', async (context) => {
  const tail = new FakeTail(
    '/a',
    Array.from({ length: 100 }, (): StepResult => ({ type: 'settled' })),
  );
  const { shipper, settle } = world(context, [tail]);
  shipper.wake();
  await settle();
  assert.equal(tail.steps, 4);
});

test('after a failure the next look is later each time, and as late as the server asked', async (context) => {
  const tail = new FakeTail('/a', [later(null), later(null), later(10_000), SENT]);
  const { shipper, timers, settle, lines } = world(context, [tail]);
  const waits: (number | undefined)[] = [];
  shipper.wake();
  for (let i = 0; i < 4; i++) {
    await settle();
    waits.push(timers.nextMs);
    timers.advance(timers.nextMs ?? 0);
  }
  assert.deepEqual(waits, [500, 1_000, 12_000, 1_000]);
  assert.equal(lines.filter((line) => line.includes('cannot ship /a: gone')).length, 1, 'a reason is told once');
});

test('a file that cannot be read is told once, and the others go on', async (context) => {
  const bad = new FakeTail('/bad', [new Error('EACCES'), new Error('EACCES')]);
  const good = new FakeTail('/good', [SENT, SENT]);
  const { shipper, timers, settle, lines } = world(context, [bad, good]);
  shipper.wake();
  await settle();
  timers.advance(1_000);
  await settle();
  assert.deepEqual([bad.steps, good.steps], [2, 2]);
  assert.deepEqual(
    lines.map((line) => line.slice(25)),
    ['error cannot ship /bad: EACCES\n'],
  );
});

test('while the server is away nothing is looked at, and there is no timer; it is woken when the server is back', async (context) => {
  const tail = new FakeTail('/a', [SENT]);
  const { shipper, timers, link, settle } = world(context, [tail]);
  link.isUp = false;
  shipper.wake();
  await settle();
  assert.deepEqual([tail.steps, timers.count], [0, 0]);
  link.isUp = true;
  shipper.wake();
  await settle();
  assert.deepEqual([tail.steps, timers.count], [1, 1]);
});

test('waking twice makes one round and one timer', async (context) => {
  const tail = new FakeTail('/a', []);
  const { shipper, timers, settle } = world(context, [tail]);
  shipper.wake();
  shipper.wake();
  await settle();
  shipper.wake();
  await settle();
  assert.deepEqual([tail.steps, timers.count], [2, 1]);
});

test('finishing sends round after round without pauses, and closing lets go of the files', async (context) => {
  const tail = new FakeTail('/a', [
    { type: 'sent', more: true },
    { type: 'sent', more: true },
    SENT,
    { type: 'lingers' },
  ]);
  const { shipper, timers } = world(context, [tail]);
  await shipper.finish();
  assert.equal(tail.steps, 4);
  shipper.wake();
  await shipper.close();
  assert.deepEqual([tail.steps, tail.isClosed, timers.count], [4, true, 0]);
});
