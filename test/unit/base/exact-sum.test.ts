import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSums, addToSum, canonicalSum, type ExactSum, roundSum, ZERO_SUM } from '../../../src/base/exact-sum.ts';

function sumOf(...values: readonly number[]): ExactSum {
  return values.reduce<ExactSum>((sum, value) => addToSum(sum, value), ZERO_SUM);
}

test('the sum of nothing is 0', () => {
  assert.equal(roundSum(ZERO_SUM), 0);
  assert.equal(roundSum(sumOf(0, -0)), 0);
});

test('what doubles lose on the way is kept', () => {
  assert.equal(roundSum(sumOf(...new Array(10).fill(0.1))), 1);
  assert.equal(roundSum(sumOf(1e100, 1, -1e100)), 1);
  assert.equal(roundSum(sumOf(2 ** 53, 1, 1)), 2 ** 53 + 2);
});

test('a tie is rounded to even, and the smallest part below it decides otherwise', () => {
  const tie = 2 ** 53;
  assert.equal(roundSum(sumOf(tie, 1)), tie);
  assert.equal(roundSum(sumOf(tie, 1, 2 ** -60)), tie + 2);
  assert.equal(roundSum(sumOf(tie, 1, -(2 ** -60))), tie);
  assert.equal(roundSum(sumOf(tie + 2, 1)), tie + 4);
  assert.equal(roundSum(sumOf(tie + 2, 1, -(2 ** -60))), tie + 2);
  assert.equal(roundSum(sumOf(-tie, -1, -(2 ** -60))), -tie - 2);
});

test('what cancels out leaves nothing', () => {
  assert.deepEqual(sumOf(0.1, 1e30, -0.1, -1e30), []);
});

test('a sum is never changed by an addition', () => {
  const sum = Object.freeze([...sumOf(1e100, 1)]) as ExactSum;
  addToSum(sum, 5);
  addSums(sum, sum);
  assert.equal(roundSum(addToSum(sum, -1e100)), 1);
});

test('one value has one canonical list', () => {
  const a = sumOf(1e16, 1, 1e-20);
  const b = sumOf(1e-20, 1e16, 7, -6);
  assert.deepEqual(canonicalSum(a), canonicalSum(b));
  assert.deepEqual(canonicalSum([1, 2, 4]), [7]);
  assert.deepEqual(canonicalSum([]), []);
});

test('as many of the largest samples as there can be do not overflow', () => {
  const samples = 2 ** 53;
  assert.ok(Number.isFinite(roundSum(sumOf(1e290 * samples, 1e290))));
});
