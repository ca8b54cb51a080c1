/** Messages as lmdb 3.5.6 gave them; which of them overran its buffer was seen with glibc's checks of the heap. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasDamagedHeap } from '../../../../src/store/kv/heap-damage.ts';

const ERROR = 'Input/output error: Attempting to write page at position';

test('a text that fits into its buffer has damaged nothing', () => {
  assert.equal(hasDamagedHeap(new Error(`${ERROR} 8192, size 4096, blocks 1, buffer sizes 4096 4096 4096`)), false);
  // 99 characters and a zero byte: the buffer is full.
  assert.equal(
    hasDamagedHeap(new Error(`${ERROR} 53248, size 4096, blocks 1, buffer sizes 4096 -1673442688 4096`)),
    false,
  );
  assert.equal(hasDamagedHeap(new Error('No space left on device')), false);
  assert.equal(
    hasDamagedHeap(new Error(`Something else that is longer than a hundred characters ${'x'.repeat(100)}`)),
    false,
  );
});

test('a text that does not has overwritten what stands behind it', () => {
  assert.equal(
    hasDamagedHeap(new Error(`${ERROR} 106496, size 4096, blocks 1, buffer sizes 4096 -1672527848 4096`)),
    true,
  );
  assert.equal(
    hasDamagedHeap(new Error(`${ERROR} 8192, size 4096, blocks 1, buffer sizes 4096 1713608401 -1589083488`)),
    true,
  );
});
