import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualTime } from '../../../../fleet/run/virtual-time.ts';

test('the history ends at its end, and never goes beyond it', async () => {
  const clock = new VirtualTime({ startNs: 5_000_000_000n, spanSeconds: 10, speed: 1_000 });
  assert.equal(await clock.until(10), true);
  await clock.over;
  assert.equal(clock.nowSecond(), 10);
  assert.equal(clock.nowNs(), 15_000_000_000n);
  assert.equal(await clock.until(10), true, 'what was due goes on');
  assert.equal(await clock.until(10.001), false);
  assert.equal(await clock.pause(0), false);
});

test('a stop wakes everybody: what is not due never comes', async () => {
  const clock = new VirtualTime({ startNs: 0n, spanSeconds: 1_000_000, speed: 1 });
  const later = clock.until(500_000);
  const paused = clock.pause(3_600_000);
  clock.stop();
  assert.deepEqual(await Promise.all([later, paused]), [false, false]);
  await clock.over;
  assert.ok(clock.isOver && clock.nowSecond() < 1_000_000);
  const stoppedAt = clock.nowSecond();
  clock.stop(7);
  assert.equal(clock.nowSecond(), stoppedAt, 'a second stop changes nothing');
});
