/**
 * The time by which nodes are judged: it stands still while the server refuses heartbeats (overload), as the attentive
 * clock below it stands still while the server does not listen at all. So nobody is lost for what we did not take.
 */

/** A refused sender is told to come back after a second; half a second more for its way. */
export const EXCUSE_MS = 1_500;

export class Patience {
  #excusedMs = 0;
  #countedToMs = Number.NEGATIVE_INFINITY;
  #untilMs = Number.NEGATIVE_INFINITY;

  /** A heartbeat was refused now. */
  excuse(nowMs: number): void {
    this.timeAt(nowMs);
    this.#untilMs = Math.max(this.#untilMs, nowMs + EXCUSE_MS);
  }

  /** Milliseconds that never go back, if `nowMs` never does. */
  timeAt(nowMs: number): number {
    if (nowMs > this.#countedToMs) {
      const excusedTo = Math.min(nowMs, this.#untilMs);
      if (excusedTo > this.#countedToMs) this.#excusedMs += excusedTo - this.#countedToMs;
      this.#countedToMs = nowMs;
    }
    return nowMs - this.#excusedMs;
  }
}
