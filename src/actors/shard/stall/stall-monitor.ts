/** A shard's attention to the other threads, and its own pulse for them: holds the time of verdicts while one is absent. */
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { LivenessClock } from '../../node/liveness-clock.ts';
import type { SharedStats } from '../wire/shared-stats.ts';
import { PULSE_GRACE_MS, ThreadWatchdog, type Watched, WRITER_GRACE_MS } from './thread-watchdog.ts';

export interface StallMonitorHost {
  readonly index: number;
  readonly shardCount: number;
  /** Does not count the stalls of this thread. */
  readonly clock: Clock;
  readonly stats: SharedStats;
}

/** Shorter holds are not worth a line in the log. */
const TOLD_MS = 1_000;

export class StallMonitor {
  readonly #host: StallMonitorHost;
  readonly #livenessClock: LivenessClock;
  readonly #log: Logger;
  readonly #pulses: ThreadWatchdog;
  #suspendedFromMs: number;
  #absent: readonly string[] = ['its own start'];

  constructor(host: StallMonitorHost, livenessClock: LivenessClock, log: Logger) {
    this.#host = host;
    this.#livenessClock = livenessClock;
    this.#log = log;
    this.#suspendedFromMs = host.clock.monotonicMs();
    this.#pulses = new ThreadWatchdog(watchedBy(host), this.#suspendedFromMs);
    // Until everybody listens, for the first time or after a crash, no node's time runs.
    livenessClock.hold(this.#suspendedFromMs);
  }

  /** Called every `TICK_MS` from when the shard takes messages. */
  tick(): void {
    const { stats, index, clock } = this.#host;
    stats.beat(index);
    const nowMs = clock.monotonicMs();
    const absent = this.#pulses.absent(nowMs);
    if (absent.length > 0) {
      this.#absent = absent;
      if (this.#livenessClock.isSuspended) return;
      this.#livenessClock.hold(nowMs);
      this.#suspendedFromMs = nowMs;
    } else if (this.#livenessClock.isSuspended) {
      this.#livenessClock.release(nowMs, this.#pulses.takeOwedMs());
      const suspendedMs = Math.round(nowMs - this.#suspendedFromMs);
      if (suspendedMs >= TOLD_MS)
        this.#log.info(
          { suspendedMs, absent: this.#absent },
          'liveness checks were suspended while a thread was unresponsive',
        );
    }
  }
}

/** Every other thread that a beat, or its reply, passes. */
function watchedBy({ stats, shardCount, index }: StallMonitorHost): Watched[] {
  const others = Array.from({ length: shardCount }, (_, shard) => shard).filter((shard) => shard !== index);
  return [
    { name: 'main', pulse: () => stats.pulse('main'), graceMs: PULSE_GRACE_MS },
    { name: 'writer', pulse: () => stats.pulse('writer'), graceMs: WRITER_GRACE_MS },
    ...others.map((shard) => ({
      name: `shard-${shard}`,
      pulse: () => stats.pulse(shard),
      graceMs: PULSE_GRACE_MS,
    })),
  ];
}
