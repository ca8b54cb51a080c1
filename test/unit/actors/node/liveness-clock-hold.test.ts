import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXCUSE_MS, LivenessClock } from '../../../../src/actors/node/liveness-clock.ts';
import fc from '../../../support/laws/fast-check.ts';

test('time passes as it does while nothing is held, refused or owed, from the first look on', () => {
  const livenessClock = new LivenessClock();
  assert.equal(livenessClock.timeAt(1_000), 1_000);
  assert.equal(livenessClock.timeAt(1_500), 1_500);
});

test('time stands still from a hold to its release, and then as long as was owed', () => {
  const livenessClock = new LivenessClock();
  livenessClock.hold(1_000);
  assert.equal(livenessClock.timeAt(5_000), 1_000);
  livenessClock.release(6_000, 300);
  assert.equal(livenessClock.timeAt(6_200), 1_000);
  assert.equal(livenessClock.timeAt(6_400), 1_100);
  assert.equal(livenessClock.timeAt(7_400), 2_100);
});

test('a refusal inside a hold excuses no time twice', () => {
  const livenessClock = new LivenessClock();
  livenessClock.hold(0);
  livenessClock.excuse(100);
  livenessClock.release(200, 0);
  assert.equal(livenessClock.timeAt(100 + EXCUSE_MS), 0);
  assert.equal(livenessClock.timeAt(100 + EXCUSE_MS + 50), 50);
});

type Act = { readonly do: 'hold' | 'release' | 'excuse' | 'look'; readonly afterMs: number; readonly owedMs: number };

test('whatever is held, refused and owed, time never goes back and never runs faster than the clock', () => {
  const act: fc.Arbitrary<Act> = fc.record({
    do: fc.constantFrom('hold', 'release', 'excuse', 'look'),
    afterMs: fc.integer({ min: 0, max: 4_000 }),
    owedMs: fc.integer({ min: 0, max: 500 }),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const livenessClock = new LivenessClock();
      let nowMs = 0;
      let before = livenessClock.timeAt(nowMs);
      for (const { do: what, afterMs, owedMs } of acts) {
        nowMs += afterMs;
        const wasSuspended = livenessClock.isSuspended;
        if (what === 'hold') livenessClock.hold(nowMs);
        else if (what === 'release') livenessClock.release(nowMs, owedMs);
        else if (what === 'excuse') livenessClock.excuse(nowMs);
        const time = livenessClock.timeAt(nowMs);
        assert.ok(time >= before && time - before <= afterMs, `from ${before} to ${time} in ${afterMs} ms`);
        if (wasSuspended) assert.equal(time, before, 'it was held');
        before = time;
      }
    }),
  );
});
