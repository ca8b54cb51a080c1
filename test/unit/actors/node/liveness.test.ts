import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CONFIRM_MS,
  extraMs,
  isMassSilence,
  type LivenessTimes,
  lateAfterMs,
  MASS_SILENCE_MIN,
  type MassSilence,
  massSilenceMs,
  nextBeatMs,
  retimed,
  toldMaxMs,
  type Verdict,
  verdictOf,
} from '../../../../src/actors/node/liveness.ts';

const TIMES: LivenessTimes = { heartbeatMs: 1_000, ttlMs: 5_000 };
const NOBODY: MassSilence = { running: 100, silent: 1 };
const EVERYBODY: MassSilence = { running: 100, silent: 100 };

function verdict(silentMs: number, confirmed = false, massSilence = NOBODY): Verdict {
  return verdictOf({ silentMs, confirmed, intervalMultiplier: 1 }, TIMES, () => massSilence);
}

test('a node is alive for half an interval beyond the beat that was expected, then late, and looked at again when that ends', () => {
  assert.deepEqual(verdict(0), { type: 'alive', lookAgainMs: 1_600 });
  assert.deepEqual(verdict(1_600), { type: 'alive', lookAgainMs: 0 });
  assert.deepEqual(verdict(1_601), { type: 'late', lookAgainMs: 3_399 });
  assert.deepEqual(verdict(5_000), { type: 'late', lookAgainMs: 0 });
});

test('a node that was given more time is still looked at within a TTL, because it may beat meanwhile', () => {
  assert.deepEqual(verdict(-32_000), { type: 'alive', lookAgainMs: 5_000 });
});

test('beyond the TTL a node is a candidate first, and lost only when it is found silent once more', () => {
  assert.deepEqual(verdict(5_001), { type: 'candidate', lookAgainMs: CONFIRM_MS });
  assert.deepEqual(verdict(50_000), { type: 'candidate', lookAgainMs: CONFIRM_MS }, 'however long it was silent');
  assert.deepEqual(verdict(5_501, true), { type: 'lost' });
});

test('in a mass silence the verdict is suspended until one more TTL has passed, and no longer', () => {
  assert.deepEqual(verdict(5_501, true, EVERYBODY), { type: 'held', lookAgainMs: 4_499 });
  assert.deepEqual(verdict(10_000, true, EVERYBODY), { type: 'held', lookAgainMs: 0 });
  assert.deepEqual(verdict(10_001, true, EVERYBODY), { type: 'lost' });
});

test('the mass silence is asked about only where it could change the verdict', () => {
  const unasked = (): MassSilence => assert.fail('the mass silence was counted');
  verdictOf({ silentMs: 5_000, confirmed: true, intervalMultiplier: 1 }, TIMES, unasked);
  verdictOf({ silentMs: 6_000, confirmed: false, intervalMultiplier: 1 }, TIMES, unasked);
  verdictOf({ silentMs: 11_000, confirmed: true, intervalMultiplier: 1 }, TIMES, unasked);
});

test('more than half of at least ten nodes are a mass silence', () => {
  assert.equal(isMassSilence({ running: MASS_SILENCE_MIN, silent: 6 }), true);
  assert.equal(isMassSilence({ running: MASS_SILENCE_MIN, silent: 5 }), false, 'half is not more than half');
  assert.equal(isMassSilence({ running: MASS_SILENCE_MIN - 1, silent: MASS_SILENCE_MIN - 1 }), false);
});

test('nodes that fell silent at once are all in the mass silence when the first TTL ends, healthy ones never', () => {
  for (const intervalMultiplier of [1, 2, 16]) {
    for (const times of [TIMES, { heartbeatMs: 1_000, ttlMs: 2_000 }, { heartbeatMs: 30_000, ttlMs: 300_000 }]) {
      const told = toldMaxMs(times, intervalMultiplier);
      const silence = massSilenceMs(times, intervalMultiplier);
      assert.ok(silence > told, `a healthy node is silent for ${told} ms, the mass silence begins at ${silence}`);
      // The last of them beat one interval after the first, and is looked at when that one is confirmed.
      if (times.ttlMs > 2.1 * told) assert.ok(silence <= times.ttlMs - told + CONFIRM_MS);
    }
  }
});

test('late begins no later than the TTL, and later while intervals are stretched', () => {
  assert.equal(lateAfterMs({ heartbeatMs: 1_000, ttlMs: 1_200 }, 1), 1_200);
  const long: LivenessTimes = { heartbeatMs: 1_000, ttlMs: 60_000 };
  assert.equal(lateAfterMs(long, 1), 1_600);
  assert.ok(lateAfterMs(long, 4) > toldMaxMs(long, 4));
});

