/**
 * Request budgets that all threads share: for each caller the moment at which its budget would be full again (GCRA, one
 * number a caller), in a table of fixed size. Two callers whose hashes meet in one slot would share a budget, so each has
 * two slots and is judged by the kinder one. The hash is salted, so that no caller can aim at another's slots.
 *
 *            now                     now + 1 s
 *   ──────────┼──────────────────────────┼────►     each request moves `full` by 1/rate;
 *             └── full ──► within 1 s: granted      so a burst of one second's worth is granted at once
 */
import { hashOf } from '../hash.ts';

/** 512 KiB. With 1,000 busy callers the chance that both slots of another one are theirs is below 0.1 %. */
const SLOTS = 65_536;
const BURST_US = 1_000_000n;

export class SharedBudget {
  readonly #full: BigInt64Array;
  readonly #salt: string;

  constructor(buffer: SharedArrayBuffer, salt: string) {
    this.#full = new BigInt64Array(buffer);
    this.#salt = salt;
  }

  static newBuffer(): SharedArrayBuffer {
    return new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT);
  }

  /** Milliseconds until the next request of the caller is granted; 0 where this one is. The clock is one for all threads. */
  take(caller: string, perSecond: number, nowUs: bigint): number {
    const stepUs = BigInt(Math.ceil(1_000_000 / perSecond));
    const [first, second] = this.#slotsOf(caller);
    for (;;) {
      const a = Atomics.load(this.#full, first);
      const b = Atomics.load(this.#full, second);
      const next = later(sooner(a, b), nowUs) + stepUs;
      if (next > nowUs + BURST_US) return Number(next - nowUs - BURST_US) / 1_000;
      // Another thread took from the same slot meanwhile: look again.
      if (Atomics.compareExchange(this.#full, first, a, later(a, next)) !== a) continue;
      if (second !== first) Atomics.compareExchange(this.#full, second, b, later(b, next));
      return 0;
    }
  }

  #slotsOf(caller: string): [number, number] {
    const hash = hashOf(`${this.#salt}${caller}`);
    return [hash % SLOTS, hashOf(`${hash}${this.#salt}`) % SLOTS];
  }
}

function sooner(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

function later(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
