/** When V8 is told how far to let heaps grow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LARGE_BYTES, letSmallHeapsGrow, watchHeapGrowth } from '../../../../../src/actors/shard/host/heap-growth.ts';

test('a heap of usual size keeps its room, and once it is large V8 is told so, once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const flags: string[] = [];
  let used = LARGE_BYTES - 1;
  watchHeapGrowth({ usedBytes: () => used, setFlag: (flag) => flags.push(flag) }, 1_000);
  for (let i = 0; i < 5; i++) t.mock.timers.tick(1_000);
  assert.deepEqual(flags, []);
  used = LARGE_BYTES;
  t.mock.timers.tick(1_000);
  assert.deepEqual(flags, ['--heap-growing-percent=40']);
  for (let i = 0; i < 5; i++) t.mock.timers.tick(1_000);
  assert.equal(flags.length, 1);
});

test('small heaps have room for three times what lives on them', () => {
  const flags: string[] = [];
  letSmallHeapsGrow({ usedBytes: () => 0, setFlag: (flag) => flags.push(flag) });
  assert.deepEqual(flags, ['--heap-growing-percent=200']);
});
