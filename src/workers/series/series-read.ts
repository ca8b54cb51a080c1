/**
 * Reads one series at one level. Days that are rolled come from the level's own chunks; days that are not, or that a late block
 * has made stale, are computed from 1m on the way. What is open is added where the store does not have it yet.
 *
 *   level's chunks ──────────────┤ stale day ├──────────────┤ not rolled │ open
 *                                 (from 1m)                   (from 1m)
 */
import { LEVELS, type Level } from '../../protocol/rollup-retention.ts';
import { KeyReader } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { type Bucket, coarsen, mergeLists, startOf } from '../../store/series/bucket.ts';
import { BucketColumns } from '../../store/series/bucket-columns.ts';
import { readRollupState } from '../../store/series/rollup-state.ts';
import {
  appliedIn,
  appliedKey,
  blockRange,
  chunkKey,
  DAY_MS,
  dayOf,
  readBlockKey,
  sliceOf,
  staleRange,
  windowMsOf,
  windowStartOf,
} from '../../store/series/series-layout.ts';
import { bodyOf, readBodySeries, readSegmentSeries, sumOfBody } from '../../store/series/series-segment.ts';
import type { OpenBuckets } from '../task/task.ts';
import { bucketsOf } from './slice-read.ts';
import type { StoredWindow } from './window-texts.ts';

const FINE = LEVELS[0];

/** Buckets in order of start: columns where they lie so in the store, a list where they had to be put together. */
export type BucketRun = BucketColumns | readonly Bucket[];

/** Gets runs in order. */
export interface RunVisitor {
  /**
   * A run of columns is valid until the call returns. Runs may reach beyond the range that was asked, unless they are all of a
   * window as it lies in the store.
   */
  visit(run: BucketRun, window?: StoredWindow): void;
  /** Whether it needs no run of this window; it takes what it knows of it at once. */
  knows?(window: StoredWindow): boolean;
}

export interface SeriesQuestion {
  readonly objectId: string;
  readonly metric: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly open: readonly OpenBuckets[];
}

interface Place extends SeriesQuestion {
  readonly slice: number;
  /** No window before this one has blocks: of a week's windows that leaves a few to look at. */
  readonly blocksFromMs: number;
}

/** Visits all buckets of `level` whose start is at or after `fromMs` floored to the level and before `toMs`. */
export function visitBuckets(reader: Reader, level: Level, question: SeriesQuestion, visitor: RunVisitor): void {
  const slice = sliceOf(question.objectId);
  const applied = appliedSeq(reader, slice);
  const open = question.open.filter(({ lastSeq }) => lastSeq > applied);
  const place: Place = { ...question, open, slice, blocksFromMs: oldestBlock(reader) };
  const fromMs = startOf(question.fromMs, level.intervalMs);
  if (fromMs >= question.toMs) return;
  if (level.name === FINE.name) {
    visitFine(reader, place, fromMs, question.toMs, visitor);
    return;
  }
  const { rolledBeforeMs } = readRollupState(reader);
  let at = fromMs;
  for (const day of daysFromFine(reader, place, fromMs, Math.min(rolledBeforeMs, question.toMs))) {
    visitChunks(reader, level, place, at, day, visitor);
    visitDay(reader, level, place, day, visitor);
    at = day + DAY_MS;
  }
  visitChunks(reader, level, place, at, Math.min(question.toMs, rolledBeforeMs), visitor);
  for (let day = Math.max(dayOf(at), rolledBeforeMs); day < question.toMs; day += DAY_MS)
    visitDay(reader, level, place, day, visitor);
}

function oldestBlock(reader: Reader): number {
  const [first] = [...reader.range('block', { limit: 1, keysOnly: true })];
  return first ? readBlockKey(first.key).windowMs : Number.POSITIVE_INFINITY;
}

function appliedSeq(reader: Reader, slice: number): number {
  return appliedIn(reader.get('applied', appliedKey(slice)));
}

/** Rolled days whose chunks are not all: marked as stale, or with open buckets. In order. */
function daysFromFine(reader: Reader, { slice, open }: Place, fromMs: number, toMs: number): number[] {
  const days = new Set<number>();
  // Nearly always there is no mark at all, and one look tells.
  const [first] = [...reader.range('stale', { limit: 1 })];
  if (first) {
    const oldest = Math.max(dayOf(fromMs), dayOf(new KeyReader(first.key).ms()));
    for (let day = oldest; day < toMs; day += DAY_MS)
      for (const _ of reader.range('stale', { ...staleRange(day, slice), limit: 1 })) days.add(day);
  }
  for (const { buckets } of open) for (const { startMs } of buckets) days.add(dayOf(startMs));
  return [...days].filter((day) => day + DAY_MS > fromMs && day < toMs).sort((a, b) => a - b);
}

