import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedBudget } from '../../../../src/base/budget/shared-budget.ts';

const START_US = 1_000_000_000n;
const budget = (): SharedBudget => new SharedBudget(SharedBudget.newBuffer(), 'salt');
const granted = (of: SharedBudget, caller: string, rate: number, nowUs: bigint, tries: number): number =>
  Array.from({ length: tries }, () => of.take(caller, rate, nowUs)).filter((waitMs) => waitMs === 0).length;

test('a second’s worth is granted at once, then one each 1/rate', () => {
  const of = budget();
  assert.equal(granted(of, 'a', 10, START_US, 50), 10);
  assert.equal(of.take('a', 10, START_US), 100);
  assert.equal(granted(of, 'a', 10, START_US + 100_000n, 50), 1);
  assert.equal(granted(of, 'a', 10, START_US + 500_000n, 50), 4);
  assert.equal(granted(of, 'a', 10, START_US + 60_000_000n, 50), 10);
});

test('what is refused does not count', () => {
  const of = budget();
  granted(of, 'a', 1, START_US, 1_000);
  assert.equal(of.take('a', 1, START_US + 1_000_000n), 0);
});

test('callers do not share a budget, threads do', () => {
  const buffer = SharedBudget.newBuffer();
  const one = new SharedBudget(buffer, 'salt');
  const other = new SharedBudget(buffer, 'salt');
  assert.equal(granted(one, 'a', 5, START_US, 3) + granted(other, 'a', 5, START_US, 10), 5);
  assert.equal(granted(other, 'b', 5, START_US, 10), 5);
});

test('two hundred busy callers leave the budget of two thousand others as it was', () => {
  const of = budget();
  for (let i = 0; i < 200; i++) granted(of, `busy ${i}`, 1, START_US, 5);
  const hurt = Array.from({ length: 2_000 }, (_, i) => of.take(`quiet ${i}`, 1_000, START_US)).filter(
    (ms) => ms > 0,
  ).length;
  assert.ok(hurt <= 1, `${hurt} of 2,000`);
});
