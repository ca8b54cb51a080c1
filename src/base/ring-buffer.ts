/**
 * A bounded first-in first-out queue. Overflow policy: reject; `push` returns false and takes nothing.
 *
 *        head             tail
 *          v                v
 *   [ . . a b c d e . . . . . ]     slots is a power of two, so an index is masked, not divided
 *
 * It grows by doubling up to its bound: a mailbox that is never busy costs 8 slots, not thousands.
 */
export class RingBuffer<T> {
  readonly capacity: number;
  #slots: (T | undefined)[];
  #head = 0;
  #size = 0;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError(`cannot make a ring of ${capacity} entries`);
    this.capacity = capacity;
    this.#slots = new Array(8).fill(undefined);
  }

  get size(): number {
    return this.#size;
  }

  push(item: T): boolean {
    if (this.#size === this.capacity) return false;
    if (this.#size === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#size) & (this.#slots.length - 1)] = item;
    this.#size++;
    return true;
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#size--;
    return item;
  }

  peek(): T | undefined {
    return this.#size === 0 ? undefined : this.#slots[this.#head];
  }

  #grow(): void {
    const old = this.#slots;
    const slots: (T | undefined)[] = new Array(old.length * 2).fill(undefined);
    for (let i = 0; i < this.#size; i++) slots[i] = old[(this.#head + i) & (old.length - 1)];
    this.#slots = slots;
    this.#head = 0;
  }
}
