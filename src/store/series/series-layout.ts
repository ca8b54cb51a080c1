/**
 * Where buckets lie in the store. Objects are spread over slices by a hash that never changes; what a slice holds of one window
 * of one level is one value, so that a flush, a merge, a rollup and a removal each touch few values, in order of time.
 *
 *   block   window start, slice, sequence number → buckets of 1m as they were flushed, never changed
 *   chunk   level, window start, slice           → all buckets of a window: merged blocks, or a rollup
 *   applied slice                                → the last journal entry that is in the blocks and chunks of the slice
 *   stale   day, slice, sequence number          → a block that came after the day's rollup had begun
 *
 * Slices of the first partition are those of queues and the system total, so that a summary reads nothing else.
 */
import { CodedError } from '../../base/errors.ts';
import { hashOf } from '../../base/hash.ts';
import { SYSTEM_TOTAL } from '../../protocol/metric.ts';
import { LEVELS, type Level } from '../../protocol/rollup-retention.ts';
import { isDamaged } from '../kv/checksum.ts';
import { afterPrefix, KeyReader, keyOf } from '../kv/keys.ts';

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Aggregators; as many threads can share the work. */
export const PARTITIONS = 16;
/** 4,096 slices in all: at 100,000 series each has 25, and a flush of one takes well below 2 ms. */
export const SLICES_PER_PARTITION = 256;
export const SLICES = PARTITIONS * SLICES_PER_PARTITION;
const QUEUE_PREFIX = 'queue-';

/** What one chunk spans: 120, 48 and 64 buckets. A day of 30m is one chunk, because a day is what a rollup rolls. */
const WINDOW_MS: Readonly<Record<Level['name'], number>> = { '1m': 2 * HOUR_MS, '30m': DAY_MS, '24h': 64 * DAY_MS };

/** A slice's number: partition × 256 + place in it. */
export function sliceOf(objectId: string): number {
  const hash = hashOf(objectId);
  const partition = isJobObject(objectId) ? 0 : 1 + (hash % (PARTITIONS - 1));
  return partition * SLICES_PER_PARTITION + ((hash >>> 16) % SLICES_PER_PARTITION);
}

export function partitionOf(objectId: string): number {
  return Math.floor(sliceOf(objectId) / SLICES_PER_PARTITION);
}

function isJobObject(objectId: string): boolean {
  return objectId.startsWith(QUEUE_PREFIX) || objectId === SYSTEM_TOTAL;
}

/** Of these a summary asks, so their windows carry totals. */
export function isQueueObject(objectId: string): boolean {
  return objectId.startsWith(QUEUE_PREFIX);
}

export function queueNameOf(objectId: string): string {
  return objectId.slice(QUEUE_PREFIX.length);
}

export function windowMsOf(level: Level): number {
  return WINDOW_MS[level.name];
}

export function windowStartOf(level: Level, timeMs: number): number {
  const window = WINDOW_MS[level.name];
  return Math.floor(timeMs / window) * window;
}

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS) * DAY_MS;
}

export interface KeyRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

export function blockKey(windowMs: number, slice: number, seq: number): Uint8Array {
  return keyOf({ ms: windowMs }, ...sliceParts(slice), { number: seq });
}

/** Blocks of slices from `fromSlice` to before `toSlice`. */
export function blockRange(windowMs: number, fromSlice: number, toSlice = fromSlice + 1): KeyRange {
  return rangeOf(keyOf({ ms: windowMs }), fromSlice, toSlice);
}

export function readBlockKey(key: Uint8Array): { windowMs: number; slice: number; seq: number } {
  const reader = new KeyReader(key);
  return { windowMs: reader.ms(), slice: readSlice(reader), seq: reader.number() };
}

export function chunkKey(level: Level, windowMs: number, slice: number): Uint8Array {
  return keyOf({ byte: levelNumber(level) }, { ms: windowMs }, ...sliceParts(slice));
}

export function chunkRange(level: Level, windowMs: number, fromSlice: number, toSlice = fromSlice + 1): KeyRange {
  return rangeOf(keyOf({ byte: levelNumber(level) }, { ms: windowMs }), fromSlice, toSlice);
}

/** Chunks of a level whose windows begin before `beforeMs`. */
export function chunksBefore(level: Level, beforeMs: number): KeyRange {
  const start = keyOf({ byte: levelNumber(level) });
  return { start, end: keyOf({ byte: levelNumber(level) }, { ms: beforeMs }) };
}

/** Every chunk of a level. */
export function levelRange(level: Level): KeyRange {
  const start = keyOf({ byte: levelNumber(level) });
  return { start, end: afterPrefix(start) as Uint8Array };
}

export function readChunkKey(key: Uint8Array): { level: Level; windowMs: number; slice: number } {
  const reader = new KeyReader(key);
  const level = LEVELS[reader.byte()];
  if (!level) throw new CodedError('internal', 'a chunk key names a level that does not exist');
  return { level, windowMs: reader.ms(), slice: readSlice(reader) };
}

/** A place in words, for messages: level, window, slice. */
export function placeText(level: Level['name'], windowMs: number, slice: number): string {
  return `${level} of slice ${slice} from ${new Date(windowMs).toISOString()}`;
}

export function appliedKey(slice: number): Uint8Array {
  return keyOf(...sliceParts(slice));
}

/** The last delivery that is in a slice's blocks; 0 where nothing tells. */
export function appliedIn(stored: Uint8Array | undefined): number {
  return stored && !isDamaged(stored) ? new KeyReader(stored).number() : 0;
}

export function staleKey(dayMs: number, slice: number, seq: number): Uint8Array {
  return blockKey(dayMs, slice, seq);
}

export function staleRange(dayMs: number, fromSlice: number, toSlice = fromSlice + 1): KeyRange {
  return blockRange(dayMs, fromSlice, toSlice);
}

export const readStaleKey = readBlockKey;

function rangeOf(prefix: Uint8Array, fromSlice: number, toSlice: number): KeyRange {
  const at = (slice: number): Uint8Array =>
    slice >= SLICES
      ? (afterPrefix(prefix) as Uint8Array)
      : Buffer.concat([prefix, Uint8Array.of(slice >>> 8, slice & 0xff)]);
  return { start: at(fromSlice), end: at(toSlice) };
}

export function sliceParts(slice: number): [{ byte: number }, { byte: number }] {
  return [{ byte: slice >>> 8 }, { byte: slice & 0xff }];
}

export function readSlice(reader: KeyReader): number {
  return reader.byte() * SLICES_PER_PARTITION + reader.byte();
}

function levelNumber(level: Level): number {
  return LEVELS.findIndex(({ name }) => name === level.name);
}
