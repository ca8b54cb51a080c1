/**
 * One slice of long work in a turn of the event loop, however many calls have such work: they take turns, in the order in
 * which they asked. `inTurns` is for work that is rare enough to need no queue.
 *
 * What waits is not bounded here: each call waits once, and calls are refused, or counted, before.
 */
export class TurnQueue {
  readonly #afterTurn: (run: () => void) => void;
  #waiting: (() => void)[] = [];
  #isAsked = false;

  /** `afterTurn` asks for a call when this turn of the event loop is over. */
  constructor(afterTurn: (run: () => void) => void = setImmediate) {
    this.#afterTurn = afterTurn;
  }

  /** Resolves in a turn that no other caller of the queue has. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#ask();
    });
  }

  #ask(): void {
    if (this.#isAsked || this.#waiting.length === 0) return;
    this.#isAsked = true;
    this.#afterTurn(() => {
      this.#isAsked = false;
      const [first, ...others] = this.#waiting;
      this.#waiting = others;
      this.#ask();
      first?.();
    });
  }
}
