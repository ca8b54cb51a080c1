/** A store of which one key is damaged as a disk damages it: the row keeps its place, and LMDB's binary search meets it there. */
import { compareKeys } from '../../../src/store/kv/keys.ts';
import type { Between, Counted, Entry, RangeOptions, Reader } from '../../../src/store/kv/store.ts';
import type { CountedTable, FollowedTable, Table } from '../../../src/store/kv/tables.ts';

export interface DamagedRow {
  readonly table: Table;
  /** Number of the row, and of the bit in its key; larger ones begin again. */
  readonly at: number;
  readonly bit: number;
}

/** More than any walk of a test needs. */
const RANGES_MAX = 50_000;

export class DamagedKeyReader implements Reader {
  readonly #reader: Reader;
  readonly #table: Table;
  readonly #entries: readonly Entry[];
  #ranges = 0;

  constructor(reader: Reader, { table, at, bit }: DamagedRow) {
    this.#reader = reader;
    this.#table = table;
    const entries = [...reader.range(table)];
    const key = entries[at % entries.length]?.key as Uint8Array;
    const flipped = bit % (key.byteLength * 8);
    key[flipped >> 3] = (key[flipped >> 3] as number) ^ (1 << (flipped & 7));
    this.#entries = entries;
  }

  refresh(): void {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    // As LMDB does.
    if (key.byteLength === 0) throw new Error('MDB_BAD_VALSIZE');
    if (table !== this.#table) return this.#reader.get(table, key);
    const entry = this.#entries[this.#search(key)];
    return entry && compareKeys(entry.key, key) === 0 ? entry.value : undefined;
  }

  view(table: Table, key: Uint8Array): Uint8Array | undefined {
    return this.get(table, key);
  }

  range(table: Table, options: RangeOptions = {}): Iterable<Entry> {
    if (++this.#ranges > RANGES_MAX) throw new Error(`a walk that does not end: it has read ${RANGES_MAX} ranges`);
    return table === this.#table ? this.#range(options) : this.#reader.range(table, options);
  }

  *#range({ start, end, reverse = false, limit = Number.POSITIVE_INFINITY }: RangeOptions): Generator<Entry> {
    const step = reverse ? -1 : 1;
    const first = start ? this.#search(start) : 0;
    const behind = end ? this.#search(end) : this.#entries.length;
    let count = 0;
    for (let i = reverse ? behind - 1 : first; i >= 0 && i < this.#entries.length && count < limit; i += step) {
      const entry = this.#entries[i] as Entry;
      // As a cursor does: the bound that it comes to ends it.
      if (reverse ? start && compareKeys(entry.key, start) < 0 : end && compareKeys(entry.key, end) >= 0) return;
      yield { key: entry.key.slice(), value: entry.value };
      count++;
    }
  }

  count(table: Table): number {
    return this.#reader.count(table);
  }

  countBetween(table: Table, { start, end }: Between, max: number): Counted {
    let count = 0;
    for (const { key } of this.range(table, { start, ...(end ? { end } : {}) })) {
      if (count === max) return { count, next: key };
      count++;
    }
    return { count, next: null };
  }

  version(table: CountedTable): number {
    return this.#reader.version(table);
  }

  changedSince(table: FollowedTable, version: number): readonly Uint8Array[] | null {
    return this.#reader.changedSince(table, version);
  }

  async close(): Promise<void> {}

  #search(key: Uint8Array): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys((this.#entries[middle] as Entry).key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
