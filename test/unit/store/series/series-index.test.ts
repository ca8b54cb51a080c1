import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { hasSeries, QUEUE_METRICS, seriesRows } from '../../../../src/store/series/series-index.ts';

test('a series is there once its row is, and no other with it', () => {
  const store = new MemoryStore();
  const batch = new WriteBatch();
  for (const { table, key, value } of seriesRows('queue-a', ['runtime', 'jobCost'])) batch.put(table, key, value);
  store.commit([batch.seal()]);
  assert.ok(hasSeries(store, 'queue-a', 'runtime'));
  assert.ok(hasSeries(store, 'queue-a', 'jobCost'));
  for (const [objectId, metric] of [
    ['queue-a', 'run'],
    ['queue-a', 'runtime2'],
    ['queue', 'a'],
    ['queue-', 'aruntime'],
    ['queue-b', 'runtime'],
  ] as const)
    assert.ok(!hasSeries(store, objectId, metric), `${objectId} ${metric}`);
});

test('a queue has every job metric, by its short name', () => {
  assert.equal(QUEUE_METRICS.length, 18);
  assert.ok(QUEUE_METRICS.includes('jobSubmitted'));
  assert.ok(QUEUE_METRICS.every((metric) => !metric.startsWith('metricDef-')));
});
