import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadWatchdog } from '../../../../../src/actors/shard/stall/thread-watchdog.ts';

interface Threads {
  a: number;
  b: number;
}

function watch(threads: Threads): ThreadWatchdog {
  return new ThreadWatchdog(
    [
      { name: 'a', pulse: () => threads.a, graceMs: 250 },
      { name: 'b', pulse: () => threads.b, graceMs: 1_000 },
    ],
    0,
  );
}

test('a thread that has never shown a pulse is absent at once, and nothing is owed for it', () => {
  const threads = { a: 1, b: 0 };
  const pulses = watch(threads);
  assert.deepEqual(pulses.absent(50), ['b']);
  threads.b = 1;
  assert.deepEqual(pulses.absent(100), []);
  assert.equal(pulses.takeOwedMs(), 0);
});

test('a pulse that stands still for longer than its grace is an absence, until it moves', () => {
  const threads = { a: 1, b: 1 };
  const pulses = watch(threads);
  assert.deepEqual(pulses.absent(250), []);
  assert.deepEqual(pulses.absent(300), ['a']);
  assert.deepEqual(pulses.absent(1_050), ['a', 'b']);
  threads.a++;
  assert.deepEqual(pulses.absent(1_100), ['b']);
  threads.b++;
  assert.deepEqual(pulses.absent(1_150), []);
});

test('what passed before an absence was noticed is owed once', () => {
  const threads = { a: 1, b: 1 };
  const pulses = watch(threads);
  assert.deepEqual(pulses.absent(300), ['a']);
  threads.a++;
  threads.b++;
  assert.deepEqual(pulses.absent(900), []);
  assert.ok(pulses.takeOwedMs() >= 300);
  assert.equal(pulses.takeOwedMs(), 0);
});
