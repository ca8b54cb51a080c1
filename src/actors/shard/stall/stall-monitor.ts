/** A shard's attention to the other threads, and its own pulse for them: holds the time of verdicts while one is absent. */
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { Patience } from '../../node/liveness-clock.ts';
import type { SharedStats } from '../wire/shared-stats.ts';
import { PULSE_GRACE_MS, PulseWatch, type Watched, WRITER_GRACE_MS } from './thread-watchdog.ts';

export interface AttentionHost {
  readonly index: number;
  readonly shardCount: number;
  /** Does not count the stalls of this thread. */
  readonly clock: Clock;
  readonly stats: SharedStats;
}

/** Shorter holds are not worth a line in the log. */
const TOLD_MS = 1_000;

export class Attention {
  readonly #host: AttentionHost;
  readonly #patience: Patience;
  readonly #log: Logger;
  readonly #pulses: PulseWatch;
  #heldFromMs: number;
  #absent: readonly string[] = ['its own start'];

  constructor(host: AttentionHost, patience: Patience, log: Logger) {
    this.#host = host;
    this.#patience = patience;
    this.#log = log;
    this.#heldFromMs = host.clock.monotonicMs();
    this.#pulses = new PulseWatch(watchedBy(host), this.#heldFromMs);
    // Until everybody listens, for the first time or after a crash, no node's time runs.
    patience.hold(this.#heldFromMs);
  }

  /** Called every `TICK_MS` from when the shard takes messages. */
  tick(): void {
    const { stats, index, clock } = this.#host;
    stats.beat(index);
    const nowMs = clock.monotonicMs();
    const absent = this.#pulses.absent(nowMs);
    if (absent.length > 0) {
      this.#absent = absent;
      if (this.#patience.isHeld) return;
      this.#patience.hold(nowMs);
      this.#heldFromMs = nowMs;
    } else if (this.#patience.isHeld) {
      this.#patience.release(nowMs, this.#pulses.takeOwedMs());
      const heldMs = Math.round(nowMs - this.#heldFromMs);
      if (heldMs >= TOLD_MS)
        this.#log.info({ heldMs, absent: this.#absent }, 'no verdict on nodes while not every thread was listening');
    }
  }
}

/** Every other thread that a beat, or its reply, passes. */
function watchedBy({ stats, shardCount, index }: AttentionHost): Watched[] {
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
