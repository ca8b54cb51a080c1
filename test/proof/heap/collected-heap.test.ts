import { strictEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { collectedBytes } from './collected-heap.ts';

const BUFFERS = 200;
const BUFFER_BYTES = 100_000;
/** Of the 20 MB that are made: what the test itself leaves in the heap is far less. */
const NOISE_BYTES = 2_000_000;

test('what is held after a collection is counted, and dead buffers are not', async () => {
  await collectedBytes();
  const before = await collectedBytes();
  const held = buffers();
  const holding = (await collectedBytes()) - before;
  strictEqual(Math.abs(holding - held.length * BUFFER_BYTES) < NOISE_BYTES, true, `held: ${holding}`);
  held.length = 0;
  const after = (await collectedBytes()) - before;
  strictEqual(after < NOISE_BYTES, true, `held when all are dead: ${after}`);
});

function buffers(): Buffer[] {
  return Array.from({ length: BUFFERS }, () => Buffer.alloc(BUFFER_BYTES, 1));
}
