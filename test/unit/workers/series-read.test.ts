import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUILT_IN_DEFINITIONS, type BucketValue, type Definition, LEVELS } from '../../../src/protocol/metric.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { readBuckets, seriesAnswer } from '../../../src/workers/series-read.ts';
import type { OpenBuckets, SeriesTask } from '../../../src/workers/task.ts';
import { bucketsOf, storeSeries, type TestSample } from '../../support/stored-series.ts';

const [MINUTE, HALF_HOUR, DAY] = LEVELS;
const NOW_MS = Date.UTC(2026, 0, 31, 12);
const RUNTIME = BUILT_IN_DEFINITIONS.find(({ id }) => id === 'metricDef-runtime') as Definition;
const at = (clock: string): number => Date.parse(`2026-01-31T${clock}Z`);

/** Two samples in one minute, one in the next hour. */
const SAMPLES: readonly TestSample[] = [
  [at('08:00:10'), 3],
  [at('08:00:50'), 5],
  [at('09:15:00'), 7],
];

function storeWith(samples: readonly TestSample[] = SAMPLES, appliedSeq = 1): MemoryStore {
  const store = new MemoryStore();
  storeSeries(store, 'queue-q', 'runtime', samples, NOW_MS, appliedSeq);
  storeSeries(store, 'queue-q', 'coreTime', [[at('08:00:10'), 1_000]], NOW_MS);
  storeSeries(store, 'queue-qq', 'runtime', [[at('08:00:10'), 1_000]], NOW_MS);
  return store;
}

function task(more: Partial<SeriesTask> = {}): SeriesTask {
  const range = { fromMs: at('00:00:00'), toMs: at('12:00:00') };
  return {
    type: 'series',
    objectId: 'queue-q',
    definition: RUNTIME,
    level: '1m',
    ...range,
    value: 'sum',
    open: [],
    ...more,
  };
}

/** What the aggregator still holds: buckets of the finest level, from deliveries up to `lastSeq`. */
function open(lastSeq: number, samples: readonly TestSample[], metric = 'runtime'): OpenBuckets {
  return { metric, lastSeq, buckets: bucketsOf(MINUTE, samples) };
}

function pointsOf(store: MemoryStore, more: Partial<SeriesTask>): [string, number][] {
  return seriesAnswer(store, task(more)).points.map(({ time, value }) => [time.slice(11), value]);
}

test('a series has the form of the contract: its id, its points at the start of their buckets, whose it is', () => {
  assert.deepEqual(seriesAnswer(storeWith(), task()), {
    id: 'metricDef-runtime.queue-q',
    points: [
      { time: '2026-01-31T08:00:00Z', value: 8 },
      { time: '2026-01-31T09:15:00Z', value: 7 },
    ],
    metaData: { interval: '1m0s', queueName: 'q' },
  });
  assert.deepEqual(seriesAnswer(storeWith(), task({ objectId: 'node-n-1', level: '24h' })), {
    id: 'metricDef-runtime.node-n-1',
    points: [],
    metaData: { interval: '24h0m0s', nodeId: 'n-1' },
  });
  assert.deepEqual(seriesAnswer(storeWith(), task({ objectId: 'system-total' })).metaData, { interval: '1m0s' });
});

test('every level holds the same samples in its own buckets, aligned to UTC', () => {
  const store = storeWith();
  assert.deepEqual(pointsOf(store, { level: '30m' }), [
    ['08:00:00Z', 8],
    ['09:00:00Z', 7],
  ]);
  assert.deepEqual(pointsOf(store, { level: '24h' }), [['00:00:00Z', 15]]);
});

test('a bucket’s value is what is asked for', () => {
  const values: readonly (readonly [BucketValue, number])[] = [
    ['sum', 8],
    ['count', 2],
    ['avg', 4],
    ['min', 3],
    ['max', 5],
    ['last', 5],
  ];
  const store = storeWith([SAMPLES[1], SAMPLES[0]] as TestSample[]);
  for (const [value, expected] of values)
    assert.deepEqual(pointsOf(store, { value }), [['08:00:00Z', expected]], value);
});

test('a range begins with the bucket that holds its start, and ends before the bucket that starts at its end', () => {
  const store = storeWith();
  const clocks = (fromMs: number, toMs: number, level: SeriesTask['level'] = '1m'): string[] =>
    pointsOf(store, { fromMs, toMs, level }).map(([time]) => time);
  assert.deepEqual(clocks(at('08:00:59.999'), at('09:15:00')), ['08:00:00Z']);
  assert.deepEqual(clocks(at('08:01:00'), at('09:15:00.001')), ['09:15:00Z']);
  assert.deepEqual(clocks(at('08:01:00'), at('09:15:00')), []);
  assert.deepEqual(clocks(at('08:29:59'), at('09:00:00'), '30m'), ['08:00:00Z']);
  assert.deepEqual(clocks(at('11:59:00'), at('12:00:00'), '24h'), ['00:00:00Z']);
});

test('an empty or turned range has no points', () => {
  const store = storeWith();
  for (const [from, to] of [
    ['08:00:00', '08:00:00'],
    ['09:00:00', '08:00:00'],
  ] as const)
    assert.deepEqual(pointsOf(store, { fromMs: at(from), toMs: at(to) }), []);
});

test('points ascend across the chunks that hold them', () => {
  const samples = Array.from({ length: 600 }, (_, i): TestSample => [at('00:00:30') + ((i * 7) % 600) * 60_000, i]);
  const times = readBuckets(storeWith(samples), MINUTE, 'queue-q', 'runtime', at('00:00:00'), NOW_MS, []).map(
    ({ startMs }) => startMs,
  );
  assert.deepEqual(
    times,
    Array.from({ length: 600 }, (_, i) => at('00:00:00') + i * 60_000),
  );
});

test('what the aggregator still holds is added, at every level', () => {
  const more: readonly TestSample[] = [
    [at('08:00:20'), 100],
    [at('11:59:00'), 1],
  ];
  const store = storeWith();
  const held = [open(2, more), open(2, [[at('08:00:00'), 9_999]], 'coreTime')];
  assert.deepEqual(pointsOf(store, { open: held }), [
    ['08:00:00Z', 108],
    ['09:15:00Z', 7],
    ['11:59:00Z', 1],
  ]);
  assert.deepEqual(pointsOf(store, { open: held, level: '24h' }), [['00:00:00Z', 116]]);
});

test('what is in a chunk already is not added again', () => {
  // The chunk has deliveries up to 5; the aggregator was asked before it let go of them.
  const store = storeWith(SAMPLES, 5);
  assert.deepEqual(pointsOf(store, { open: [open(5, SAMPLES)] }), [
    ['08:00:00Z', 8],
    ['09:15:00Z', 7],
  ]);
  assert.deepEqual(pointsOf(store, { open: [open(6, [[at('09:15:30'), 2]])] }), [
    ['08:00:00Z', 8],
    ['09:15:00Z', 9],
  ]);
});

test('open buckets outside the range are left out', () => {
  const held = [
    open(2, [
      [at('07:59:59'), 1],
      [at('12:00:00'), 1],
    ]),
  ];
  assert.deepEqual(pointsOf(new MemoryStore(), { open: held, fromMs: at('08:00:00') }), []);
});

test('a series that was never stored has no buckets at any level', () => {
  for (const level of [MINUTE, HALF_HOUR, DAY])
    assert.deepEqual(readBuckets(storeWith(), level, 'queue-none', 'runtime', 0, NOW_MS, []), []);
});
