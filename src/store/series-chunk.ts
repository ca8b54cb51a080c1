/**
 * Closed buckets of one series on disk: one chunk per window of a level, buckets in order.
 *
 *   ┌─────────┬────────┬─────────────┬───────┬──────────────────────────────────────────────┐
 *   │ version │ CRC-32 │ applied seq │ count │ rows: place, count, min, max, last, time, sum │
 *   │   u8    │  u32   │     f64     │  u16  │                                              │
 *   └─────────┴────────┴─────────────┴───────┴──────────────────────────────────────────────┘
 *
 * `appliedSeq` is the journal's sequence number up to which samples of the window are in the chunk: a replay after a
 * crash skips them, so that a sample is counted once.
 */
import { crc32 } from 'node:zlib';
import { CodedError } from '../base/errors.ts';
import { LEVELS, type Level } from '../protocol/metric.ts';
import type { Bucket } from './bucket.ts';
import { afterPrefix, KeyReader, keyOf } from './keys.ts';

const VERSION = 1;
const HEADER_SIZE = 15;
const ROW_SIZE = 2 + 4 + 8 * 4 + 4 + 1;
const HOUR_MS = 3_600_000;

/** What one chunk spans: 120, 96 and 64 buckets, so that a rewrite stays small and a day's read takes few chunks. */
const WINDOW_MS: Readonly<Record<Level['name'], number>> = {
  '1m': 2 * HOUR_MS,
  '30m': 48 * HOUR_MS,
  '24h': 64 * 24 * HOUR_MS,
};

export interface Chunk {
  readonly appliedSeq: number;
  readonly buckets: readonly Bucket[];
}

export const EMPTY_CHUNK: Chunk = { appliedSeq: 0, buckets: [] };

export function windowStartOf(level: Level, timeMs: number): number {
  const window = WINDOW_MS[level.name];
  return Math.floor(timeMs / window) * window;
}

export function windowMsOf(level: Level): number {
  return WINDOW_MS[level.name];
}

export function chunkKey(level: Level, objectId: string, metric: string, windowStartMs: number): Uint8Array {
  return keyOf({ byte: levelNumber(level) }, { text: objectId }, { text: metric }, { ms: windowStartMs });
}

/** Bounds of the chunks that hold buckets from `fromMs` to before `toMs`. */
export function chunkRange(
  level: Level,
  objectId: string,
  metric: string,
  fromMs: number,
  toMs: number,
): { start: Uint8Array; end: Uint8Array } {
  return {
    start: chunkKey(level, objectId, metric, windowStartOf(level, fromMs)),
    end: chunkKey(level, objectId, metric, windowStartOf(level, toMs - 1) + windowMsOf(level)),
  };
}

/** Bounds of every chunk of a level. */
export function levelRange(level: Level): { start: Uint8Array; end: Uint8Array } {
  const start = keyOf({ byte: levelNumber(level) });
  return { start, end: afterPrefix(start) as Uint8Array };
}

export function readChunkKey(key: Uint8Array): {
  level: Level;
  objectId: string;
  metric: string;
  windowStartMs: number;
} {
  const reader = new KeyReader(key);
  const level = LEVELS[reader.byte()];
  if (!level) throw new CodedError('internal', 'a chunk key names a level that does not exist');
  return { level, objectId: reader.text(), metric: reader.text(), windowStartMs: reader.ms() };
}

function levelNumber(level: Level): number {
  return LEVELS.findIndex(({ name }) => name === level.name);
}

export function encodeChunk(level: Level, windowStartMs: number, chunk: Chunk): Uint8Array {
  const size = chunk.buckets.reduce((sum, bucket) => sum + ROW_SIZE + bucket.sum.length * 8, HEADER_SIZE);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setFloat64(5, chunk.appliedSeq);
  view.setUint16(13, chunk.buckets.length);
  let at = HEADER_SIZE;
  for (const bucket of chunk.buckets)
    at = writeRow(view, at, bucket, (bucket.startMs - windowStartMs) / level.intervalMs);
  view.setUint32(1, crc32(bytes.subarray(5)));
  return bytes;
}

function writeRow(view: DataView, at: number, bucket: Bucket, place: number): number {
  view.setUint16(at, place);
  view.setUint32(at + 2, bucket.count);
  view.setFloat64(at + 6, bucket.min);
  view.setFloat64(at + 14, bucket.max);
  view.setFloat64(at + 22, bucket.last);
  view.setFloat64(at + 30, bucket.lastMs);
  view.setUint32(at + 38, bucket.lastNs);
  view.setUint8(at + 42, bucket.sum.length);
  bucket.sum.forEach((part, i) => {
    view.setFloat64(at + ROW_SIZE + i * 8, part);
  });
  return at + ROW_SIZE + bucket.sum.length * 8;
}

/** Throws a coded error on anything that `encodeChunk` did not make: truncated, flipped, of another version. */
export function decodeChunk(level: Level, windowStartMs: number, bytes: Uint8Array): Chunk {
  if (bytes.byteLength < HEADER_SIZE || bytes[0] !== VERSION) throw corrupt('header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(1) !== crc32(bytes.subarray(5))) throw corrupt('checksum');
  const buckets: Bucket[] = [];
  let at = HEADER_SIZE;
  for (let left = view.getUint16(13); left > 0; left--) {
    if (at + ROW_SIZE > bytes.byteLength) throw corrupt('length');
    const parts = view.getUint8(at + 42);
    if (at + ROW_SIZE + parts * 8 > bytes.byteLength) throw corrupt('length');
    buckets.push(readRow(view, at, parts, windowStartMs, level.intervalMs));
    at += ROW_SIZE + parts * 8;
  }
  if (at !== bytes.byteLength) throw corrupt('length');
  return { appliedSeq: view.getFloat64(5), buckets };
}

function readRow(view: DataView, at: number, parts: number, windowStartMs: number, intervalMs: number): Bucket {
  return {
    startMs: windowStartMs + view.getUint16(at) * intervalMs,
    count: view.getUint32(at + 2),
    min: view.getFloat64(at + 6),
    max: view.getFloat64(at + 14),
    last: view.getFloat64(at + 22),
    lastMs: view.getFloat64(at + 30),
    lastNs: view.getUint32(at + 38),
    sum: Array.from({ length: parts }, (_, i) => view.getFloat64(at + ROW_SIZE + i * 8)),
  };
}

function corrupt(what: string): CodedError {
  return new CodedError('internal', `cannot read a series chunk: bad ${what}`);
}
