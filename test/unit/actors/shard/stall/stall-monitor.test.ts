import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LivenessClock } from '../../../../../src/actors/node/liveness-clock.ts';
import { StallMonitor } from '../../../../../src/actors/shard/stall/stall-monitor.ts';
import { PULSE_GRACE_MS } from '../../../../../src/actors/shard/stall/thread-watchdog.ts';
import { SharedStats } from '../../../../../src/actors/shard/wire/shared-stats.ts';
import { ManualClock } from '../../../../../src/base/clock.ts';
import type { Logger } from '../../../../../src/base/log.ts';
import { TICK_MS } from '../../../../../src/base/stall-aware-clock.ts';

/** A shard beside a main thread that may hang. */
class Threads {
  readonly clock = new ManualClock();
  readonly livenessClock = new LivenessClock();
  readonly stats = new SharedStats(1);
  readonly #stallMonitor = new StallMonitor(
    { index: 0, shardCount: 1, clock: this.clock, stats: this.stats },
    this.livenessClock,
    { info: () => {} } as unknown as Logger,
  );

  /** So much time, in which main shows its pulse, or does not; how much of it nodes are judged by. */
  pass(ms: number, isMainThere: boolean): number {
    const before = this.livenessClock.timeAt(this.clock.monotonicMs());
    for (let passed = 0; passed < ms; passed += TICK_MS) {
      this.clock.advance(TICK_MS);
      this.stats.beat('writer');
      if (isMainThere) this.stats.beat('main');
      this.#stallMonitor.tick();
    }
    return this.livenessClock.timeAt(this.clock.monotonicMs()) - before;
  }
}

test('nodes are judged by no moment in which another thread was absent: what was counted before it was noticed is owed', () => {
  const threads = new Threads();
  threads.pass(1_000, true);
  assert.equal(threads.pass(1_000, true), 1_000, 'all are there');
  const counted = threads.pass(5_000, false);
  assert.ok(counted > 0 && counted <= PULSE_GRACE_MS + TICK_MS, `${counted} ms passed until it was noticed`);
  const after = threads.pass(1_000, true);
  assert.ok(counted + after <= 1_000, `${counted + after} ms of 1,000 in which all were there`);
  assert.ok(after >= 1_000 - PULSE_GRACE_MS - 5 * TICK_MS, `time goes on: ${after} ms`);
  assert.equal(threads.pass(1_000, true), 1_000, 'it is owed once');
});
