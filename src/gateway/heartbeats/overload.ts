/**
 * Which heartbeats are refused so that the others are answered in time. Overload is what cannot be worked off: more clients
 * wait than `CALLS_MIN`, and have done so while there was no idle moment for a second, or behind a write that is a second
 * old. A refused sender waits a second anyway, so nothing that is answered sooner is refused: no burst, nothing that
 * gathered in a stall, no turn that was long once, and no few clients that wait for each answer, however large their
 * batches are: they send no more than is answered. The more other clients there are, the fewer may wait, down to
 * `WAITING_MIN`. It ends with a moment that is idle and in which nobody was refused, or with a fifth of idle time whatever was
 * refused. Reads and job events are not judged here: they have bounds of their own.
 *
 * While beats are refused, or the loop has no idle time left, replies ask for longer intervals (`intervalMultiplier`).
 */
import type { EventLoopUtilization } from 'node:perf_hooks';

export interface OverloadHost {
  /** Age of the oldest write that is not durable. */
  backlogMs(nowMs: number): number;
  /** Calls with beats that have begun, and wait to be taken or for the disk. */
  waitingCalls(): number;
  /** Utilization since the process began, as `performance.eventLoopUtilization` gives it. */
  utilization(): EventLoopUtilization;
  /** Asks for a call when this turn of the event loop is over. */
  afterTurn(run: () => void): void;
}

/**
 * Fewer clients than that are never refused: each has one call in flight, and the next comes when that is answered, so they
 * are no queue that grows.
 */
export const CALLS_MIN = 256;
/**
 * In overload so many may wait, however many clients there are: enough to keep the disk busy. Measured at twice the rate
 * that can be held, three rounds in turn: p50 of the accepted 43, 41 and 38 ms with 256, 32, 33 and 34 with 128, as many
 * taken; 32, 33 and 29 with 64, an eighth less taken.
 */
export const WAITING_MIN = 128;
/** So long there was no idle moment, or a write is old. A refused sender comes again after as long. */
export const STANDING_MS = 1_000;
/**
 * While overload stands, a turn of the event loop takes beats for so many milliseconds; those that it finds waiting beyond
 * that get a 503 at once, which costs a fraction of taking them. Measured at twice the rate that can be held
 * (`bench overload`): p99 of the accepted 200 ms with 25, 120 with 10, 95 with 5; as many taken.
 */
export const TURN_MAX_MS = 5;
/** How often the idle time is looked at: a look costs a microsecond. */
export const LOOK_MS = 100;
/** Sixteen times as many nodes as there is strength for; `nextBeatMs` has a lower bound of its own, a third of the TTL. */
const MULTIPLIER_MAX = 16;
const BUSY = 0.95;
const IDLE = 0.8;

export class Overload {
  readonly #host: OverloadHost;
  readonly #onTurnEnd = (): void => {
    this.#turnBeganMs = -1;
    this.#callsInTurn = 0;
  };
  #turnBeganMs = -1;
  #callsInTurn = 0;
  #lookedMs: number;
  /** Since when there has been no idle moment. */
  #busySinceMs = Number.POSITIVE_INFINITY;
  #lastLook: EventLoopUtilization;
  #refused = 0;
  #refusedBefore = 0;
  /** In the last whole second. */
  #refusedLately = 0;
  /** Calls refused until the last look. */
  #refusedAtLook = 0;
  #intervalMultiplier = 1;
  #last: EventLoopUtilization;

  constructor(host: OverloadHost, nowMs: number) {
    this.#host = host;
    this.#lookedMs = nowMs;
    this.#last = host.utilization();
    this.#lastLook = this.#last;
  }

  /** Calls refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** By how much intervals are longer than configured. */
  get intervalMultiplier(): number {
    return this.#intervalMultiplier;
  }

  /** Whether a call with beats is refused. To be asked once for each, before it is read. */
  refuses(nowMs: number): boolean {
    if (this.#turnBeganMs < 0) {
      this.#turnBeganMs = nowMs;
      this.#host.afterTurn(this.#onTurnEnd);
      if (nowMs - this.#lookedMs >= LOOK_MS) this.#look(nowMs);
    }
    this.#callsInTurn++;
    if (!this.#isBusy(nowMs) && !this.#isBehind(nowMs)) return false;
    this.#refused++;
    return true;
  }

  /** What this turn has found waiting is more than few clients can send, and none of the last turns was done with it. */
  #isBusy(nowMs: number): boolean {
    return (
      this.#areTooMany(Math.max(this.#callsInTurn, this.#host.waitingCalls())) &&
      nowMs - this.#turnBeganMs > TURN_MAX_MS &&
      this.#stands(nowMs)
    );
  }

  /** Refused clients come again: they count too. Each client above `CALLS_MIN` takes the place of one that may wait. */
  #areTooMany(calls: number): boolean {
    const clients = calls + this.#refused - this.#refusedBefore + this.#refusedLately;
    return calls > Math.max(WAITING_MIN, Math.min(CALLS_MIN, 2 * CALLS_MIN - clients));
  }

  #stands(nowMs: number): boolean {
    return nowMs - this.#busySinceMs >= STANDING_MS;
  }

  #isBehind(nowMs: number): boolean {
    return this.#host.waitingCalls() > CALLS_MIN && this.#host.backlogMs(nowMs) > STANDING_MS;
  }

  #look(nowMs: number): void {
    const now = this.#host.utilization();
    const busy = busyShare(now, this.#lastLook);
    if (busy > BUSY) this.#busySinceMs = Math.min(this.#busySinceMs, this.#lookedMs);
    else if (!this.#isRelief(busy, nowMs)) this.#busySinceMs = Number.POSITIVE_INFINITY;
    this.#refusedAtLook = this.#refused;
    this.#lastLook = now;
    this.#lookedMs = nowMs;
  }

  /**
   * Idle time that refusing has won, of which there is some wherever the disk is waited for: without it there would be none,
   * and if all were taken now, everybody would wait for a second until overload stands again.
   */
  #isRelief(busy: number, nowMs: number): boolean {
    return busy > IDLE && this.#refused > this.#refusedAtLook && this.#stands(nowMs);
  }

  /** Once a second: longer by a quarter while overloaded; back to normal within five seconds when it is over. */
  measure(): void {
    const now = this.#host.utilization();
    const busy = busyShare(now, this.#last);
    this.#last = now;
    if (this.#refused > this.#refusedBefore || busy > BUSY)
      this.#intervalMultiplier = Math.min(MULTIPLIER_MAX, this.#intervalMultiplier * 1.25);
    else if (busy < IDLE) this.#intervalMultiplier = relaxed(this.#intervalMultiplier);
    this.#refusedLately = this.#refused - this.#refusedBefore;
    this.#refusedBefore = this.#refused;
  }
}

function busyShare(now: EventLoopUtilization, before: EventLoopUtilization): number {
  const active = now.active - before.active;
  return active / Math.max(1, active + now.idle - before.idle);
}

function relaxed(intervalMultiplier: number): number {
  const surplus = (intervalMultiplier - 1) / 4;
  return surplus < 0.02 ? 1 : 1 + surplus;
}