const columns = new BucketColumns();

/** The level's own chunks, for whole windows around the range. */
function visitChunks(
  reader: Reader,
  level: Level,
  { objectId, metric, slice }: Place,
  fromMs: number,
  toMs: number,
  visitor: RunVisitor,
): void {
  for (let windowMs = windowStartOf(level, fromMs); windowMs < toMs; windowMs += windowMsOf(level)) {
    const segment = reader.view('chunk', chunkKey(level, windowMs, slice));
    const content = segment && bodyOf(segment, objectId);
    if (!content) continue;
    if (windowMs >= fromMs && windowMs + windowMsOf(level) <= toMs) {
      visitStored(level, windowMs, segment, content, metric, visitor);
      continue;
    }
    if (!readBodySeries(content, metric, windowMs, level.intervalMs, columns)) continue;
    visitor.visit(bucketsOf(columns).filter(({ startMs }) => startMs >= fromMs && startMs < toMs));
  }
}

/** A window of which the chunk is all there is, and of which all is wanted. */
function visitStored(
  level: Level,
  windowMs: number,
  segment: Uint8Array,
  content: Uint8Array,
  metric: string,
  visitor: RunVisitor,
): void {
  const window = { level, windowMs, sum: sumOfBody(segment, content), size: content.byteLength };
  if (visitor.knows?.(window)) return;
  if (readBodySeries(content, metric, windowMs, level.intervalMs, columns)) visitor.visit(columns, window);
}

/** A day at a coarse level, from its 1m buckets. */
function visitDay(reader: Reader, level: Level, place: Place, dayMs: number, visitor: RunVisitor): void {
  let fine: readonly Bucket[] = [];
  const gather = (run: BucketRun): void => {
    fine = fine.concat(listOf(run));
  };
  visitFine(reader, place, dayMs, dayMs + DAY_MS, { visit: gather });
  if (fine.length > 0) visitor.visit(coarsen(fine, level.intervalMs));
}

export function listOf(run: BucketRun): readonly Bucket[] {
  return run instanceof BucketColumns ? bucketsOf(run) : run;
}

function visitFine(reader: Reader, place: Place, fromMs: number, toMs: number, visitor: RunVisitor): void {
  const size = windowMsOf(FINE);
  for (let windowMs = windowStartOf(FINE, fromMs); windowMs < toMs; windowMs += size) {
    const isInside = windowMs >= fromMs && windowMs + size <= toMs;
    visitFineWindow(reader, place, windowMs, isInside, visitor);
  }
}

function visitFineWindow(reader: Reader, place: Place, windowMs: number, isInside: boolean, visitor: RunVisitor): void {
  const { objectId, metric, slice, blocksFromMs } = place;
  // What is wanted of it is decoded before anything else is read.
  const chunk = reader.view('chunk', chunkKey(FINE, windowMs, slice));
  const content = chunk && bodyOf(chunk, objectId);
  const open = openWithin(place, windowMs);
  if (content && isInside && windowMs < blocksFromMs && open.length === 0) {
    visitStored(FINE, windowMs, chunk, content, metric, visitor);
    return;
  }
  const inChunk = content && readBodySeries(content, metric, windowMs, FINE.intervalMs, columns);
  let merged: readonly Bucket[] | null = null;
  for (const { value } of windowMs < blocksFromMs ? [] : reader.range('block', blockRange(windowMs, slice))) {
    merged ??= inChunk ? bucketsOf(columns) : [];
    if (readSegmentSeries(value, objectId, metric, windowMs, FINE.intervalMs, columns))
      merged = mergeLists(merged, bucketsOf(columns));
  }
  for (const buckets of open) {
    merged ??= inChunk ? bucketsOf(columns) : [];
    merged = mergeLists(merged, buckets);
  }
  if (merged) visitor.visit(merged);
  else if (inChunk) visitor.visit(columns);
}

/** What is open of a window, in the order in which it came. */
function openWithin({ open }: Place, windowMs: number): readonly (readonly Bucket[])[] {
  const endMs = windowMs + windowMsOf(FINE);
  return open
    .map(({ buckets }) => buckets.filter(({ startMs }) => startMs >= windowMs && startMs < endMs))
    .filter(({ length }) => length > 0);
}
