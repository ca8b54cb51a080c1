/** Law: a ring buffer equals a plain list under any sequence of commands. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RingBuffer } from '../../src/base/ring-buffer.ts';
import fc from '../support/laws/fast-check.ts';

const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('push' as const), count: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('shift' as const), count: fc.integer({ min: 1, max: 20 }) }) },
);

test('a ring buffer equals a list', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.array(command, { maxLength: 60 }), (capacity, commands) => {
      const ring = new RingBuffer<number>(capacity);
      const model: number[] = [];
      let next = 0;
      for (const { type, count } of commands) {
        for (let i = 0; i < count; i++) {
          if (type === 'push') {
            const fits = model.length < capacity;
            assert.equal(ring.push(next), fits);
            if (fits) model.push(next);
            next++;
          } else assert.equal(ring.shift(), model.shift());
          assert.equal(ring.size, model.length);
          assert.equal(ring.peek(), model[0]);
        }
      }
    }),
    { numRuns: 200 },
  );
});
