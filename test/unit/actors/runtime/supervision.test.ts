import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RestartCounter } from '../../../../src/actors/runtime/supervision.ts';

const BUDGET = { restartsMax: 3, windowMs: 1_000 };

test('as many failures as the budget are borne, one more is too many', () => {
  const counter = new RestartCounter(BUDGET);
  assert.deepEqual(
    [0, 1, 2].map((now) => counter.record(now)),
    [true, true, true],
  );
  assert.equal(counter.isSpent(2), false);
  assert.equal(counter.record(3), false);
  assert.equal(counter.isSpent(3), true);
});

test('failures older than the window do not count', () => {
  const counter = new RestartCounter(BUDGET);
  for (const now of [0, 100, 200, 300]) counter.record(now);
  assert.equal(counter.isSpent(999), true);
  assert.equal(counter.isSpent(1_000), false);
  assert.equal(counter.record(1_100), true);
  assert.equal(counter.record(1_150), false, 'those of 200 and 300 are still in it');
});

test('failures that come slowly are borne for ever', () => {
  const counter = new RestartCounter(BUDGET);
  for (let now = 0; now < 100_000; now += 400) assert.equal(counter.record(now), true);
});
