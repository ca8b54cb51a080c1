import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EXCUSE_MS, Patience } from '../../../../src/actors/node/liveness-clock.ts';

test('time passes as it does while nothing is held, refused or owed, from the first look on', () => {
  const patience = new Patience();
  assert.equal(patience.timeAt(1_000), 1_000);
  assert.equal(patience.timeAt(1_500), 1_500);
});

test('time stands still from a hold to its release, and then as long as was owed', () => {
  const patience = new Patience();
  patience.hold(1_000);
  assert.equal(patience.timeAt(5_000), 1_000);
  patience.release(6_000, 300);
  assert.equal(patience.timeAt(6_200), 1_000);
  assert.equal(patience.timeAt(6_400), 1_100);
  assert.equal(patience.timeAt(7_400), 2_100);
});

test('a refusal inside a hold excuses no time twice', () => {
  const patience = new Patience();
  patience.hold(0);
  patience.excuse(100);
  patience.release(200, 0);
  assert.equal(patience.timeAt(100 + EXCUSE_MS), 0);
  assert.equal(patience.timeAt(100 + EXCUSE_MS + 50), 50);
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
      const patience = new Patience();
      let nowMs = 0;
      let before = patience.timeAt(nowMs);
      for (const { do: what, afterMs, owedMs } of acts) {
        nowMs += afterMs;
        const wasHeld = patience.isHeld;
        if (what === 'hold') patience.hold(nowMs);
        else if (what === 'release') patience.release(nowMs, owedMs);
        else if (what === 'excuse') patience.excuse(nowMs);
        const time = patience.timeAt(nowMs);
        assert.ok(time >= before && time - before <= afterMs, `from ${before} to ${time} in ${afterMs} ms`);
        if (wasHeld) assert.equal(time, before, 'it was held');
        before = time;
      }
    }),
  );
});
