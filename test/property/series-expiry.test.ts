/**
 * Law: a series is known for as long as any level holds a bucket of it, whatever makers of samples remember and whichever thread is killed
 * when; once nothing is left of it, it is unknown after a few passes, and no longer counted; and a sample makes it again, exact.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEVELS } from '../../src/protocol/rollup-retention.ts';
import { companionsOf, LEAVING_MS, SERIES_LEASE_MS } from '../../src/store/series/series-index.ts';
import { DAY_MS, windowMsOf } from '../../src/store/series/series-layout.ts';
import fc from '../support/laws/fast-check.ts';
import { Killed, SeriesWorld } from '../support/series-world.ts';

const HOUR_MS = 3_600_000;
const COARSE = LEVELS[2];
/** No bucket is kept for longer. */
const GONE_MS = COARSE.retentionMs + 2 * windowMsOf(COARSE);
const SERIES = [
  ['queue-a', 'jobSubmitted'],
  ['queue-a', 'runtime'],
  ['queue-b', 'runtime'],
  ['node-1', 'cpuPercent'],
  ['node-1', 'memoryUsedMB'],
  ['node-2', 'cpuPercent'],
] as const;

type Command =
  | {
      readonly type: 'send';
      readonly places: readonly number[];
      readonly agoMs: number;
      readonly acknowledged: boolean;
    }
  /** A maker looks a series up and then fails to send. */
  | { readonly type: 'remember'; readonly place: number }
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'flush' }
  | { readonly type: 'keep'; readonly killAt: number | null; readonly late: number | null }
  | { readonly type: 'restart' };

