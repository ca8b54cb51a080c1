/** A step of the series compaction is one transaction, and a heartbeat may have to wait for it: what it moves has a bound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { visitWrites } from '../../../../src/store/kv/write-batch.ts';
import type { Bucket } from '../../../../src/store/series/bucket.ts';
import { blockKey, chunkKey, windowMsOf } from '../../../../src/store/series/series-layout.ts';
import { encodeSegment } from '../../../../src/store/series/series-segment.ts';
import { mergeBlocks } from '../../../../src/workers/series/merge-blocks.ts';
import { expiredChunks } from '../../../../src/workers/series/retention.ts';
import type { SeriesWrites } from '../../../../src/workers/task/task.ts';
import { writeAll } from '../../../support/write-all.ts';

const [FINE] = LEVELS;
const SLICES = 200;
const BYTES_MAX = 20_000;

/** A bucket of each of so many series, in one block. */
function block(series: number): Uint8Array {
  const bucket: Bucket = { startMs: 0, count: 1, sum: [1], min: 1, max: 1, last: 1, lastMs: 0, lastNs: 0 };
  const objects = Array.from({ length: series }, (_, i) => [`node-${i}`, new Map([['cpuPercent', [bucket]]])] as const);
  return encodeSegment(new Map(objects), 0, FINE.intervalMs);
}

test('a merge moves a bounded number of bytes a step, those that go counted too, and comes to its end', () => {
  const store = new MemoryStore();
  const value = block(20);
  for (let slice = 0; slice < SLICES; slice++)
    writeAll(store, [{ table: 'block', key: blockKey(0, slice, 1), value: block(20) }]);
  // Five blocks of one slice are merged to about the size of one.
  for (let slice = 0; slice < SLICES; slice++)
    for (let seq = 2; seq <= 5; seq++) writeAll(store, [{ table: 'block', key: blockKey(0, slice, seq), value }]);
  let afterKey: Uint8Array | null = null;
  do {
    const done: SeriesWrites = mergeBlocks(store, {
      type: 'mergeBlocks',
      beforeMs: windowMsOf(FINE),
      afterKey,
      bytesMax: BYTES_MAX,
    });
    let moved = 0;
    visitWrites(done.writes, {
      put: (_, key, bytes) => {
        moved += key.byteLength + bytes.byteLength;
      },
      remove: (table, key) => {
        moved += store.get(table, key)?.byteLength ?? 0;
      },
    });
    assert.ok(moved < BYTES_MAX + 10 * value.byteLength, `${moved} bytes in one step`);
    store.commit([done.writes]);
    afterKey = done.nextKey;
  } while (afterKey);
  assert.equal(store.count('block'), 0);
  assert.equal(store.count('chunk'), SLICES);
});

test('chunks that go are as many as one step may free, and at least one', () => {
  const store = new MemoryStore();
  for (let slice = 0; slice < SLICES; slice++)
    writeAll(store, [{ table: 'chunk', key: chunkKey(FINE, 0, slice), value: new Uint8Array(5_000) }]);
  const task = { type: 'expiredChunks', beforeMs: { '1m': 1, '30m': 1 } } as const;
  assert.equal(expiredChunks(store, { ...task, limit: 500, bytesMax: BYTES_MAX }).length, 4);
  assert.equal(expiredChunks(store, { ...task, limit: 3, bytesMax: BYTES_MAX }).length, 3);
  assert.equal(expiredChunks(store, { ...task, limit: 500, bytesMax: 1 }).length, 1);
});
