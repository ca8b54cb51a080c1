import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXCUSE_MS, LivenessClock } from '../../../../src/actors/node/liveness-clock.ts';
import fc from '../../../support/laws/fast-check.ts';

test('without refusals liveness time is the clock’s', () => {
  const livenessClock = new LivenessClock();
  assert.equal(livenessClock.timeAt(10), 10);
  assert.equal(livenessClock.timeAt(5_000), 5_000);
});

test('after a refusal time stands still for as long as a refused sender needs to come back', () => {
  const livenessClock = new LivenessClock();
  livenessClock.timeAt(1_000);
  livenessClock.excuse(2_000);
  assert.equal(livenessClock.timeAt(2_000), 2_000);
  assert.equal(livenessClock.timeAt(2_000 + EXCUSE_MS), 2_000);
  assert.equal(livenessClock.timeAt(2_100 + EXCUSE_MS), 2_100);
});

test('refusals that go on keep it standing', () => {
  const livenessClock = new LivenessClock();
  for (let at = 0; at <= 60_000; at += 1_000) livenessClock.excuse(at);
  assert.equal(livenessClock.timeAt(60_000), 0);
  assert.equal(livenessClock.timeAt(60_000 + 2 * EXCUSE_MS), EXCUSE_MS);
});

test('liveness time never goes back, never runs ahead of the clock, and never counts a moment within the excuse of a refusal', () => {
  const step = fc.record({ passMs: fc.nat(5_000), refuses: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const livenessClock = new LivenessClock();
      let nowMs = 0;
      let before = livenessClock.timeAt(0);
      let untilMs = Number.NEGATIVE_INFINITY;
      let counted = 0;
      for (const { passMs, refuses } of steps) {
        counted += Math.max(0, nowMs + passMs - Math.max(nowMs, untilMs));
        nowMs += passMs;
        if (refuses) {
          livenessClock.excuse(nowMs);
          untilMs = nowMs + EXCUSE_MS;
        }
        const time = livenessClock.timeAt(nowMs);
        assert.ok(time >= before);
        assert.equal(time, counted);
        before = time;
      }
    }),
  );
});
