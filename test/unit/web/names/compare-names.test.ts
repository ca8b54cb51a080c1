import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareNames } from '../../../../web/src/names/compare-names.ts';

test('numbers in names count as numbers, and no two names are equal', () => {
  const names = ['gpu-10', 'gpu-9', 'ip-10-0-8-148', 'ip-10-0-8-20', 'a-01', 'a-1'];
  assert.deepEqual(names.toSorted(compareNames), ['a-01', 'a-1', 'gpu-9', 'gpu-10', 'ip-10-0-8-20', 'ip-10-0-8-148']);
  assert.equal(compareNames('a-1', 'a-1'), 0);
});
