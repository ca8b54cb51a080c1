/**
 * Long work on a thread that serves others: cut into slices that are bounded by count or bytes, never by the clock, with a
 * turn of the event loop after each. Other calls on that thread wait for one slice, not for the whole body.
 *
 * Such work is a generator that yields where a slice ends, so that it can be tested without an event loop.
 */
export type Sliced<T> = Generator<void, T>;

/** Runs it with a turn of the event loop between slices. What fits one slice needs no turn. */
export async function inTurns<T>(work: Sliced<T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await nextTurn();
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Counts what was done in a slice; `spend` yields when that is enough for one. */
export class SliceBudget {
  readonly #max: number;
  #spent = 0;

  constructor(max: number) {
    this.#max = max;
  }

  *spend(units: number): Sliced<void> {
    if (this.#spent > 0 && this.#spent + units > this.#max) {
      this.#spent = 0;
      yield;
    }
    this.#spent += units;
  }
}