test('the next beat is asked for within a tenth of the heartbeat, longer under overload, never beyond the bound', () => {
  const intervals = (times: LivenessTimes, intervalMultiplier: number): number[] =>
    Array.from({ length: 2_000 }, (_, i) => nextBeatMs(times, i * 7_919, intervalMultiplier));
  const usual = intervals({ heartbeatMs: 30_000, ttlMs: 300_000 }, 1);
  assert.ok(Math.min(...usual) >= 27_000 && Math.max(...usual) <= 33_000);
  assert.ok(Math.max(...usual) - Math.min(...usual) > 5_000, 'they are spread');
  const multiplied = intervals({ heartbeatMs: 30_000, ttlMs: 300_000 }, 2);
  assert.ok(Math.min(...multiplied) >= 54_000 && Math.max(...multiplied) <= 66_000);
  const bounded = intervals({ heartbeatMs: 30_000, ttlMs: 300_000 }, 16);
  assert.ok(Math.max(...bounded) <= 100_000, 'a third of the TTL');
  assert.ok(new Set(bounded).size > 100, 'also at the bound they do not march in step');
  const tight = intervals({ heartbeatMs: 30_000, ttlMs: 60_000 }, 16);
  assert.ok(Math.max(...tight) <= 30_000, 'the heartbeat, where it is more than a third of the TTL');
});

test('a node that was told a long interval is given it after the times were made shorter', () => {
  const slow: LivenessTimes = { heartbeatMs: 30_000, ttlMs: 300_000 };
  const fastPath = retimed(slow, { heartbeatMs: 1_000, ttlMs: 4_000 }, 1, 100_000);
  // It beat just before the change and was told 33 s.
  const lastBeatMs = 99_000;
  const extra = extraMs(fastPath, lastBeatMs);
  assert.equal(extra, 33_000 - 1_100);
  assert.equal(extraMs(fastPath, 99_999), extra);
  assert.equal(extraMs(fastPath, 100_000), extra, 'at the moment of the change it may have been told either');
  assert.equal(extraMs(fastPath, 100_001), 0, 'one that has beaten since knows the new interval');
  const within = retimed(slow, { heartbeatMs: 1_000, ttlMs: 4_000 }, 1, 100_000.4);
  assert.equal(extraMs(within, 100_001), extra, 'a beat of the same moment, as beats are rounded up to milliseconds');
});

test('longer times need no extra time, nor do ones that never changed', () => {
  const slow: LivenessTimes = { heartbeatMs: 30_000, ttlMs: 300_000 };
  assert.equal(extraMs(retimed(TIMES, slow, 1, 0), 0), 0);
  assert.equal(extraMs(TIMES, 0), 0);
});

test('of several changes in a row each counts for the nodes that have not beaten since, until its interval is over', () => {
  const slow: LivenessTimes = { heartbeatMs: 30_000, ttlMs: 90_000 };
  const middle = retimed(slow, { heartbeatMs: 5_000, ttlMs: 20_000 }, 1, 100_000);
  const soon = retimed(middle, { heartbeatMs: 1_000, ttlMs: 4_000 }, 1, 110_000);
  const now = toldMaxMs(soon, 1);
  assert.equal(extraMs(soon, 99_999), toldMaxMs(slow, 1) - now);
  assert.equal(extraMs(soon, 100_001), toldMaxMs(middle, 1) - now, 'it was told the interval in the middle');
  assert.equal(extraMs(soon, 110_001), 0);
  const later = retimed(middle, { heartbeatMs: 1_000, ttlMs: 4_000 }, 1, 200_000);
  assert.equal(later.earlier?.length, 1, 'nobody keeps to the first interval any more');
});

test('any number of changes is remembered in bounded memory, and forgets nothing that a node may keep to', () => {
  let changed: LivenessTimes = { heartbeatMs: 60_000, ttlMs: 300_000 };
  for (let i = 0; i < 50; i++) changed = retimed(changed, { heartbeatMs: 1_000, ttlMs: 4_000 + i }, 1, 1_000 + i);
  assert.ok((changed.earlier?.length ?? 0) <= 8);
  assert.equal(extraMs(changed, 999), 66_000 - toldMaxMs(changed, 1));
  assert.equal(extraMs(changed, 1_050), 0);
});

test('a change under overload allows for the longest interval that overload may have asked for', () => {
  const slow: LivenessTimes = { heartbeatMs: 10_000, ttlMs: 300_000 };
  assert.equal(retimed(slow, TIMES, 2, 0).earlier?.[0]?.toldMs, 100_000);
});
