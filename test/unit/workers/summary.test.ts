import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addToSum, roundSum, ZERO_SUM } from '../../../src/base/exact-sum.ts';
import { JOB_DEFINITIONS, LEVELS } from '../../../src/protocol/metric.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { summaryAnswer } from '../../../src/workers/summary.ts';
import type { SummaryTask } from '../../../src/workers/task.ts';
import { bucketsOf, storeSeries, type TestSample } from '../../support/stored-series.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 0, 31, 12);
const TODAY_MS = Date.UTC(2026, 0, 31);

function task(more: Partial<SummaryTask> = {}): SummaryTask {
  return { type: 'summary', fromMs: 0, toMs: NOW_MS + DAY_MS, nowMs: NOW_MS, open: {}, ...more };
}

type Items = ReturnType<typeof summaryAnswer>['items'];

function valuesOf(items: Items, key: string): [string, number][] {
  return (items[key] ?? []).map(({ id, point }) => [id, point.value]);
}

test('both key families are always answered, also where nothing is known', () => {
  const { items } = summaryAnswer(new MemoryStore(), task());
  const short = ['jobSubmitted', 'runtime', 'spotProtection', 'timeSaved'];
  assert.deepEqual(Object.keys(items).sort(), [...JOB_DEFINITIONS.map(({ id }) => id), ...short].sort());
  assert.ok(Object.values(items).every((list) => list.length === 0));
});

test('there is one item a queue, with its name, its id in each family, and the newest bucket’s time', () => {
  const store = new MemoryStore();
  storeSeries(
    store,
    'queue-b/c d',
    'runtime',
    [
      [TODAY_MS + 60_000, 2],
      [TODAY_MS + 3_600_000, 3],
    ],
    NOW_MS,
  );
  storeSeries(store, 'queue-a', 'runtime', [[TODAY_MS, 1]], NOW_MS);
  storeSeries(store, 'system-total', 'runtime', [[TODAY_MS, 6]], NOW_MS);
  storeSeries(store, 'node-n', 'runtime', [[TODAY_MS, 6]], NOW_MS);
  const { items } = summaryAnswer(store, task());
  assert.deepEqual(items['metricDef-runtime'], [
    {
      id: 'metricDef-runtime.queue-a',
      point: { time: '2026-01-31T00:00:00Z', value: 1 },
      metaData: { queueName: 'a' },
    },
    {
      id: 'metricDef-runtime.queue-b/c d',
      point: { time: '2026-01-31T01:00:00Z', value: 5 },
      metaData: { queueName: 'b/c d' },
    },
  ]);
  assert.deepEqual(items['runtime'], [
    { ...items['metricDef-runtime'][0], id: 'runtime.queue-a' },
    { ...items['metricDef-runtime'][1], id: 'runtime.queue-b/c d' },
  ]);
});

test('a queue without a sample in the range has no item', () => {
  const store = new MemoryStore();
  storeSeries(store, 'queue-a', 'runtime', [[TODAY_MS, 1]], NOW_MS);
  const before = summaryAnswer(store, task({ toMs: TODAY_MS }));
  assert.deepEqual(before.items['metricDef-runtime'], []);
  assert.deepEqual(before.items['metricDef-jobCost'], []);
});

test('an averaged metric is sum ÷ count over the range, not an average of averages', () => {
  const store = new MemoryStore();
  const samples: TestSample[] = [
    [TODAY_MS, 10],
    [TODAY_MS + 1, 20],
    [TODAY_MS + 2, 30],
    [TODAY_MS + 3_600_000, 100],
  ];
  storeSeries(store, 'queue-a', 'checkpointTime', samples, NOW_MS);
  // (10 + 20 + 30 + 100) ÷ 4; the average of the two minutes' averages would be 60.
  assert.deepEqual(valuesOf(summaryAnswer(store, task()).items, 'metricDef-checkpointTime'), [
    ['metricDef-checkpointTime.queue-a', 40],
  ]);
});

test('what the aggregators still hold is in it, also of a queue that has no row yet', () => {
  const store = new MemoryStore();
  storeSeries(store, 'queue-a', 'runtime', [[TODAY_MS, 1]], NOW_MS);
  const held = (value: number) => [
    { metric: 'runtime', lastSeq: 9, buckets: bucketsOf(LEVELS[0], [[TODAY_MS + 5, value]]) },
  ];
  const { items } = summaryAnswer(store, task({ open: { 'queue-a': held(10), 'queue-new': held(20) } }));
  assert.deepEqual(valuesOf(items, 'runtime'), [
    ['runtime.queue-a', 11],
    ['runtime.queue-new', 20],
  ]);
});

const day = fc.integer({ min: -200, max: 1 }).map((days) => TODAY_MS + days * DAY_MS);
const sample: fc.Arbitrary<TestSample> = fc.tuple(
  fc.integer({ min: TODAY_MS - 200 * DAY_MS, max: NOW_MS }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
);

test('over whole days the sum is exact, whichever levels still hold the days', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 40 }), day, day, (samples, fromMs, toMs) => {
      const store = new MemoryStore();
      storeSeries(store, 'queue-a', 'jobCost', samples, NOW_MS);
      const inside = samples.filter(([timeMs]) => timeMs >= fromMs && timeMs < toMs);
      const sum = inside.reduce((total, [, value]) => addToSum(total, value), ZERO_SUM);
      const expected = inside.length === 0 ? [] : [['metricDef-jobCost.queue-a', roundSum(sum)]];
      assert.deepEqual(valuesOf(summaryAnswer(store, task({ fromMs, toMs })).items, 'metricDef-jobCost'), expected);
    }),
    { numRuns: 300 },
  );
});
