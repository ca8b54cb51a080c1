import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RingBuffer } from '../../../src/base/ring-buffer.ts';

test('what is pushed comes out in the same order, also around the end and across a growth', () => {
  const ring = new RingBuffer<number>(100);
  for (let i = 0; i < 6; i++) ring.push(i);
  for (let i = 0; i < 4; i++) assert.equal(ring.shift(), i);
  for (let i = 6; i < 60; i++) assert.equal(ring.push(i), true);
  for (let i = 4; i < 60; i++) assert.equal(ring.shift(), i);
  assert.equal(ring.shift(), undefined);
});

test('a full ring takes nothing and says so', () => {
  const ring = new RingBuffer<string>(2);
  assert.equal(ring.push('a'), true);
  assert.equal(ring.push('b'), true);
  assert.equal(ring.push('c'), false);
  assert.equal(ring.size, 2);
  assert.equal(ring.shift(), 'a');
  assert.equal(ring.push('d'), true);
  assert.deepEqual([ring.shift(), ring.shift(), ring.shift()], ['b', 'd', undefined]);
});

test('a look at the first leaves it there', () => {
  const ring = new RingBuffer<string>(2);
  assert.equal(ring.peek(), undefined);
  ring.push('a');
  assert.equal(ring.peek(), 'a');
  assert.equal(ring.size, 1);
});

for (const capacity of [0, -1, 1.5, Number.NaN]) {
  test(`a ring of ${capacity} entries is refused`, () => {
    assert.throws(() => new RingBuffer(capacity), RangeError);
  });
}
