/** When the holder of claims touches them and looks for higher ones: with each heartbeat. */
import type { Cancel, Timers } from '../base/timers.ts';

export interface ClaimWatchParts {
  readonly timers: Timers;
  /** The heartbeat's interval, which the server tells only after the start, and which a setting changes. */
  readonly beatMs: () => number;
  readonly look: () => void;
}

/** Claims are touched at least this often, whatever the heartbeat: `node.ttl` is twice the heartbeat or more. */
const TOUCH_MS_MAX = 10_000;
/** A heartbeat that became shorter takes effect within this time. */
const BEAT_LOOK_MS = 1_000;

export class ClaimWatch {
  readonly #parts: ClaimWatchParts;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #cancel: Cancel = () => {};

  constructor(parts: ClaimWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    const { timers, beatMs, look } = this.#parts;
    const everyMs = Math.min(TOUCH_MS_MAX, beatMs());
    const nowMs = timers.clock.monotonicMs();
    let dueInMs = this.#lookedAtMs + everyMs - nowMs;
    if (dueInMs <= 0) {
      this.#lookedAtMs = nowMs;
      look();
      dueInMs = everyMs;
    }
    this.#cancel = timers.after(Math.min(BEAT_LOOK_MS, dueInMs), () => this.start());
  }

  stop(): void {
    this.#cancel();
  }
}
