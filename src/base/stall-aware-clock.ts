/**
 * A monotonic clock that stands still while the process was not listening: stopped, suspended, or its event loop blocked.
 * Deadlines on this clock are extended by every stall, so nothing is ever judged late for our own absence.
 *
 * It must be read often (a timer of `TICK_MS` sees to it): a gap between two readings beyond `STALL_MS` is a stall.
 */
import type { Clock, Now } from './clock.ts';

export const TICK_MS = 50;
/** Five ticks: longer than any pause of a healthy loop, shorter than any TTL worth having. */
export const STALL_MS = 250;

export class StallAwareClock implements Clock {
  readonly #base: Clock;
  #lastRawMs: number;
  #stalledMs = 0;
  #stalls = 0;

  constructor(base: Clock) {
    this.#base = base;
    this.#lastRawMs = base.monotonicMs();
  }

  monotonicMs(): number {
    const raw = this.#base.monotonicMs();
    const gap = raw - this.#lastRawMs;
    this.#lastRawMs = raw;
    if (gap > STALL_MS) {
      this.#stalledMs += gap;
      this.#stalls++;
    }
    return raw - this.#stalledMs;
  }

  wallMs(): number {
    return this.#base.wallMs();
  }

  now(): Now {
    return { monotonicMs: this.monotonicMs(), wallMs: this.#base.wallMs() };
  }

  /** Milliseconds that were not counted so far, and how many stalls they were. */
  get stalls(): { readonly count: number; readonly totalMs: number } {
    return { count: this.#stalls, totalMs: this.#stalledMs };
  }
}
