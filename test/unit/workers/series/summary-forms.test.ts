/** A summary says the same in each of its forms, and of some keys what it says of them among all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SUMMARY_KEYS, type Summary } from '../../../../src/protocol/metric.ts';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import type { Bucket } from '../../../../src/store/series/bucket.ts';
import { chunkKey, sliceOf, windowMsOf } from '../../../../src/store/series/series-layout.ts';
import { encodeSegment } from '../../../../src/store/series/series-segment.ts';
import { summaryAnswer } from '../../../../src/workers/series/summary.ts';
import type { SummaryTask } from '../../../../src/workers/task/task.ts';
import { writeAll } from '../../../support/write-all.ts';

const [FINE] = LEVELS;
const WINDOW_MS = windowMsOf(FINE);
const METRICS: Readonly<Record<string, readonly string[]>> = {
  a: ['runtime', 'jobSubmitted'],
  'b "quoted"': ['runtime', 'spotProtection'],
  c: ['jobCost'],
};

function storeOf(): MemoryStore {
  const store = new MemoryStore();
  Object.entries(METRICS).forEach(([queue, metrics], q) => {
    const series = metrics.map((metric, m) => {
      const buckets = [5, 65, 100].map((minute, i): Bucket => {
        const [startMs, value] = [minute * FINE.intervalMs, q + m / 4 + i];
        return { startMs, count: 1, sum: [value], min: value, max: value, last: value, lastMs: startMs, lastNs: 0 };
      });
      return [metric, buckets] as const;
    });
    const value = encodeSegment(new Map([[`queue-${queue}`, new Map(series)]]), 0, FINE.intervalMs);
    writeAll(store, [{ table: 'chunk', key: chunkKey(FINE, 0, sliceOf(`queue-${queue}`)), value }]);
  });
  return store;
}

function ask(store: MemoryStore, more: Partial<SummaryTask> = {}): string {
  const range = { fromMs: WINDOW_MS / 2, toMs: WINDOW_MS, nowMs: WINDOW_MS };
  const forms = { format: 'json', keys: null, open: [], queues: null } as const;
  return Buffer.from(summaryAnswer(store, { type: 'summary', ...range, ...forms, ...more })).toString('utf8');
}

interface Columns {
  readonly queueNames: readonly string[];
  readonly items: Readonly<
    Record<string, { readonly times: readonly (string | null)[]; readonly values: readonly (number | null)[] }>
  >;
}

/** The items that the columns tell of. */
function itemsOf({ queueNames, items }: Columns): Summary['items'] {
  return Object.fromEntries(
    Object.entries(items).map(([key, { times, values }]) => {
      assert.equal(times.length, queueNames.length);
      assert.equal(values.length, queueNames.length);
      const found = queueNames.flatMap((queueName, i) => {
        const [time, value] = [times[i], values[i]];
        if (time === null || time === undefined || value === null || value === undefined) return [];
        return [{ id: `${key}.queue-${queueName}`, point: { time, value }, metaData: { queueName } }];
      });
      return [key, found];
    }),
  );
}

test('columns tell what the items tell', () => {
  const store = storeOf();
  const { items } = JSON.parse(ask(store)) as Summary;
  assert.equal(items['runtime']?.length, 2);
  const columns = JSON.parse(ask(store, { format: 'columns' })) as Columns;
  assert.deepEqual(columns.queueNames, ['a', 'b "quoted"', 'c']);
  assert.deepEqual(itemsOf(columns), items);
});

test('with fields there are these keys, in the summary’s order, and only queues that have one of them', () => {
  const store = storeOf();
  const { items } = JSON.parse(ask(store)) as Summary;
  const keys = SUMMARY_KEYS.filter((key) => ['spotProtection', 'metricDef-runtime'].includes(key));
  const some = JSON.parse(ask(store, { keys })) as Summary;
  assert.deepEqual(Object.keys(some.items), keys);
  for (const key of keys) assert.deepEqual(some.items[key], items[key]);
  const columns = JSON.parse(ask(store, { keys, format: 'columns' })) as Columns;
  assert.deepEqual(columns.queueNames, ['a', 'b "quoted"']);
  assert.deepEqual(itemsOf(columns), some.items);
  const lines = ask(store, { keys, format: 'csv' }).trim().split('\n');
  assert.equal(lines.length, 1 + keys.reduce((sum, key) => sum + (items[key]?.length ?? 0), 0));
});

test('a question of some keys does not spoil the next one of all', () => {
  const store = storeOf();
  const before = ask(store);
  ask(store, { keys: ['jobSubmitted'] });
  assert.equal(ask(store), before);
});
