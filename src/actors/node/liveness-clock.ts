/**
 * The time by which nodes are judged. The stall-aware clock below it stands still while this thread does not listen; this
 * one stands still, besides, while the server refuses heartbeats (overload), and while another thread that a beat must
 * pass is absent. So no node is lost because of a beat that the server did not take.
 */

/** A refused sender is asked to come back after a second; half a second more for the network. */
export const EXCUSE_MS = 1_500;

export class LivenessClock {
  #excusedMs = 0;
  #countedToMs = Number.NEGATIVE_INFINITY;
  #untilMs = Number.NEGATIVE_INFINITY;
  #suspended = false;
  /** Time that was counted and should not have been; made good by standing still for as long. */
  #owedMs = 0;

  get isSuspended(): boolean {
    return this.#suspended;
  }

  /** A heartbeat was refused now. */
  excuse(nowMs: number): void {
    this.timeAt(nowMs);
    this.#untilMs = Math.max(this.#untilMs, nowMs + EXCUSE_MS);
  }

  /** Stands still until released. */
  hold(nowMs: number): void {
    this.timeAt(nowMs);
    this.#suspended = true;
  }

  /** Continues once `owedMs` more have passed: the time that was counted before the hold although no thread listened. */
  release(nowMs: number, owedMs: number): void {
    this.timeAt(nowMs);
    this.#suspended = false;
    this.#owedMs += owedMs;
  }

  /** Milliseconds that never go back, if `nowMs` never does. */
  timeAt(nowMs: number): number {
    if (nowMs > this.#countedToMs) {
      this.#count(nowMs - this.#countedToMs, Math.min(nowMs, this.#untilMs) - this.#countedToMs);
      this.#countedToMs = nowMs;
    }
    return nowMs - this.#excusedMs;
  }

  /** `gapMs` have passed, of which the first `refusedMs` (if above 0) were time of refusals. */
  #count(gapMs: number, refusedMs: number): void {
    if (gapMs === Number.POSITIVE_INFINITY) return;
    const excusedMs = this.#suspended ? gapMs : Math.min(gapMs, Math.max(0, refusedMs));
    const paidMs = Math.min(gapMs - excusedMs, this.#owedMs);
    this.#owedMs -= paidMs;
    this.#excusedMs += excusedMs + paidMs;
  }
}
