/**
 * One call that waits for its reply: answered once, by the actor or, when its deadline passes first, with `overloaded` or
 * `outcomeUnknown`.
 */
import { type Failure, OUTCOME_UNKNOWN } from '../../base/errors.ts';
import type { TimingWheel, WheelEntry } from '../../base/timing-wheel.ts';
import type { Done } from './cell.ts';

const OVERLOADED: Failure = { name: 'overloaded' };

export class Asked<Entry> {
  readonly done: Done;
  readonly #wheel: TimingWheel<Entry | (() => void)>;
  #isOver = false;
  #deadline: WheelEntry<unknown> | null = null;

  constructor(wheel: TimingWheel<Entry | (() => void)>, done: Done) {
    this.#wheel = wheel;
    this.done = (failure, reply) => {
      if (this.#isOver) return;
      this.#isOver = true;
      if (this.#deadline) wheel.cancel(this.#deadline);
      done(failure, reply);
    };
  }

  /** Most calls are answered by now; only the others pay for a timer. */
  endBy(monotonicMs: number): void {
    if (this.#isOver) return;
    this.#deadline = this.#wheel.schedule(monotonicMs, () =>
      this.done(this.done.hasWritten ? OUTCOME_UNKNOWN : OVERLOADED, undefined),
    );
  }
}
