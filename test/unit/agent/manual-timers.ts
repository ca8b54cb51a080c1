/** Timers that fire only when a test moves the clock, in order of their time. */

import type { Cancel, Timers } from '../../../agent/base/timers.ts';
import { ManualClock } from '../../../src/base/clock.ts';

interface Entry {
  readonly dueMs: number;
  readonly run: () => void;
}

export class ManualTimers implements Timers {
  readonly clock = new ManualClock();
  readonly #entries = new Set<Entry>();

  get count(): number {
    return this.#entries.size;
  }

  /** Milliseconds until the next timer; undefined where there is none. */
  get nextMs(): number | undefined {
    const dues = [...this.#entries].map(({ dueMs }) => dueMs - this.clock.monotonicMs());
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  after(ms: number, run: () => void): Cancel {
    const entry = { dueMs: this.clock.monotonicMs() + ms, run };
    this.#entries.add(entry);
    return () => this.#entries.delete(entry);
  }

  advance(ms: number): void {
    const endMs = this.clock.monotonicMs() + ms;
    for (;;) {
      const due = [...this.#entries].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (!due) break;
      this.clock.advance(Math.max(0, due.dueMs - this.clock.monotonicMs()));
      this.#entries.delete(due);
      due.run();
    }
    this.clock.advance(endMs - this.clock.monotonicMs());
  }
}
