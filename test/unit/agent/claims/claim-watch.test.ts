import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClaimWatch } from '../../../../agent/claims/claim-watch.ts';
import { ManualTimers } from '../manual-timers.ts';

function watched(beatMs: () => number): { timers: ManualTimers; looks: number[]; watch: ClaimWatch } {
  const timers = new ManualTimers();
  const begin = timers.clock.monotonicMs();
  const looks: number[] = [];
  const look = (): void => void looks.push(timers.clock.monotonicMs() - begin);
  const watch = new ClaimWatch({ timers, beatMs, look });
  watch.start();
  return { timers, looks, watch };
}

test('claims are touched with each heartbeat, and every 10 s where heartbeats are rarer', () => {
  for (const [beatMs, gap] of [
    [700, 700],
    [1_100, 1_100],
    [30_000, 10_000],
  ] as const) {
    const { timers, looks, watch } = watched(() => beatMs);
    timers.advance(gap * 3);
    assert.deepEqual(looks, [0, gap, gap * 2, gap * 3]);
    watch.stop();
    timers.advance(60_000);
    assert.equal(looks.length, 4, 'none after the stop');
  }
});

test('a shorter heartbeat, which the agent hears of after its start, counts within a second', () => {
  let beatMs = 30_000;
  const { timers, looks } = watched(() => beatMs);
  timers.advance(200);
  beatMs = 1_000;
  timers.advance(2_800);
  assert.deepEqual(looks, [0, 1_000, 2_000, 3_000]);
});
