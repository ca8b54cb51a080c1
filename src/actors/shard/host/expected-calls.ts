/**
 * Whom a flush of heartbeats waits for. Beats are gathered while a flush is in flight, and after it for as long as it took,
 * within these bounds: those who were just answered send their next beats then, and one commit takes them all. When as many
 * wait as the last flush answered and found waiting at its end, all who wait for each answer are there, and nobody else is
 * waited for. A quick disk so has short rounds, a busy one large commits. A beat that comes later than that is flushed at
 * once.
 */
export const GATHER_MS = 2;
export const REST_MAX_MS = 5;

export class ExpectedCalls {
  #untilMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  /** A flush is durable; `calls` were answered with it, or wait at its end. */
  ended(begunMs: number, endedMs: number, calls: number): void {
    this.#untilMs = endedMs + Math.min(REST_MAX_MS, Math.max(GATHER_MS, endedMs - begunMs));
    this.#count = calls;
  }

  /** So many wait: that is all of them. */
  areThere(calls: number): boolean {
    return calls >= this.#count;
  }

  /** How much longer they are waited for; not positive where that is over. */
  leftMs(nowMs: number): number {
    return this.#untilMs - nowMs;
  }
}
