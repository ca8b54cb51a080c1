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
import { readSegmentSeries } from '../../store/series/series-segment.ts';
import type { OpenBuckets } from '../task/task.ts';
import { bucketsOf } from './slice-read.ts';

const FINE = LEVELS[0];

/** Buckets in order of start: columns where they lie so in the store, a list where they had to be put together. */
export type BucketRun = BucketColumns | readonly Bucket[];

/** Gets runs in order; a run of columns is valid until the subscriber returns. Runs may reach beyond the range that was asked. */
export type RunVisitor = (run: BucketRun) => void;

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
export function visitBuckets(reader: Reader, level: Level, question: SeriesQuestion, visit: RunVisitor): void {
  const slice = sliceOf(question.objectId);
  const applied = appliedSeq(reader, slice);
  const open = question.open.filter(({ lastSeq }) => lastSeq > applied);
  const place: Place = { ...question, open, slice, blocksFromMs: oldestBlock(reader) };
  const fromMs = startOf(question.fromMs, level.intervalMs);
  if (fromMs >= question.toMs) return;
  if (level.name === FINE.name) {
    visitFine(reader, place, fromMs, question.toMs, visit);
    return;
  }
  const { rolledBeforeMs } = readRollupState(reader);
  let at = fromMs;
  for (const day of daysFromFine(reader, place, fromMs, Math.min(rolledBeforeMs, question.toMs))) {
    visitChunks(reader, level, place, at, day, visit);
    visitDay(reader, level, place, day, visit);
    at = day + DAY_MS;
  }
  visitChunks(reader, level, place, at, Math.min(question.toMs, rolledBeforeMs), visit);
  for (let day = Math.max(dayOf(at), rolledBeforeMs); day < question.toMs; day += DAY_MS)
    visitDay(reader, level, place, day, visit);
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
  visit: RunVisitor,
): void {
  for (let windowMs = windowStartOf(level, fromMs); windowMs < toMs; windowMs += windowMsOf(level)) {
    const segment = reader.view('chunk', chunkKey(level, windowMs, slice));
    if (!segment || !readSegmentSeries(segment, objectId, metric, windowMs, level.intervalMs, columns)) continue;
    const inside = windowMs >= fromMs && windowMs + windowMsOf(level) <= toMs;
    visit(inside ? columns : bucketsOf(columns).filter(({ startMs }) => startMs >= fromMs && startMs < toMs));
  }
}

/** A day at a coarse level, from its 1m buckets. */
function visitDay(reader: Reader, level: Level, place: Place, dayMs: number, visit: RunVisitor): void {
  let fine: readonly Bucket[] = [];
  visitFine(reader, place, dayMs, dayMs + DAY_MS, (run) => {
    fine = fine.concat(listOf(run));
  });
  if (fine.length > 0) visit(coarsen(fine, level.intervalMs));
}

export function listOf(run: BucketRun): readonly Bucket[] {
  return run instanceof BucketColumns ? bucketsOf(run) : run;
}

function visitFine(reader: Reader, place: Place, fromMs: number, toMs: number, visit: RunVisitor): void {
  for (let windowMs = windowStartOf(FINE, fromMs); windowMs < toMs; windowMs += windowMsOf(FINE))
    visitFineWindow(reader, place, windowMs, visit);
}

function visitFineWindow(reader: Reader, place: Place, windowMs: number, visit: RunVisitor): void {
  const { objectId, metric, slice, open, blocksFromMs } = place;
  // What is wanted of it is decoded before anything else is read.
  const chunk = reader.view('chunk', chunkKey(FINE, windowMs, slice));
  const inChunk = chunk && readSegmentSeries(chunk, objectId, metric, windowMs, FINE.intervalMs, columns);
  let merged: readonly Bucket[] | null = null;
  for (const { value } of windowMs < blocksFromMs ? [] : reader.range('block', blockRange(windowMs, slice))) {
    merged ??= inChunk ? bucketsOf(columns) : [];
    if (readSegmentSeries(value, objectId, metric, windowMs, FINE.intervalMs, columns))
      merged = mergeLists(merged, bucketsOf(columns));
  }
  const endMs = windowMs + windowMsOf(FINE);
  for (const part of open) {
    const buckets = part.buckets.filter(({ startMs }) => startMs >= windowMs && startMs < endMs);
    if (buckets.length === 0) continue;
    merged ??= inChunk ? bucketsOf(columns) : [];
    merged = mergeLists(merged, buckets);
  }
  if (merged) visit(merged);
  else if (inChunk) visit(columns);
}
