/**
 * Rolls a day up: its 30m and 24h buckets, computed from all of its 1m buckets. Absolute, so it may be done again: the same
 * samples give the same bytes. A block that is written meanwhile has a mark of its own, which stays.
 */
import { LEVELS } from '../../protocol/rollup-retention.ts';
import type { Reader } from '../../store/kv/store.ts';
import { WriteBatch } from '../../store/kv/write-batch.ts';
import { type Bucket, coarsen } from '../../store/series/bucket.ts';
import {
  blockRange,
  chunkKey,
  chunkRange,
  DAY_MS,
  type KeyRange,
  placeText,
  readBlockKey,
  readChunkKey,
  readStaleKey,
  SLICES,
  staleRange,
  windowMsOf,
  windowStartOf,
} from '../../store/series/series-layout.ts';
import { encodeSegment } from '../../store/series/series-segment.ts';
import type { DailyRollupTask, RolledSlices } from '../task/task.ts';
import { addReadable, type SliceContent } from './slice-read.ts';

const [FINE, MIDDLE, COARSE] = LEVELS;
/** Slices whose segments are in memory at a time. */
const PAGE = 32;

export function dailyRollup(reader: Reader, { dayMs, fromSlice, staleOnly, bytesMax }: DailyRollupTask): RolledSlices {
  const batch = new WriteBatch();
  const damaged: string[] = [];
  for (let slice = fromSlice; ; slice += PAGE) {
    slice = firstSlice(reader, dayMs, slice, staleOnly);
    if (slice >= SLICES) return { writes: batch.seal(), damaged, nextSlice: SLICES };
    const end = Math.min(SLICES, slice + PAGE);
    const stale = staleSlices(reader, dayMs, slice, end);
    for (const [number, segments] of segmentsOfDay(reader, dayMs, slice, end)) {
      if (!staleOnly || stale.has(number)) rollSlice(reader, batch, damaged, dayMs, number, segments);
    }
    for (const keys of stale.values()) for (const key of keys) batch.remove('stale', key);
    if (batch.byteLength >= bytesMax) return { writes: batch.seal(), damaged, nextSlice: end };
  }
}

/** The first slice from `fromSlice` on with anything to do on that day; `SLICES` where there is none. */
function firstSlice(reader: Reader, dayMs: number, fromSlice: number, staleOnly: boolean): number {
  let first = SLICES;
  const look = (table: 'stale' | 'chunk' | 'block', range: KeyRange, sliceOfKey: (key: Uint8Array) => number): void => {
    for (const { key } of reader.range(table, { ...range, limit: 1 })) first = Math.min(first, sliceOfKey(key));
  };
  if (fromSlice >= SLICES) return SLICES;
  look('stale', staleRange(dayMs, fromSlice, SLICES), (key) => readStaleKey(key).slice);
  for (let windowMs = dayMs; !staleOnly && windowMs < dayMs + DAY_MS; windowMs += windowMsOf(FINE)) {
    look('chunk', chunkRange(FINE, windowMs, fromSlice, SLICES), (key) => readChunkKey(key).slice);
    look('block', blockRange(windowMs, fromSlice, SLICES), (key) => readBlockKey(key).slice);
  }
  return first;
}

/** Marks of the day by slice. */
function staleSlices(reader: Reader, dayMs: number, fromSlice: number, toSlice: number): Map<number, Uint8Array[]> {
  const stale = new Map<number, Uint8Array[]>();
  for (const { key } of reader.range('stale', staleRange(dayMs, fromSlice, toSlice))) {
    const { slice } = readStaleKey(key);
    stale.set(slice, [...(stale.get(slice) ?? []), key]);
  }
  return stale;
}

interface WindowSegment {
  readonly windowMs: number;
  readonly bytes: Uint8Array;
}

/** Chunks and blocks of 1m by slice; of each window the chunk first, then blocks as they were written. */
function segmentsOfDay(
  reader: Reader,
  dayMs: number,
  fromSlice: number,
  toSlice: number,
): Map<number, WindowSegment[]> {
  const slices = new Map<number, WindowSegment[]>();
  const add = (slice: number, windowMs: number, bytes: Uint8Array): void => {
    const segments = slices.get(slice);
    if (segments) segments.push({ windowMs, bytes });
    else slices.set(slice, [{ windowMs, bytes }]);
  };
  for (let windowMs = dayMs; windowMs < dayMs + DAY_MS; windowMs += windowMsOf(FINE)) {
    for (const { key, value } of reader.range('chunk', chunkRange(FINE, windowMs, fromSlice, toSlice)))
      add(readChunkKey(key).slice, windowMs, value);
    for (const { key, value } of reader.range('block', blockRange(windowMs, fromSlice, toSlice)))
      add(readBlockKey(key).slice, windowMs, value);
  }
  return slices;
}

/** Of segments that are damaged what can be read is rolled: the others of the slice must not go without being covered. */
function rollSlice(
  reader: Reader,
  batch: WriteBatch,
  damaged: string[],
  dayMs: number,
  slice: number,
  segments: readonly WindowSegment[],
): void {
  const fine: SliceContent = new Map();
  for (const { windowMs, bytes } of segments)
    if (!addReadable(fine, bytes, windowMs, FINE.intervalMs)) damaged.push(placeText(FINE.name, windowMs, slice));
  const middle = mapContent(fine, (buckets) => coarsen(buckets, MIDDLE.intervalMs));
  batch.put('chunk', chunkKey(MIDDLE, dayMs, slice), encodeSegment(middle, dayMs, MIDDLE.intervalMs));

  const windowMs = windowStartOf(COARSE, dayMs);
  const key = chunkKey(COARSE, windowMs, slice);
  const coarse: SliceContent = new Map();
  const stored = reader.get('chunk', key);
  if (stored && !addReadable(coarse, stored, windowMs, COARSE.intervalMs))
    damaged.push(placeText(COARSE.name, windowMs, slice));
  for (const [objectId, metrics] of middle) {
    const there = coarse.get(objectId) ?? new Map<string, readonly Bucket[]>();
    for (const [metric, buckets] of metrics) {
      const [day] = coarsen(buckets, COARSE.intervalMs);
      if (day) there.set(metric, withBucket(there.get(metric) ?? [], day));
    }
    coarse.set(objectId, there);
  }
  batch.put('chunk', key, encodeSegment(coarse, windowMs, COARSE.intervalMs));
}

/** The list with the bucket in its place, instead of an older one of the same start. */
function withBucket(buckets: readonly Bucket[], bucket: Bucket): Bucket[] {
  return [
    ...buckets.filter(({ startMs }) => startMs < bucket.startMs),
    bucket,
    ...buckets.filter(({ startMs }) => startMs > bucket.startMs),
  ];
}

function mapContent(content: SliceContent, change: (buckets: readonly Bucket[]) => readonly Bucket[]): SliceContent {
  return new Map(
    [...content].map(([objectId, metrics]) => [
      objectId,
      new Map([...metrics].map(([metric, buckets]) => [metric, change(buckets)])),
    ]),
  );
}
