import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../src/base/clock.ts';
import { STALL_MS, StallAwareClock } from '../../../src/base/stall-aware-clock.ts';
import fc from '../../support/laws/fast-check.ts';

test('time passes while it is read often', () => {
  const base = new ManualClock();
  const clock = new StallAwareClock(base);
  for (let i = 0; i < 20; i++) {
    base.advance(50);
    clock.monotonicMs();
  }
  assert.equal(clock.monotonicMs(), 1_000);
  assert.deepEqual(clock.stalls, { count: 0, totalMs: 0 });
});

test('a gap of exactly the stall bound counts, one beyond it does not count at all', () => {
  const base = new ManualClock();
  const clock = new StallAwareClock(base);
  base.advance(STALL_MS);
  assert.equal(clock.monotonicMs(), STALL_MS);
  base.advance(STALL_MS + 0.001);
  assert.equal(Math.round(clock.monotonicMs() * 1e6), STALL_MS * 1e6);
  assert.equal(clock.stalls.count, 1);
});

test('a stall that now() finds is not counted either, and the wall clock is passed through', () => {
  const base = new ManualClock(1_000_000);
  const clock = new StallAwareClock(base);
  base.advance(3_600_000);
  assert.deepEqual(clock.now(), { monotonicMs: 0, wallMs: 4_600_000 });
  assert.equal(clock.wallMs(), 4_600_000);
  assert.deepEqual(clock.stalls, { count: 1, totalMs: 3_600_000 });
});

test('whatever the gaps between readings, only those without a stall are counted, and time never goes back', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3 * STALL_MS }), { maxLength: 60 }), (gaps) => {
      const base = new ManualClock();
      base.advance(12_345);
      const clock = new StallAwareClock(base);
      let expected = 12_345;
      for (const gap of gaps) {
        base.advance(gap);
        if (gap <= STALL_MS) expected += gap;
        assert.equal(clock.monotonicMs(), expected);
      }
      const stalls = gaps.filter((gap) => gap > STALL_MS);
      assert.deepEqual(clock.stalls, { count: stalls.length, totalMs: stalls.reduce((sum, gap) => sum + gap, 0) });
    }),
  );
});
