/**
 * Series as schema 1 kept them: a chunk for each series and window of a level, and samples that were in no chunk yet in the
 * journal, as messages to an aggregator of their object.
 *
 *   chunk     level, object, metric, window start → version u8, CRC-32 u32, last journal number f64, count u16, rows
 *   journal   number → MessagePack: groups, each MessagePack of [kind, id, messages] of the actors of one thread
 */
import { crc32 } from 'node:zlib';
import { addToSum, canonicalSum, ZERO_SUM } from '../../base/exact-sum.ts';
import { LEVELS, type Level } from '../../protocol/rollup-retention.ts';
import { KeyReader } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { mustUnpackArray, unreadable } from '../kv/unpack.ts';
import { type Bucket, startOf } from '../series/bucket.ts';

const VERSION = 1;
const HEADER_SIZE = 15;
/** Without the parts of the sum, 8 bytes each. */
const ROW_SIZE = 43;
const WHAT = 'a chunk of schema 1';

export interface OldChunk {
  readonly level: Level;
  readonly objectId: string;
  readonly metric: string;
  readonly windowMs: number;
  /** Samples of the journal up to here are in it. */
  readonly lastSeq: number;
  readonly buckets: readonly Bucket[];
}

/** Throws a coded error on what is none. */
export function decodeOldChunk(key: Uint8Array, bytes: Uint8Array): OldChunk {
  const place = new KeyReader(key);
  const level = LEVELS[place.byte()];
  if (!level || bytes.byteLength < HEADER_SIZE || bytes[0] !== VERSION) throw unreadable(WHAT);
  const [objectId, metric, windowMs] = [place.text(), place.text(), place.ms()];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(1) !== crc32(bytes.subarray(5))) throw unreadable(WHAT);
  const buckets: Bucket[] = [];
  let at = HEADER_SIZE;
  for (let left = view.getUint16(13); left > 0; left--) {
    const parts = view.getUint8(at + ROW_SIZE - 1);
    buckets.push({
      startMs: windowMs + view.getUint16(at) * level.intervalMs,
      count: view.getUint32(at + 2),
      min: view.getFloat64(at + 6),
      max: view.getFloat64(at + 14),
      last: view.getFloat64(at + 22),
      lastMs: view.getFloat64(at + 30),
      lastNs: view.getUint32(at + 38),
      sum: Array.from({ length: parts }, (_, i) => view.getFloat64(at + ROW_SIZE + i * 8)),
    });
    at += ROW_SIZE + parts * 8;
  }
  return { level, objectId, metric, windowMs, lastSeq: view.getFloat64(5), buckets };
}

export interface OldSample {
  readonly seq: number;
  readonly objectId: string;
  readonly metric: string;
  readonly bucket: Bucket;
}

type StoredSample = readonly [metric: string, timeMs: number, subNs: number, value: number];
type StoredMessage = { readonly type: string; readonly samples?: readonly StoredSample[] };
type StoredGroup = readonly (readonly [kind: string, id: string, messages: readonly StoredMessage[]])[];

/** Every sample in the journal, in the order of arrival, each as a bucket of the finest level. */
export function* oldSamples(reader: Reader): Generator<OldSample> {
  for (const { key, value } of reader.range('journal')) {
    const seq = new KeyReader(key).number();
    for (const bytes of mustUnpackArray(value, 'a journal entry of schema 1') as readonly Uint8Array[]) {
      for (const [kind, objectId, messages] of mustUnpackArray(bytes, 'a journal entry of schema 1') as StoredGroup) {
        if (kind !== 'aggregator') continue;
        for (const { samples = [] } of messages)
          for (const sample of samples) yield { seq, objectId, metric: sample[0], bucket: bucketOf(sample) };
      }
    }
  }
}

function bucketOf([, timeMs, subNs, value]: StoredSample): Bucket {
  return {
    startMs: startOf(timeMs, LEVELS[0].intervalMs),
    count: 1,
    sum: canonicalSum(addToSum(ZERO_SUM, value)),
    min: value,
    max: value,
    last: value,
    lastMs: timeMs,
    lastNs: subNs,
  };
}
