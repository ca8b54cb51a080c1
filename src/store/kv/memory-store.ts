/** The store in memory: for tests and simulation. A sorted array a table; the same contract as LMDB, nothing on disk. */
import { CodedError } from '../../base/errors.ts';
import { ChangedKeys, changesBetween, changesKey } from './changed-keys.ts';
import { compareKeys } from './keys.ts';
import type { Between, Counted, Entry, RangeOptions, Store } from './store.ts';
import { type CountedTable, type FollowedTable, isCounted, TABLES, type Table } from './tables.ts';
import { type PackedWrites, visitWrites } from './write-batch.ts';

const NOTHING = new Uint8Array(0);

export class MemoryStore implements Store {
  readonly #tables = new Map<Table, Entry[]>(TABLES.map((table) => [table, []]));
  readonly #versions = new Map<CountedTable, number>();
  readonly #changes = new Map<string, Uint8Array>();
  #closed = false;
  /** Bytes that keys and values may take together; for the storage-full tests. */
  readonly #bytesMax: number;

  constructor(options: { bytesMax?: number } = {}) {
    this.#bytesMax = options.bytesMax ?? Number.POSITIVE_INFINITY;
  }

  refresh(): void {
    this.#mustBeOpen();
  }

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const entries = this.#entries(table);
    const at = lowerBound(entries, key);
    const entry = entries[at];
    return entry && compareKeys(entry.key, key) === 0 ? entry.value.slice() : undefined;
  }

  view(table: Table, key: Uint8Array): Uint8Array | undefined {
    return this.get(table, key);
  }

  *range(table: Table, options: RangeOptions = {}): Iterable<Entry> {
    const entries = this.#entries(table);
    const from = options.start ? lowerBound(entries, options.start) : 0;
    const to = options.end ? lowerBound(entries, options.end) : entries.length;
    const selected = entries.slice(from, Math.max(from, to));
    if (options.reverse) selected.reverse();
    for (const { key, value } of selected.slice(0, options.limit))
      yield { key: key.slice(), value: options.keysOnly ? NOTHING : value.slice() };
  }

  count(table: Table): number {
    return this.#entries(table).length;
  }

  countBetween(table: Table, { start, end }: Between, max: number): Counted {
    const entries = this.#entries(table);
    const from = lowerBound(entries, start);
    const count = Math.max(0, (end ? lowerBound(entries, end) : entries.length) - from);
    return count > max ? { count: max, next: (entries[from + max] as Entry).key.slice() } : { count, next: null };
  }

  version(table: CountedTable): number {
    this.#mustBeOpen();
    return this.#versions.get(table) ?? 0;
  }

  changedSince(table: FollowedTable, version: number): readonly Uint8Array[] | null {
    return changesBetween(version, this.version(table), (one) => this.#changes.get(`${changesKey(table, one)}`));
  }

  commit(batches: readonly PackedWrites[]): void {
    this.#mustBeOpen();
    const size = batches.reduce((sum, batch) => sum + batch.byteLength, 0);
    if (this.#size() + size > this.#bytesMax) throw new CodedError('storageFull');
    for (const batch of batches) mustBeWhole(batch);
    const counted = new Set<CountedTable>();
    const changed = new ChangedKeys();
    for (const batch of batches) {
      visitWrites(batch, {
        put: (table, key, value) => {
          this.#put(table, key.slice(), value.slice());
          changed.add(table, key);
          if (isCounted(table)) counted.add(table);
        },
        remove: (table, key) => {
          this.#remove(table, key);
          changed.add(table, key);
          if (isCounted(table)) counted.add(table);
        },
      });
    }
    for (const table of counted) {
      const version = this.version(table) + 1;
      this.#versions.set(table, version);
      const row = changed.rowOf(table, version);
      if (row) this.#changes.set(`${row.key}`, row.value);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #size(): number {
    let size = 0;
    for (const entries of this.#tables.values())
      for (const entry of entries) size += entry.key.length + entry.value.length;
    return size;
  }

  #put(table: Table, key: Uint8Array, value: Uint8Array): void {
    const entries = this.#entries(table);
    const at = lowerBound(entries, key);
    const there = entries[at];
    const replaces = there !== undefined && compareKeys(there.key, key) === 0;
    entries.splice(at, replaces ? 1 : 0, { key, value });
  }

  #remove(table: Table, key: Uint8Array): void {
    const entries = this.#entries(table);
    const at = lowerBound(entries, key);
    const there = entries[at];
    if (there && compareKeys(there.key, key) === 0) entries.splice(at, 1);
  }

  #entries(table: Table): Entry[] {
    this.#mustBeOpen();
    return this.#tables.get(table) as Entry[];
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new CodedError('internal', 'the store is closed');
  }
}

/** A batch that cannot be read to its end must leave nothing behind; LMDB takes a transaction back, this store looks first. */
function mustBeWhole(batch: PackedWrites): void {
  visitWrites(batch, { put: () => {}, remove: () => {} });
}

/** Index of the first entry whose key is not below `key`. */
function lowerBound(entries: readonly Entry[], key: Uint8Array): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys((entries[middle] as Entry).key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
