/**
 * Says when to beat: every interval counted from the last beat, whatever sending took. The interval may change at any
 * moment; an agent that slept through several beats makes one, not all of them.
 */
import type { Cancel, Timers } from './base/timers.ts';

export class BeatClock {
  readonly #timers: Timers;
  readonly #onBeat: () => void;
  #lastMs: number;
  #intervalMs: number;
  #cancel: Cancel = () => {};

  constructor(timers: Timers, intervalMs: number, onBeat: () => void) {
    this.#timers = timers;
    this.#onBeat = onBeat;
    this.#intervalMs = intervalMs;
    this.#lastMs = timers.clock.monotonicMs();
  }

  start(): void {
    this.#lastMs = this.#timers.clock.monotonicMs();
    this.#arm();
  }

  /** Registering counts as a beat: the next one is an interval later. */
  restart(): void {
    this.#cancel();
    this.start();
  }

  setInterval(intervalMs: number): void {
    this.#intervalMs = intervalMs;
    this.#cancel();
    this.#arm();
  }

  stop(): void {
    this.#cancel();
  }

  #arm(): void {
    const nowMs = this.#timers.clock.monotonicMs();
    this.#cancel = this.#timers.after(waitMs(this.#lastMs, this.#intervalMs, nowMs), () => {
      this.#lastMs = dueMs(this.#lastMs, this.#intervalMs, this.#timers.clock.monotonicMs());
      this.#arm();
      this.#onBeat();
    });
  }
}

/** Time until the next beat; at once where it is overdue. */
export function waitMs(lastMs: number, intervalMs: number, nowMs: number): number {
  return Math.max(0, lastMs + intervalMs - nowMs);
}

/** When the beat that is made now was due; now itself where whole intervals were missed. */
export function dueMs(lastMs: number, intervalMs: number, nowMs: number): number {
  const due = lastMs + intervalMs;
  return nowMs - due < intervalMs ? due : nowMs;
}
