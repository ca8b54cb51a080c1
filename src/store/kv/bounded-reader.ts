/** Reading where others wait: what would be much is given up before it is, by what was read so far. Counted and not timed. */
import type { Between, Counted, Entry, RangeOptions, Reader } from './store.ts';
import type { CountedTable, FollowedTable, Table } from './tables.ts';

export interface ReadBounds {
  /** Values and beginnings of ranges, some 4 µs each, and entries of ranges. */
  readonly reads: number;
  readonly bytes: number;
}

/** What `read` gives, or undefined where it would read more. `read` must leave nothing behind when a read of it throws. */
export function readWithin<T>(reader: Reader, bounds: ReadBounds, read: (reader: Reader) => T): T | undefined {
  try {
    return read(new BoundedReader(reader, bounds));
  } catch (error) {
    if (error === TOO_MUCH) return undefined;
    throw error;
  }
}

const TOO_MUCH = new Error('more was read than the bounds allow');

class BoundedReader implements Reader {
  readonly #reader: Reader;
  #readsLeft: number;
  #bytesLeft: number;

  constructor(reader: Reader, { reads, bytes }: ReadBounds) {
    this.#reader = reader;
    this.#readsLeft = reads;
    this.#bytesLeft = bytes;
  }

  refresh(): void {
    this.#reader.refresh();
  }

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    return this.#counted(this.#reader.get(table, key));
  }

  view(table: Table, key: Uint8Array): Uint8Array | undefined {
    return this.#counted(this.#reader.view(table, key));
  }

  *range(table: Table, options?: RangeOptions): Generator<Entry> {
    this.#count(0);
    for (const entry of this.#reader.range(table, options)) {
      this.#count(entry.key.byteLength + entry.value.byteLength);
      yield entry;
    }
  }

  count(table: Table): number {
    return this.#reader.count(table);
  }

  countBetween(table: Table, between: Between, max: number): Counted {
    this.#count(0);
    return this.#reader.countBetween(table, between, max);
  }

  version(table: CountedTable): number {
    return this.#reader.version(table);
  }

  changedSince(table: FollowedTable, version: number): readonly Uint8Array[] | null {
    return this.#reader.changedSince(table, version);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #counted(value: Uint8Array | undefined): Uint8Array | undefined {
    this.#count(value?.byteLength ?? 0);
    return value;
  }

  #count(bytes: number): void {
    this.#readsLeft--;
    this.#bytesLeft -= bytes;
    if (this.#readsLeft < 0 || this.#bytesLeft < 0) throw TOO_MUCH;
  }
}
