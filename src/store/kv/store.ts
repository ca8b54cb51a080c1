/**
 * What the rest of the server knows of bytes on disk. Two implementations stand beside this file (LMDB, memory) and one
 * contract suite holds them to the same behaviour.
 *
 * A reader may be open on any thread. There is one writer in a process, and one process on a folder.
 */
import type { CountedTable, FollowedTable, Table } from './tables.ts';
import type { PackedWrites } from './write-batch.ts';

export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface RangeOptions {
  /** First key, inclusive; from the beginning where absent. */
  readonly start?: Uint8Array;
  /** Key to stop before; to the end where absent. */
  readonly end?: Uint8Array;
  /** From the last key before `end` down to `start`, both bounds meaning the same. */
  readonly reverse?: boolean;
  readonly limit?: number;
  /** Values are not read: those of the entries are empty. */
  readonly keysOnly?: boolean;
}

/** First key, inclusive, and key to stop before; to the end where absent. */
export type Between = Pick<RangeOptions, 'end'> & { readonly start: Uint8Array };

export interface Counted {
  readonly count: number;
  /** Null where there are no more. */
  readonly next: Uint8Array | null;
}

export interface Reader {
  /**
   * From here on, reads see everything that was committed before this call, by whatever thread. Lets go of what was read before: as
   * long as that is held (until the thread's next turn, but for this call), no page that is freed meanwhile is used again.
   */
  refresh(): void;
  /** The value, owned by the caller. */
  get(table: Table, key: Uint8Array): Uint8Array | undefined;
  /** The value as it is until the next call of this reader; not to be kept, changed or handed on. For what copies it at once. */
  view(table: Table, key: Uint8Array): Uint8Array | undefined;
  /** Entries in order of key bytes, owned by the caller. Do not keep an iterator across an `await`: resume by key. */
  range(table: Table, options?: RangeOptions): Iterable<Entry>;
  count(table: Table): number;
  /** How many entries there are between two keys, up to `max`, and the key of the next one behind these. Looks at `max` entries or more. */
  countBetween(table: Table, between: Between, max: number): Counted;
  /** How many transactions have written the table; an answer made from it is as fresh as this number (its ETag). */
  version(table: CountedTable): number;
  /** Keys that the transactions behind this version of the table have written, maybe more than once; null where not all are known. */
  changedSince(table: FollowedTable, version: number): readonly Uint8Array[] | null;
  close(): Promise<void>;
}

export interface Writer {
  /**
   * Writes all of the batches in one transaction. When it returns they are on disk (flushed), when it throws none is.
   * Throws a CodedError: storageFull, or internal for any other fault of the disk.
   */
  commit(batches: readonly PackedWrites[]): void;
}

export interface Store extends Reader, Writer {}
