/** Virtual time: what happens next is the earliest event, among equals the one that was planned first. Nothing else moves. */
export interface Entry {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | null;
}

export class Agenda {
  #nowMs = 0;
  #order = 0;
  #heap: Entry[] = [];

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Events carried out so far. */
  carriedOut = 0;

  /** Never in the past. */
  at(atMs: number, run: () => void): Entry {
    const entry: Entry = { atMs: Math.max(atMs, this.#nowMs), order: this.#order++, run };
    this.#heap.push(entry);
    this.#up(this.#heap.length - 1);
    return entry;
  }

  after(delayMs: number, run: () => void): Entry {
    return this.at(this.#nowMs + delayMs, run);
  }

  /** Carries out the next event that is due by `untilMs`; false where there is none, and then it is `untilMs`. */
  step(untilMs: number): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (!next || next.atMs > untilMs) {
        this.#nowMs = untilMs;
        return false;
      }
      this.#pop();
      this.#nowMs = next.atMs;
      if (!next.run) continue;
      this.carriedOut++;
      next.run();
      return true;
    }
  }

  #pop(): void {
    const last = this.#heap.pop() as Entry;
    if (this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#down();
  }

  #up(at: number): void {
    const heap = this.#heap;
    const entry = heap[at] as Entry;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent] as Entry)) break;
      heap[at] = heap[parent] as Entry;
      at = parent;
    }
    heap[at] = entry;
  }

  #down(): void {
    const heap = this.#heap;
    const entry = heap[0] as Entry;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child++;
      if (!isBefore(heap[child] as Entry, entry)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = entry;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
