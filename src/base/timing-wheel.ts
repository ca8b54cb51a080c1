/**
 * One wheel for all deadlines of a thread, instead of a timer an actor. Scheduling and cancelling are O(1); advancing
 * costs the ticks passed plus the entries due. An entry further away than one turn stays in its slot and is looked at
 * once a turn.
 *
 *   slot 0   1   2   …   1023        tick = granularityMs
 *        │   └─ entry ─ entry        entry.due decides, the slot only says when to look
 *        └─ entry
 *
 * Nothing fires early: an entry fires at the first `advance` whose time is at or after its due time. That is a whole
 * millisecond, rounded up, because other numbers take memory of their own, and there may be a million entries.
 */
export interface WheelEntry<T> {
  readonly dueMs: number;
  readonly payload: T;
}

interface Node<T> extends WheelEntry<T> {
  slot: number;
  previous: Node<T> | undefined;
  next: Node<T> | undefined;
}

const SLOTS = 1024;

export class TimingWheel<T> {
  readonly granularityMs: number;
  readonly #slots: (Node<T> | undefined)[] = new Array(SLOTS).fill(undefined);
  #tick: number;
  #size = 0;

  constructor(nowMs: number, granularityMs = 100) {
    this.granularityMs = granularityMs;
    this.#tick = Math.floor(nowMs / granularityMs);
  }

  get size(): number {
    return this.#size;
  }

  schedule(atMs: number, payload: T): WheelEntry<T> {
    const dueMs = Math.ceil(atMs);
    // The slot of the tick that the due time lies in, not of the one after it: that tick is looked at until it is over.
    const tick = Math.max(this.#tick, Math.floor(dueMs / this.granularityMs));
    const slot = tick % SLOTS;
    const head = this.#slots[slot];
    const node: Node<T> = { dueMs, payload, slot, previous: undefined, next: head };
    if (head) head.previous = node;
    this.#slots[slot] = node;
    this.#size++;
    return node;
  }

  /** Cancelling an entry that has fired, or twice, does nothing. */
  cancel(entry: WheelEntry<unknown>): void {
    const node = entry as Node<T>;
    if (node.slot < 0) return;
    if (node.previous) node.previous.next = node.next;
    else this.#slots[node.slot] = node.next;
    if (node.next) node.next.previous = node.previous;
    node.slot = -1;
    this.#size--;
  }

  /** Fires what is due at `nowMs`, in order of due time; returns how many. */
  advance(nowMs: number, fire: (payload: T) => void): number {
    const last = Math.floor(nowMs / this.granularityMs);
    const ticks = Math.min(last - this.#tick + 1, SLOTS);
    const due: Node<T>[] = [];
    for (let i = 0; i < ticks; i++) {
      let node = this.#slots[(this.#tick + i) % SLOTS];
      while (node) {
        const next = node.next;
        if (node.dueMs <= nowMs) due.push(node);
        node = next;
      }
    }
    if (last > this.#tick) this.#tick = last;
    due.sort((a, b) => a.dueMs - b.dueMs);
    let fired = 0;
    for (const node of due) {
      if (node.slot < 0) continue;
      this.cancel(node);
      fire(node.payload);
      fired++;
    }
    return fired;
  }
}
