/** Main's own pulse, and what it tells operators of the others': who is not listening, so that no node is judged. */
import { type StallAwareClock, TICK_MS } from '../../../base/stall-aware-clock.ts';
import type { SharedStats } from '../wire/shared-stats.ts';
import type { ThreadPlatform } from '../wire/thread-platform.ts';
import { PULSE_GRACE_MS, ThreadWatchdog, WRITER_GRACE_MS } from './thread-watchdog.ts';

/** Absences shorter than this are everyday: a collection of garbage, a large transaction. */
const TOLD_AFTER_MS = 1_000;

export class MainWatchdog {
  readonly #stats: SharedStats;
  readonly #platform: Pick<ThreadPlatform, 'newClock' | 'every'>;
  readonly #clock: StallAwareClock;
  readonly #watch: ThreadWatchdog;
  #end: () => void = () => {};

  constructor(stats: SharedStats, shardCount: number, platform: Pick<ThreadPlatform, 'newClock' | 'every'>) {
    this.#stats = stats;
    this.#platform = platform;
    this.#clock = platform.newClock();
    const shards = Array.from({ length: shardCount }, (_, shard) => shard);
    const watched = [
      { name: 'the writer', pulse: () => stats.pulse('writer'), graceMs: WRITER_GRACE_MS + TOLD_AFTER_MS },
      ...shards.map((shard) => ({
        name: `shard ${shard}`,
        pulse: () => stats.pulse(shard),
        graceMs: PULSE_GRACE_MS + TOLD_AFTER_MS,
      })),
    ];
    this.#watch = new ThreadWatchdog(watched, this.#clock.monotonicMs());
  }

  /** Connections are accepted from now on. */
  start(): void {
    this.#stats.beat('main');
    this.#end = this.#platform.every(TICK_MS, () => {
      this.#stats.beat('main');
      this.#watch.absent(this.#clock.monotonicMs());
    });
  }

  /** They no longer are: no node's silence counts from now on. */
  stop(): void {
    this.#end();
  }

  /** Threads that do not listen, or turn heartbeats away. */
  absent(): string[] {
    return this.#watch.absent(this.#clock.monotonicMs());
  }
}
