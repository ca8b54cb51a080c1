import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder } from '../../../../src/workers/jobs/in-order.ts';
import fc from '../../../support/laws/fast-check.ts';

test('items come in order, each as often as it is there, and the list stays as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -20, max: 20 })), (numbers) => {
      const before = [...numbers];
      assert.deepEqual(
        [...inOrder(numbers, (a, b) => a - b)],
        [...numbers].sort((a, b) => a - b),
      );
      assert.deepEqual(numbers, before);
    }),
  );
});
