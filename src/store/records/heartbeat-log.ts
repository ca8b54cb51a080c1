/**
 * Last heartbeats on disk: an append log of `(node, time)` rows, some thousand in a value, instead of a record a node. A
 * million nodes that beat every 30 s are 33,000 rows a second; as records each would dirty a page of its own.
 *
 *   table `beat`   key: shard, sequence number      value: version, then pairs of doubles (node's key, milliseconds)
 *
 *   table `meta`, `beatShards`: for how many shards the rows are; every node's newest is in its own shard's
 *
 * A node is known by 53 bits of a hash of its id: a collision, one in some billion pairs, shows a wrong `lastHeartbeat`
 * until the node's next beat after a restart, and nothing else.
 */
import { CodedError } from '../../base/errors.ts';
import { hashOf } from '../../base/hash.ts';
import { KeyReader, keyOf, textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';

const VERSION = 1;
const ROW_SIZE = 16;
const HEAD_SIZE = 8;

/** 53 bits, as a whole number: 32 of one hash and 21 of another. */
export function beatKeyOf(id: string): number {
  let second = 0x2545f491;
  for (let i = id.length - 1; i >= 0; i--) second = Math.imul(second ^ id.charCodeAt(i), 0x85ebca6b);
  return hashOf(id) * 2_097_152 + ((second ^ (second >>> 13)) >>> 11);
}

export interface BeatRow {
  readonly id: string;
  readonly wallMs: number;
}

export function encodeBeats(rows: readonly BeatRow[]): Uint8Array {
  const bytes = new Uint8Array(HEAD_SIZE + rows.length * ROW_SIZE);
  bytes[0] = VERSION;
  const doubles = new Float64Array(bytes.buffer, HEAD_SIZE);
  for (let i = 0; i < rows.length; i++) {
    const { id, wallMs } = rows[i] as BeatRow;
    doubles[2 * i] = beatKeyOf(id);
    doubles[2 * i + 1] = wallMs;
  }
  return bytes;
}

/** Throws a CodedError where the bytes are none of ours. */
export function decodeBeats(bytes: Uint8Array, add: (key: number, wallMs: number) => void): void {
  if (bytes[0] !== VERSION || bytes.byteLength % 8 !== 0)
    throw new CodedError('internal', `a value of heartbeats has version ${bytes[0]}, ${bytes.byteLength} bytes`);
  // Copied, because doubles are read at addresses that eight divides; what is stored may lie anywhere, and be a Buffer, whose
  // slice is no copy.
  const doubles = new Float64Array(new Uint8Array(bytes.subarray(HEAD_SIZE)).buffer);
  for (let i = 0; i + 1 < doubles.length; i += 2) add(doubles[i] as number, doubles[i + 1] as number);
}

export function beatLogKey(shard: number, sequence: number): Uint8Array {
  return keyOf({ byte: shard }, { number: sequence });
}

const SHARDS_KEY = textKey('beatShards');

/** Undefined where nothing is stored, or it was stored for other shards and has not been moved as a whole. */
export function shardsOfBeats(reader: Reader): number | undefined {
  const stored = reader.get('meta', SHARDS_KEY);
  return stored && Number(Buffer.from(stored).toString());
}

export function shardsWrite(shardCount: number): { table: 'meta'; key: Uint8Array; value: Uint8Array } {
  return { table: 'meta', key: SHARDS_KEY, value: textKey(String(shardCount)) };
}

export interface StoredBeats {
  /** Milliseconds since 1970 by `beatKeyOf`. */
  readonly lastWallMs: ReadonlyMap<number, number>;
  /** Sequence numbers by shard, ascending; shards of an earlier start, with more of them, too. */
  readonly sequences: ReadonlyMap<number, readonly number[]>;
  /** Values that cannot be read: their nodes show an older last heartbeat until they beat again. */
  readonly damaged: number;
}

export function readBeats(reader: Reader): StoredBeats {
  const lastWallMs = new Map<number, number>();
  const sequences = new Map<number, number[]>();
  let damaged = 0;
  for (const { key, value } of reader.range('beat')) {
    const parts = new KeyReader(key);
    const shard = parts.byte();
    const known = sequences.get(shard);
    const sequence = parts.number();
    if (known) known.push(sequence);
    else sequences.set(shard, [sequence]);
    try {
      decodeBeats(value, (node, wallMs) => {
        if (wallMs > (lastWallMs.get(node) ?? 0)) lastWallMs.set(node, wallMs);
      });
    } catch {
      damaged++;
    }
  }
  return { lastWallMs, sequences, damaged };
}
