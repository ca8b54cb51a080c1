/** Ordered sources of row endings (a time, then an id), to be walked in step with one another. */
import { afterKey, afterPrefix, compareKeys } from '../../store/kv/keys.ts';
import type { RangeOptions, Reader } from '../../store/kv/store.ts';
import type { Table } from '../../store/kv/tables.ts';
import { COST, type Cost } from './cost.ts';

export interface Source {
  /**
   * The first ending at `at` or beyond it in the direction of the walk (behind it where `exclusive`); from the beginning
   * where null. Positions must not go back.
   */
  seek(at: Uint8Array | null, exclusive: boolean): Uint8Array | undefined;
}

export interface RangeOf {
  readonly table: Table;
  readonly prefix: Uint8Array;
  /** Endings at or above, and below. */
  readonly from?: Uint8Array;
  readonly to?: Uint8Array;
  readonly descending: boolean;
}

/** Entries read at once: few after a jump, more while one follows the other. */
const AT_ONCE = { min: 4, max: 128 } as const;
/** To begin a range costs as much as some entries: where at least one of so many is wanted, all are read. */
const WORTH_READING_ON = 6;

/** Rows of one prefix. Holds copies of a few keys and no iterator. */
export class RangeSource implements Source {
  readonly #reader: Reader;
  readonly #range: RangeOf;
  readonly #cost: Cost;
  readonly #first: Uint8Array;
  readonly #end: Uint8Array | undefined;
  #ahead: Uint8Array[] = [];
  #at = 0;
  #given = 0;
  #size: number = AT_ONCE.min;
  #exhausted = false;

  constructor(reader: Reader, range: RangeOf, cost: Cost) {
    this.#reader = reader;
    this.#range = range;
    this.#cost = cost;
    this.#first = range.from ? joined(range.prefix, range.from) : range.prefix;
    this.#end = range.to ? joined(range.prefix, range.to) : afterPrefix(range.prefix);
  }

  seek(at: Uint8Array | null, exclusive: boolean): Uint8Array | undefined {
    for (; this.#at < this.#ahead.length; this.#at++) {
      const ending = this.#ahead[this.#at] as Uint8Array;
      if (at === null || isBeyond(ending, at, exclusive, this.#range.descending)) return this.#give(ending);
    }
    if (this.#exhausted) return undefined;
    this.#load(at, exclusive);
    const found = this.#ahead[0];
    return found && this.#give(found);
  }

  #give(ending: Uint8Array): Uint8Array {
    this.#given++;
    return ending;
  }

  #load(at: Uint8Array | null, exclusive: boolean): void {
    const { table, prefix, descending } = this.#range;
    this.#size =
      this.#given * WORTH_READING_ON > this.#size
        ? Math.min(AT_ONCE.max, this.#size * 2)
        : Math.max(AT_ONCE.min, this.#size / 2);
    this.#given = 0;
    this.#at = 0;
    this.#ahead = [];
    let rows = 0;
    for (const { key } of this.#reader.range(table, this.#bounds(at && joined(prefix, at), exclusive, descending))) {
      rows++;
      const ending = prefix.length === 0 ? key : endingOf(key, prefix.length);
      // A key that the disk has damaged leads LMDB's search astray: a walk that went back would go round and round.
      if (at === null || isBeyond(ending, at, exclusive, descending)) this.#ahead.push(ending);
    }
    this.#exhausted = rows < this.#size || this.#ahead.length === 0;
    this.#cost.spent += COST.range + rows * COST.entry;
  }

  #bounds(at: Uint8Array | null, exclusive: boolean, descending: boolean): RangeOptions {
    let start: Uint8Array | undefined = this.#first.length > 0 ? this.#first : undefined;
    let end = this.#end;
    if (at && !descending) {
      const from = exclusive ? afterKey(at) : at;
      if (!start || compareKeys(from, start) > 0) start = from;
    } else if (at) {
      const to = exclusive ? at : afterKey(at);
      if (!end || compareKeys(to, end) < 0) end = to;
    }
    return {
      ...(start ? { start } : {}),
      ...(end ? { end } : {}),
      reverse: descending,
      limit: this.#size,
      keysOnly: true,
    };
  }
}

/** All rows of several sources that have none in common, as one. */
class UnionSource implements Source {
  readonly #sources: readonly Source[];
  readonly #descending: boolean;

  constructor(sources: readonly Source[], descending: boolean) {
    this.#sources = sources;
    this.#descending = descending;
  }

  seek(at: Uint8Array | null, exclusive: boolean): Uint8Array | undefined {
    let first: Uint8Array | undefined;
    for (const source of this.#sources) {
      const found = source.seek(at, exclusive);
      if (found && (!first || isBeyond(first, found, true, this.#descending))) first = found;
    }
    return first;
  }
}

export function unionOf(sources: readonly Source[], descending: boolean): Source {
  const [only] = sources;
  return only && sources.length === 1 ? only : new UnionSource(sources, descending);
}

export interface Intersection {
  readonly ending: Uint8Array;
  /** In all of the sources. Where false, nothing up to here is. */
  readonly hit: boolean;
}

/** What is in all of the sources, behind `after`: each in turn jumps to where another one stands. */
export function* intersection(sources: readonly Source[], after: Uint8Array | null): Generator<Intersection> {
  let ending = sources[0]?.seek(after, true);
  while (ending) {
    let farthest: Uint8Array | undefined = ending;
    for (let i = 1; i < sources.length && farthest === ending; i++) {
      const found: Uint8Array | undefined = sources[i]?.seek(ending, false);
      if (!found || compareKeys(found, ending) !== 0) farthest = found;
    }
    const hit = farthest === ending;
    yield { ending, hit };
    if (!farthest) return;
    ending = sources[0]?.seek(farthest, hit);
  }
}

/**
 * A copy, in memory that many share. A part of a key by `subarray`, or its text by `.buffer`, would give each key memory of its own
 * outside of the heap, which the collector then takes back one by one: a page of 100 rows makes some 110 keys.
 */
function endingOf(key: Uint8Array, from: number): Uint8Array {
  const ending = Buffer.allocUnsafe(key.length - from);
  for (let i = 0; i < ending.length; i++) ending[i] = key[from + i] as number;
  return ending;
}

function isBeyond(a: Uint8Array, b: Uint8Array, exclusive: boolean, descending: boolean): boolean {
  const order = descending ? compareKeys(b, a) : compareKeys(a, b);
  return exclusive ? order > 0 : order >= 0;
}

export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