const place = fc.nat(SERIES.length - 1);
const places = fc.uniqueArray(place, { minLength: 1, maxLength: 3 });
const send = fc.record({
  type: fc.constant('send' as const),
  places,
  agoMs: fc.oneof(
    fc.nat(HOUR_MS),
    fc.nat(160 * HOUR_MS),
    fc.nat(23 * HOUR_MS).map((ms) => -ms),
  ),
  acknowledged: fc.boolean(),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: send },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('remember' as const), place }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('pass' as const),
      ms: fc.oneof(fc.nat(HOUR_MS), fc.nat(SERIES_LEASE_MS), fc.nat(LEAVING_MS), fc.constant(70 * DAY_MS)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('flush' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('keep' as const),
      killAt: fc.option(fc.nat(4), { freq: 3 }),
      late: fc.option(place, { freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
);

let value = 0;

function sendTo(series: SeriesWorld, places: readonly number[], agoMs: number): void {
  const timeMs = series.nowMs - agoMs;
  series.send(
    places.map((at) => {
      const [objectId, metric] = SERIES[at] as (typeof SERIES)[number];
      return { objectId, metric, timeMs, subNs: 0, value: ++value / 10 };
    }),
  );
}

async function carryOut(series: SeriesWorld, command: Command): Promise<void> {
  switch (command.type) {
    case 'send':
      sendTo(series, command.places, command.agoMs);
      if (command.acknowledged) series.world.settle();
      else series.world.turn();
      return;
    case 'remember': {
      const [objectId, metric] = SERIES[command.place] as (typeof SERIES)[number];
      series.known.age(series.nowMs);
      series.known.find(series.world.store, objectId, metric);
      return;
    }
    case 'pass':
      series.pass(command.ms, 3);
      return;
    case 'flush':
      series.flushAll();
      return;
    case 'keep':
      return keep(series, command.killAt, command.late);
    case 'restart':
      series.restart();
  }
}

async function keep(series: SeriesWorld, killAt: number | null, late: number | null): Promise<void> {
  let commits = 0;
  series.beforeCommit = () => {
    // Between what the pool has read and what main commits, a sample comes.
    if (commits === 0 && late !== null) {
      sendTo(series, [late], 0);
      series.world.settle();
    }
    if (commits++ === killAt) throw new Killed();
  };
  const ended = await series.keep();
  series.beforeCommit = () => {};
  if (!ended) series.restart();
}

/** Whether a sample that some level must hold was acknowledged of the series, or of one that goes with it. */
function mustBeKnown(series: SeriesWorld, objectId: string, metric: string): boolean {
  const together = companionsOf(objectId, metric);
  return series.taken.some(
    (sample) =>
      sample.objectId === objectId &&
      together.includes(sample.metric) &&
      sample.timeMs >= series.nowMs - COARSE.retentionMs,
  );
}

function check(series: SeriesWorld): void {
  for (const [objectId, metric] of SERIES) {
    const name = `${objectId} ${metric}`;
    if (mustBeKnown(series, objectId, metric)) assert.ok(series.isKnown(objectId, metric), `${name} was forgotten`);
    const range = [objectId, metric, COARSE, series.nowMs - COARSE.retentionMs, series.nowMs + DAY_MS, 'sum'] as const;
    assert.deepEqual(series.points(...range), series.expectedPoints(...range), name);
  }
}

/** Time passes until nothing is left of what was sent before. */
async function outlive(series: SeriesWorld): Promise<void> {
  series.world.settle();
  series.pass(GONE_MS, 4);
  series.flushAll();
}

/** Makes samples of some series, outlives them, and lets things happen; then time passes until nothing is left. */
async function live(first: readonly number[], commands: readonly Command[]): Promise<SeriesWorld> {
  const series = new SeriesWorld();
  sendTo(series, first, 0);
  await outlive(series);
  for (const step of commands) {
    await carryOut(series, step);
    if (series.world.inFlight === 0) check(series);
  }
  sendTo(series, first, 0);
  await outlive(series);
  return series;
}

const commands = fc.array(command, { maxLength: 10 });
const OPTIONS = {
  numRuns: Math.ceil(Number(process.env['CAIRN_PROPERTY_RUNS'] ?? 40) / 14),
  includeErrorInReport: true,
};

test('a series is known as long as a bucket of it is kept, and is gone some days later', async () => {
  await fc.assert(
    fc.asyncProperty(places, commands, async (first, steps) => {
      const series = await live(first, steps);
      await series.keep();
      check(series);
      series.pass(LEAVING_MS, 2);
      await series.keep();
      for (const table of ['series', 'leaving', 'chunk', 'block'] as const)
        assert.equal(series.world.store.count(table), 0, table);
      for (const [objectId, metric] of SERIES) assert.equal(series.isKnown(objectId, metric), false);
      sendTo(series, first, 0);
      series.world.settle();
      check(series);
      assert.deepEqual(series.world.crashes, []);
    }),
    OPTIONS,
  );
});

test('a sample that comes while its series is being removed makes it again', async () => {
  await fc.assert(
    fc.asyncProperty(places, commands, fc.nat(1), async (first, steps, pass) => {
      const series = await live(first, steps);
      const late = first[0] as number;
      await keep(series, null, pass === 0 ? late : null);
      check(series);
      series.pass(LEAVING_MS, 2);
      await keep(series, null, pass === 1 ? late : null);
      check(series);
      series.pass(LEAVING_MS, 2);
      await series.keep();
      const [objectId, metric] = SERIES[late] as (typeof SERIES)[number];
      assert.ok(series.isKnown(objectId, metric));
      check(series);
    }),
    OPTIONS,
  );
});

test('a series comes back where a sample came from somebody who remembered it', async () => {
  // Nearly a lease later and a day ahead, its bucket is neither rolled nor, if it was not flushed, in the store when it counts.
  const sentAfter = fc.constantFrom(0, 0.5, 0.99, 0.99);
  const aheadMs = fc.constantFrom(0, 23 * HOUR_MS, 23 * HOUR_MS);
  await fc.assert(
    fc.asyncProperty(places, commands, sentAfter, aheadMs, fc.boolean(), async (first, steps, part, ahead, flushed) => {
      const series = await live(first, steps);
      for (const at of first) await carryOut(series, { type: 'remember', place: at });
      await series.keep();
      const endMs = series.nowMs + LEAVING_MS;
      series.pass(part * SERIES_LEASE_MS, 2);
      sendTo(series, first, -ahead);
      series.world.settle();
      check(series);
      if (flushed) series.flushAll();
      series.restart();
      series.pass(endMs - series.nowMs, 2);
      await series.keep();
      check(series);
      assert.equal(series.world.store.count('leaving'), 0);
    }),
    OPTIONS,
  );
});
