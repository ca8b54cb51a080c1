import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionError, assert as ours, unreachable } from '../../../src/base/assert.ts';

test('a true condition passes and a false one throws what it says', () => {
  ours(1, 'never');
  assert.throws(
    () => ours(0, 'a batch is out of order'),
    (error) => {
      assert.ok(error instanceof AssertionError);
      assert.equal(error.message, 'BUG: a batch is out of order');
      return true;
    },
  );
});

test('an unreachable variant is named by its type', () => {
  assert.throws(() => unreachable({ type: 'surprise' } as never), /BUG: unreachable variant surprise/);
  assert.throws(() => unreachable(7 as never), /BUG: unreachable variant number/);
  assert.throws(() => unreachable(undefined as never), /BUG: unreachable variant undefined/);
});
