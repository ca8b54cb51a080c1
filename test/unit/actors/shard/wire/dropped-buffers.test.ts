import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropBuffers } from '../../../../../src/actors/shard/wire/dropped-buffers.ts';

test('large buffers are let go at once, also where several arrays show one; small ones are left', () => {
  const large = new Uint8Array(100_000);
  const part = large.subarray(10, 20);
  const small = new Uint8Array(100);
  dropBuffers([large, part, small, large]);
  assert.deepEqual([large.byteLength, part.byteLength, small.byteLength], [0, 0, 100]);
});

test('what is gone already is no fault', () => {
  const bytes = new Uint8Array(100_000);
  structuredClone(null, { transfer: [bytes.buffer] });
  dropBuffers([bytes]);
  dropBuffers([]);
  assert.equal(bytes.byteLength, 0);
});
