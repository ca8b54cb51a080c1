import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { compareKeys } from '../../../../src/store/kv/keys.ts';
import {
  blockKey,
  blockRange,
  chunkKey,
  chunkRange,
  chunksBefore,
  DAY_MS,
  dayOf,
  partitionOf,
  readBlockKey,
  readChunkKey,
  SLICES,
  SLICES_PER_PARTITION,
  sliceOf,
  windowMsOf,
  windowStartOf,
} from '../../../../src/store/series/series-layout.ts';

const NOON = Date.UTC(2026, 0, 31, 12);

test('an object’s slice is what it was when its buckets were written', () => {
  assert.deepEqual(
    ['system-total', 'queue-blue', 'queue-a/b c', 'node-i-0abc', 'rack-7'].map(sliceOf),
    [73, 134, 140, 926, 1292],
    'places on disk must never change',
  );
});

test('queues and the system total are in the first partition, and nothing else is', () => {
  for (let i = 0; i < 500; i++) {
    assert.equal(partitionOf(`queue-${i}`), 0);
    assert.notEqual(partitionOf(`node-i-${i}`), 0);
    assert.ok(sliceOf(`node-i-${i}`) < SLICES);
  }
  assert.equal(partitionOf('system-total'), 0);
});

test('objects that are alike spread over the slices', () => {
  const used = new Set(Array.from({ length: 4_000 }, (_, i) => sliceOf(`node-i-${i.toString(16).padStart(17, '0')}`)));
  // 4,000 objects thrown at 3,840 slices at random meet about 2,485 of them.
  assert.ok(used.size > 2_300, `${used.size} slices`);
});

test('keys sort by level, time, slice and sequence, and are read as they were written', () => {
  const [fine, middle] = LEVELS;
  const keys = [
    chunkKey(fine, 0, 0),
    chunkKey(fine, 0, 255),
    chunkKey(fine, 0, 256),
    chunkKey(fine, windowMsOf(fine), 3),
    chunkKey(middle, 0, 0),
  ];
  assert.deepEqual([...keys].sort(compareKeys), keys);
  assert.deepEqual(readChunkKey(chunkKey(middle, DAY_MS, 4_095)), { level: middle, windowMs: DAY_MS, slice: 4_095 });
  const block = { windowMs: windowStartOf(fine, NOON), slice: 300, seq: 2 ** 40 };
  assert.deepEqual(readBlockKey(blockKey(block.windowMs, block.slice, block.seq)), block);
  assert.ok(compareKeys(blockKey(0, 1, 9), blockKey(0, 1, 10)) < 0);
});

test('a range holds its slices and no others, also to the last slice', () => {
  const inside = ({ start, end }: { start: Uint8Array; end: Uint8Array }, key: Uint8Array): boolean =>
    compareKeys(start, key) <= 0 && compareKeys(key, end) < 0;
  const [fine] = LEVELS;
  assert.ok(inside(chunkRange(fine, 0, 255), chunkKey(fine, 0, 255)));
  assert.ok(!inside(chunkRange(fine, 0, 255), chunkKey(fine, 0, 256)));
  assert.ok(inside(chunkRange(fine, 0, 0, SLICES), chunkKey(fine, 0, SLICES - 1)));
  assert.ok(!inside(chunkRange(fine, 0, 0, SLICES), chunkKey(fine, windowMsOf(fine), 0)));
  assert.ok(inside(blockRange(0, SLICES - 1), blockKey(0, SLICES - 1, Number.MAX_SAFE_INTEGER)));
  assert.ok(!inside(blockRange(0, 1), blockKey(0, 2, 0)));
  assert.ok(inside(chunksBefore(fine, DAY_MS), chunkKey(fine, DAY_MS - windowMsOf(fine), 7)));
  assert.ok(!inside(chunksBefore(fine, DAY_MS), chunkKey(fine, DAY_MS, 0)));
});

test('windows and days begin at whole ones', () => {
  assert.equal(dayOf(NOON), NOON - DAY_MS / 2);
  assert.equal(SLICES % SLICES_PER_PARTITION, 0);
  for (const level of LEVELS) {
    const start = windowStartOf(level, NOON);
    assert.ok(start <= NOON && NOON < start + windowMsOf(level));
    assert.equal(start % windowMsOf(level), 0);
    // A rollup replaces whole days, so a day never spans two coarse windows.
    assert.equal(level.name === '1m' ? DAY_MS % windowMsOf(level) : windowMsOf(level) % DAY_MS, 0);
  }
});
