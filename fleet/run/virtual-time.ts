/**
 * The clock of the simulated history. It begins `span` before the moment at which the run starts and ends at that moment,
 * so no event is ever ahead of the server's clock, and a run may finish late without passing it.
 *
 *   virtual   start ═══════════════════ end          (span = duration × speed)
 *   real                                begin ─ ─ ─ ─ ─ ─ ─ end of the run
 */
import type { EpochNs } from '../../src/protocol/timestamp.ts';
import { atSecond } from '../plan/stamp.ts';

export interface VirtualTimeOptions {
  readonly startNs: EpochNs;
  readonly spanSeconds: number;
  /** Simulated seconds in a real one. */
  readonly speed: number;
}

interface Waiter {
  /** Undefined for a wait in real time. */
  readonly second: number | undefined;
  readonly resolve: (came: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

export class VirtualTime {
  readonly startNs: EpochNs;
  readonly spanSeconds: number;
  readonly over: Promise<void>;
  readonly #speed: number;
  readonly #waiters = new Set<Waiter>();
  readonly #endTimer: NodeJS.Timeout;
  #signalOver: () => void = () => {};
  #beginMs: number;
  /** The second at which the clock stopped. */
  #stoppedAt: number | undefined;

  constructor({ startNs, spanSeconds, speed }: VirtualTimeOptions) {
    this.startNs = startNs;
    this.spanSeconds = spanSeconds;
    this.#speed = speed;
    this.#beginMs = performance.now();
    this.over = new Promise((resolve) => {
      this.#signalOver = resolve;
    });
    this.#endTimer = setTimeout(() => this.stop(spanSeconds), (spanSeconds / speed) * 1_000);
  }

  get isOver(): boolean {
    return this.#stoppedAt !== undefined;
  }

  get elapsedRealMs(): number {
    return performance.now() - this.#beginMs;
  }

  nowSecond(): number {
    return this.#stoppedAt ?? Math.min(this.spanSeconds, (this.elapsedRealMs / 1_000) * this.#speed);
  }

  nowNs(): EpochNs {
    return atSecond(this.startNs, this.nowSecond());
  }

  realMsUntil(second: number): number {
    return Math.max(0, ((second - this.nowSecond()) / this.#speed) * 1_000);
  }

  /** True when the history has come to that second; false where it ends before. */
  until(second: number): Promise<boolean> {
    if (second <= this.nowSecond()) return Promise.resolve(true);
    return this.#wait(this.realMsUntil(second), second);
  }

  /** True after that real time; false when the run is over first. */
  pause(ms: number): Promise<boolean> {
    return this.#wait(ms, undefined);
  }

  /** Ends the history now (or at `second`): what was due by then goes on, what was not never comes. */
  stop(second = this.nowSecond()): void {
    if (this.isOver) return;
    this.#stoppedAt = second;
    clearTimeout(this.#endTimer);
    for (const waiter of this.#waiters) {
      clearTimeout(waiter.timer);
      waiter.resolve(waiter.second !== undefined && waiter.second <= second);
    }
    this.#waiters.clear();
    this.#signalOver();
  }

  #wait(ms: number, second: number | undefined): Promise<boolean> {
    if (this.isOver || (second !== undefined && second > this.spanSeconds)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        resolve(true);
      }, ms);
      const waiter: Waiter = { second, resolve, timer };
      this.#waiters.add(waiter);
    });
  }
}
