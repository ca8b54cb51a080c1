import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, systemClock } from '../../../src/base/clock.ts';

test('a manual clock moves only when told to, both hands together', () => {
  const clock = new ManualClock(5_000);
  assert.deepEqual(clock.now(), { monotonicMs: 0, wallMs: 5_000 });
  clock.advance(0.5);
  clock.advance(100);
  assert.deepEqual(clock.now(), { monotonicMs: 100.5, wallMs: 5_100.5 });
});

test('a jump of the wall clock leaves the monotonic one alone', () => {
  const clock = new ManualClock(5_000);
  clock.advance(10);
  clock.jumpWall(-3_600_000);
  assert.equal(clock.monotonicMs(), 10);
  assert.equal(clock.wallMs(), 5_010 - 3_600_000);
});

test('a manual clock is never moved back', () => {
  assert.throws(() => new ManualClock().advance(-1), RangeError);
});

test('the system clock counts milliseconds, and its monotonic hand never goes back', () => {
  let last = systemClock.monotonicMs();
  for (let i = 0; i < 1_000; i++) {
    const { monotonicMs } = systemClock.now();
    assert.ok(monotonicMs >= last);
    last = monotonicMs;
  }
  // The year, as a test of the unit: seconds or microseconds would be centuries off.
  const year = new Date(systemClock.wallMs()).getUTCFullYear();
  assert.ok(year >= 2024 && year < 2200, `got ${year}`);
});
