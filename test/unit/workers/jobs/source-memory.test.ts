import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { Cost } from '../../../../src/workers/jobs/cost.ts';
import { RangeSource } from '../../../../src/workers/jobs/source.ts';

test('endings of rows share memory, and are those of their keys', () => {
  const store = new MemoryStore();
  const batch = new WriteBatch();
  for (let i = 0; i < 60; i++) batch.put('jobIndex', Uint8Array.of(7, 7, 1, i), new Uint8Array(0));
  store.commit([batch.seal()]);
  store.refresh();
  const range = { table: 'jobIndex', prefix: Uint8Array.of(7, 7), descending: false } as const;
  const source = new RangeSource(store, range, new Cost());
  const endings: Uint8Array[] = [];
  for (let at = source.seek(null, false); at; at = source.seek(at, true)) endings.push(at);
  assert.deepEqual(
    endings.map((ending) => [...ending]),
    Array.from({ length: 60 }, (_, i) => [1, i]),
  );
  assert.ok(new Set(endings.map(({ buffer }) => buffer)).size <= 3, 'not each has memory of its own');
});
