/**
 * Lets so much be in work at once; the rest waits in the order in which it came. Something larger than the whole is let in
 * alone. What waits is not bounded here: callers are refused, or counted, before.
 */
export class Gate {
  readonly #max: number;
  #inside = 0;
  #waiting: { readonly size: number; readonly enter: () => void }[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when so much more is let in. `leave` must be called for it, once. */
  enter(size: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ size, enter: resolve });
      this.#letIn();
    });
  }

  leave(size: number): void {
    this.#inside -= size;
    this.#letIn();
  }

  #letIn(): void {
    let count = 0;
    for (const { size, enter } of this.#waiting) {
      if (this.#inside > 0 && this.#inside + size > this.#max) break;
      this.#inside += size;
      count++;
      enter();
    }
    if (count > 0) this.#waiting = this.#waiting.slice(count);
  }
}
