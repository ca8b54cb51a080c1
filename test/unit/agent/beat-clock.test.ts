import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BeatClock, dueMs, waitMs } from '../../../agent/beat-clock.ts';
import { ManualTimers } from './manual-timers.ts';

const started = (intervalMs: number): { timers: ManualTimers; clock: BeatClock; beats: number[] } => {
  const timers = new ManualTimers();
  const beats: number[] = [];
  const clock = new BeatClock(timers, intervalMs, () => beats.push(timers.clock.monotonicMs()));
  clock.start();
  return { timers, clock, beats };
};

test('beats come an interval apart, the first one an interval after the start', () => {
  const { timers, beats } = started(1_000);
  timers.advance(3_500);
  assert.deepEqual(beats, [1_000, 2_000, 3_000]);
});

test('a changed interval counts from the last beat, and at once where it is over', () => {
  const { timers, clock, beats } = started(30_000);
  timers.advance(5_000);
  clock.setInterval(1_000);
  timers.advance(0);
  assert.deepEqual(beats, [5_000]);
  timers.advance(2_000);
  assert.deepEqual(beats, [5_000, 6_000, 7_000]);
});

test('registering again counts as a beat', () => {
  const { timers, clock, beats } = started(1_000);
  timers.advance(900);
  clock.restart();
  timers.advance(1_000);
  assert.deepEqual(beats, [1_900]);
});

test('a stopped clock has no timer left', () => {
  const { timers, clock } = started(1_000);
  clock.stop();
  assert.equal(timers.count, 0);
});

test('a beat that is a little late does not shift the ones after it, and missed ones are not made up for', () => {
  assert.equal(dueMs(10_000, 1_000, 11_300), 11_000);
  assert.equal(dueMs(10_000, 1_000, 12_000), 12_000);
  assert.equal(dueMs(10_000, 1_000, 99_000), 99_000);
  assert.equal(waitMs(10_000, 1_000, 10_400), 600);
  assert.equal(waitMs(10_000, 1_000, 12_000), 0);
});
