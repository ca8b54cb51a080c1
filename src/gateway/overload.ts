/**
 * Which heartbeats are refused so that the others are answered in time. A turn of the event loop takes beats for so many
 * milliseconds; those it finds waiting beyond that get a 503 at once, which costs a fraction of taking them. Likewise
 * while the disk is behind. Reads and job events are not judged here: they have bounds of their own.
 *
 * While beats are refused, or the loop has no idle time left, replies ask for longer intervals (`stretch`).
 */
import type { EventLoopUtilization } from 'node:perf_hooks';

export interface OverloadHost {
  /** Age of the oldest write that is not durable. */
  backlogMs(nowMs: number): number;
  /** Beats that wait for the disk. */
  unanswered(): number;
  /** Utilization since the process began, as `performance.eventLoopUtilization` gives it. */
  utilization(): EventLoopUtilization;
  /** Asks for a call when this turn of the event loop is over. */
  afterTurn(run: () => void): void;
}

/** A quarter of the 100 ms that an accepted beat may take at the 99th percentile: it may wait for a turn and for the disk. */
export const TURN_MAX_MS = 25;
/**
 * The same when turns have been long for `LONG_TURNS_MS`: a burst, or what has gathered during a stall, is taken; where long turns
 * go on and on, every queue is kept short. Measured at twice the rate that can be held (`bench overload`): p99 of the accepted
 * 200 ms with 25, 120 with 10, 95 with 5; as many taken.
 */
export const CROWDED_TURN_MAX_MS = 5;
export const LONG_TURNS_MS = 50;
/** A turn that is long with fewer beats than this is long for another reason (a busy machine): refusing would not help. */
export const TURN_BEATS_MIN = 1_000;
/** More beats than that behind a write this old are more than the writer can take: they would wait in a queue that only grows. */
export const QUEUE_MAX_MS = 30;
export const QUEUE_BEATS_MIN = 1_000;
/** A second is what a refused sender waits anyway; a disk that stalls for less, with few beats waiting, is no overload. */
export const BACKLOG_MAX_MS = 1_000;
/** Sixteen times as many nodes as there is strength for; `nextBeatMs` has a lower bound of its own, a third of the TTL. */
const STRETCH_MAX = 16;
const BUSY = 0.95;
const IDLE = 0.8;

export class Overload {
  readonly #host: OverloadHost;
  readonly #onTurnEnd = (): void => {
    const isLong = this.#lookedMs - this.#turnBeganMs > CROWDED_TURN_MAX_MS && this.#takenInTurn >= TURN_BEATS_MIN;
    if (!isLong) this.#longSinceMs = Number.POSITIVE_INFINITY;
    else if (this.#longSinceMs === Number.POSITIVE_INFINITY) this.#longSinceMs = this.#turnBeganMs;
    this.#turnBeganMs = -1;
    this.#takenInTurn = 0;
  };
  #turnBeganMs = -1;
  /** When a beat was last judged. */
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** When the first of the long turns began that followed each other till now. */
  #longSinceMs = Number.POSITIVE_INFINITY;
  #takenInTurn = 0;
  #refused = 0;
  #refusedBefore = 0;
  #stretch = 1;
  #last: EventLoopUtilization;

  constructor(host: OverloadHost) {
    this.#host = host;
    this.#last = host.utilization();
  }

  /** Beats refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** By how much intervals are longer than configured. */
  get stretch(): number {
    return this.#stretch;
  }

  /** Whether a call with so many beats is refused; where it is not, they count as taken. */
  refuses(nowMs: number, beats = 1): boolean {
    if (this.#turnBeganMs < 0) {
      if (nowMs - this.#lookedMs > TURN_MAX_MS) this.#longSinceMs = Number.POSITIVE_INFINITY;
      this.#turnBeganMs = nowMs;
      this.#host.afterTurn(this.#onTurnEnd);
    }
    this.#lookedMs = nowMs;
    if (this.#isOver(nowMs)) {
      this.#refused += beats;
      return true;
    }
    this.#takenInTurn += beats;
    return false;
  }

  /** As `refuses`, of a call that nobody has read: how many beats it has is not known. What is let pass is asked for again. */
  refusesUnread(nowMs: number): boolean {
    const isRefused = this.#isOver(nowMs);
    if (isRefused) this.#refused++;
    return isRefused;
  }

  #isOver(nowMs: number): boolean {
    const mostMs = nowMs - this.#longSinceMs > LONG_TURNS_MS ? CROWDED_TURN_MAX_MS : TURN_MAX_MS;
    const isLong = nowMs - this.#turnBeganMs > mostMs && this.#takenInTurn >= TURN_BEATS_MIN;
    return isLong || this.#isBehind(nowMs);
  }

  /** So many beats came with one that was let pass. */
  took(beats: number): void {
    this.#takenInTurn += beats;
  }

  #isBehind(nowMs: number): boolean {
    const backlogMs = this.#host.backlogMs(nowMs);
    return backlogMs > BACKLOG_MAX_MS || (backlogMs > QUEUE_MAX_MS && this.#host.unanswered() >= QUEUE_BEATS_MIN);
  }

  /** Once a second: longer by a quarter while overloaded; back to normal within five seconds when it is over. */
  measure(): void {
    const now = this.#host.utilization();
    const active = now.active - this.#last.active;
    const busy = active / Math.max(1, active + now.idle - this.#last.idle);
    this.#last = now;
    if (this.#refused > this.#refusedBefore || busy > BUSY) this.#stretch = Math.min(STRETCH_MAX, this.#stretch * 1.25);
    else if (busy < IDLE) this.#stretch = relaxed(this.#stretch);
    this.#refusedBefore = this.#refused;
  }
}

function relaxed(stretch: number): number {
  const surplus = (stretch - 1) / 4;
  return surplus < 0.02 ? 1 : 1 + surplus;
}
