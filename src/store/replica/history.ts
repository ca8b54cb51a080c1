/**
 * What this server has of the stream: the place that its database stands at, and the last frames themselves, which are published
 * again where the stream has lost its end. Both change in the transaction that applies a group, so they never differ from it.
 */
import { pack } from 'msgpackr';
import { KeyReader, keyOf, textKey } from '../kv/keys.ts';
import type { Reader, Store } from '../kv/store.ts';
import { mustUnpackArray } from '../kv/unpack.ts';
import { type PackedWrites, WriteBatch } from '../kv/write-batch.ts';
import { digestOf, type FrameKind, NO_DIGEST } from './frame.ts';

export interface Position {
  /** Of the stream's last message that is applied; 0: none. */
  readonly sequence: number;
  readonly digest: Uint8Array;
  readonly term: number;
}

export interface NumberedFrame {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** What is applied as one. */
export interface Group {
  readonly kind: FrameKind;
  readonly term: number;
  readonly payload: Uint8Array;
  /** All that the stream has between the group before and the end of this one; also parts of a group that was never finished. */
  readonly frames: readonly NumberedFrame[];
}

/** A power cut takes what the engine has not synced: up to two minutes by its defaults. */
export const TAIL_BYTES_MAX = 64 * 1024 * 1024;

export const POSITION_KEY = textKey('replica');
/** The tables are those of this later place in the stream, because they come from a snapshot; logs are not. */
export const TABLES_AHEAD_KEY = textKey('replicaTablesAhead');
/** The place that this server had in a stream that is gone: of several servers the one with the highest begins the next. */
export const FORMER_KEY = textKey('replicaFormer');
const START: Position = { sequence: 0, digest: NO_DIGEST, term: 0 };

export function positionOf(reader: Pick<Reader, 'get'>): Position {
  const stored = reader.get('meta', POSITION_KEY);
  if (!stored) return START;
  const [sequence, digest, term] = mustUnpackArray(stored, 'the place in the stream') as [number, Uint8Array, number];
  return { sequence, digest: Uint8Array.from(digest), term };
}

/** What the server had when it left its stream; 0 where it has a stream, or never had one. */
export function formerSequenceOf(reader: Pick<Reader, 'get'>): number {
  const stored = reader.get('meta', FORMER_KEY);
  return stored ? Number(Buffer.from(stored).toString()) : 0;
}

/**
 * The database is one of a server alone from now on; where it was one already, nothing changes. What such a server writes is in no
 * stream, so a place in one would be a lie.
 */
export function forgetStream(store: Store): void {
  store.refresh();
  const { sequence } = positionOf(store);
  if (sequence === 0) return;
  const batch = new WriteBatch();
  batch.remove('meta', POSITION_KEY);
  batch.put('meta', FORMER_KEY, textKey(String(sequence)));
  for (const { key } of store.range('replicaTail')) batch.remove('replicaTail', key);
  store.commit([batch.seal()]);
}

/** The row of a position. */
export function encodePosition({ sequence, digest, term }: Position): Uint8Array {
  return pack([sequence, digest, term]);
}

export class History {
  readonly #store: Store;
  readonly #tailBytesMax: number;
  /** Size of each frame that is kept, in order. */
  #sizes: number[] = [];
  #firstKept = 1;
  #keptBytes = 0;
  #position: Position = START;
  #tablesAhead = 0;

  constructor(store: Store, tailBytesMax = TAIL_BYTES_MAX) {
    this.#store = store;
    this.#tailBytesMax = tailBytesMax;
    this.reload();
  }

  get position(): Position {
    return this.#position;
  }

  /** All frames since the beginning of the stream are kept. */
  get reachesStart(): boolean {
    return this.#firstKept === 1;
  }

  /** Leaves the stream, which is gone, and keeps the data. Durable when it returns. */
  forget(): void {
    forgetStream(this.#store);
    this.reload();
  }

  /** After the store was changed by others. */
  reload(): void {
    this.#store.refresh();
    this.#position = positionOf(this.#store);
    const ahead = this.#store.get('meta', TABLES_AHEAD_KEY);
    this.#tablesAhead = ahead ? Number(Buffer.from(ahead).toString()) : 0;
    this.#sizes = [];
    this.#firstKept = this.#position.sequence + 1;
    this.#keptBytes = 0;
    for (const { key, value } of this.#store.range('replicaTail')) {
      if (this.#sizes.length === 0) this.#firstKept = new KeyReader(key).number();
      this.#sizes.push(value.byteLength);
      this.#keptBytes += value.byteLength;
    }
  }

  /** Makes the group's writes, and where they come from, durable in one transaction. Throws what the store throws. */
  commit({ kind, term, payload, frames }: Group): void {
    const last = frames.at(-1) as NumberedFrame;
    const position = { sequence: last.sequence, digest: digestOf(last.bytes), term };
    const batch = new WriteBatch();
    batch.put('meta', POSITION_KEY, encodePosition(position));
    if (this.#position.sequence === 0) batch.remove('meta', FORMER_KEY);
    const kept = frames.filter(({ bytes }) => bytes.byteLength <= this.#tailBytesMax);
    for (const { sequence, bytes } of kept) batch.put('replicaTail', keyOf({ number: sequence }), bytes);
    let bytes = this.#keptBytes + kept.reduce((sum, frame) => sum + frame.bytes.byteLength, 0);
    let removed = 0;
    for (; bytes > this.#tailBytesMax && removed < this.#sizes.length; removed++) {
      bytes -= this.#sizes[removed] as number;
      batch.remove('replicaTail', keyOf({ number: this.#firstKept + removed }));
    }
    const isThere = position.sequence <= this.#tablesAhead;
    if (this.#tablesAhead > 0 && !isThere) batch.remove('meta', TABLES_AHEAD_KEY);
    const own = batch.seal();
    const isWritten = kind === 'writes' && payload.byteLength > 0 && !isThere;
    this.#store.commit(isWritten ? [payload as PackedWrites, own] : [own]);
    if (!isThere) this.#tablesAhead = 0;
    this.#position = position;
    this.#sizes.splice(0, removed);
    this.#firstKept += removed;
    this.#sizes.push(...kept.map((frame) => frame.bytes.byteLength));
    this.#keptBytes = bytes;
  }

  /** The frames that are kept, from `from` on. */
  *tail(from: number): Iterable<NumberedFrame> {
    this.#store.refresh();
    for (let sequence = from; sequence <= this.#position.sequence; sequence++) {
      const bytes = this.#store.get('replicaTail', keyOf({ number: sequence }));
      if (!bytes) return;
      yield { sequence, bytes };
    }
  }
}
