import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownSeries } from '../../../../src/actors/aggregator/known-series.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { SERIES_LEASE_MS, seriesRows } from '../../../../src/store/series/series-index.ts';

test('a series is known once it was found in the store, or was added', () => {
  const store = new MemoryStore();
  const known = new KnownSeries();
  assert.equal(known.find(store, 'node-a', 'cpuPercent'), false);
  const batch = new WriteBatch();
  for (const { table, key, value } of seriesRows('node-a', ['cpuPercent'])) batch.put(table, key, value);
  store.commit([batch.seal()]);
  assert.equal(known.has('node-a', 'cpuPercent'), false);
  assert.equal(known.find(store, 'node-a', 'cpuPercent'), true);
  assert.equal(known.has('node-a', 'cpuPercent'), true);
  known.add('node-a', 'x');
  assert.deepEqual(
    [known.has('node-a', 'x'), known.has('node-a', 'y'), known.has('node-b', 'x')],
    [true, false, false],
  );
});

test('several of an object are added at once, to those that are known', () => {
  const known = new KnownSeries();
  known.add('node-a', 'x');
  known.addAll('node-a', ['y', 'z']);
  known.addAll('node-a', ['z', 'w']);
  known.addAll('node-b', ['y']);
  assert.equal(known.hasAll(['node-a'], ['x', 'y', 'z', 'w']), true);
  assert.deepEqual([known.has('node-b', 'y'), known.has('node-b', 'x')], [true, false]);
});

test('what is known is bounded: the oldest half is forgotten, and what is used again is kept', () => {
  const known = new KnownSeries();
  for (let i = 0; i < 65_536; i++) known.add(`node-${i}`, 'x');
  known.add('node-new', 'x');
  assert.equal(known.has('node-0', 'x'), true, 'the last half is still there');
  known.add('node-0', 'x');
  for (let i = 0; i < 65_536; i++) known.add(`other-${i}`, 'x');
  assert.equal(known.has('node-1', 'x'), false);
  assert.equal(known.has('node-0', 'x'), true);
});

test('nothing is known for longer than a lease, nor after the clock was set back', () => {
  const known = new KnownSeries();
  known.age(0);
  known.add('node-a', 'x');
  known.age(SERIES_LEASE_MS - 1);
  assert.equal(known.has('node-a', 'x'), true);
  known.add('node-a', 'y');
  known.age(SERIES_LEASE_MS);
  assert.deepEqual([known.has('node-a', 'x'), known.has('node-a', 'y')], [false, true], 'each by its own time');
  known.age(SERIES_LEASE_MS - 1);
  assert.equal(known.has('node-a', 'y'), false);
});
