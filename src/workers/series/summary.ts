/**
 * The summary: every job metric of every queue over a range, exact. Whole days that are rolled are read at 24h, the rest at the
 * finest level that is still kept at its time; the levels agree on every aligned stretch.
 *
 *   head at 1m or 30m ┤ whole, rolled days at 24h ├ tail at 1m, what is open
 *
 * What lies in the range as a whole is read by its totals, without its columns.
 */
import { shortNameOf } from '../../protocol/metric.ts';
import { LEVELS, type Level } from '../../protocol/rollup-retention.ts';
import { KeyReader } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { startOf } from '../../store/series/bucket.ts';
import { BucketColumns } from '../../store/series/bucket-columns.ts';
import { type RollupState, readRollupState } from '../../store/series/rollup-state.ts';
import { decodeColumns, firstStartOf } from '../../store/series/series-codec.ts';
import {
  appliedIn,
  appliedKey,
  blockRange,
  chunkRange,
  DAY_MS,
  dayOf,
  isQueueObject,
  type KeyRange,
  SLICES_PER_PARTITION,
  staleRange,
  windowMsOf,
  windowStartOf,
} from '../../store/series/series-layout.ts';
import { MetricCursor, partsOf, type SegmentPart } from '../../store/series/series-segment.ts';
import { WrittenTotal } from '../../store/series/series-total.ts';
import type { SummaryTask } from '../task/task.ts';
import { KnownStretches, type Stretch } from './known-stretches.ts';
import { jobMetricAt, jobMetricOf, type Queue, QueueTotals } from './queue-totals.ts';
import { QuietParts, QuietSegments } from './quiet-parts.ts';
import { summaryText } from './summary-text.ts';

const [FINE, , COARSE] = LEVELS;
const NS_PER_MS = 1_000_000;

export function summaryAnswer(reader: Reader, task: SummaryTask): Uint8Array {
  return summaryText(totalsOf(reader, task), task.format, task.keys, task.queues);
}

function totalsOf(reader: Reader, task: SummaryTask): QueueTotals {
  const state = readRollupState(reader);
  const { nowMs } = task;
  // 1m is kept until a day is rolled, however late that is.
  const onlyFineFrom = Math.min(state.rolledBeforeMs, firstStaleDay(reader, dayOf(task.fromMs)));
  const isKept = ({ intervalMs, retentionMs }: Level, timeMs: number): boolean =>
    startOf(timeMs, intervalMs) + intervalMs > nowMs - retentionMs;
  const finestAt = (timeMs: number): Level =>
    timeMs >= onlyFineFrom ? FINE : (LEVELS.find((level) => isKept(level, timeMs)) ?? COARSE);
  const fromMs = startOf(task.fromMs, finestAt(task.fromMs).intervalMs);
  const daysFromMs = Math.ceil(fromMs / DAY_MS) * DAY_MS;
  const daysToMs = Math.min(dayOf(task.toMs), onlyFineFrom);
  const totals = new QueueTotals();
  const wanted = task.keys && new Set(task.keys.map((key) => jobMetricOf(shortNameOf(key))));
  const edge = (from: number, to: number): void => addEdge(reader, totals, finestAt, from, to, wanted);
  if (daysFromMs >= daysToMs) {
    edge(fromMs, task.toMs);
  } else {
    edge(fromMs, daysFromMs);
    addWholeDays(reader, totals, daysFromMs, daysToMs, state);
    edge(daysToMs, task.toMs);
  }
  addOpen(reader, totals, task);
  return totals;
}

/** The first day from `fromMs` on whose rollup does not have all blocks of queues. */
function firstStaleDay(reader: Reader, fromMs: number): number {
  const [first] = [...reader.range('stale', { limit: 1 })];
  if (!first) return Number.POSITIVE_INFINITY;
  let day = Math.max(fromMs, dayOf(new KeyReader(first.key).ms()));
  for (; ; day += DAY_MS) {
    for (const _ of reader.range('stale', { ...staleRange(day, 0, SLICES_PER_PARTITION), limit: 1 })) return day;
    const [later] = [...reader.range('stale', { start: staleRange(day, 0).start, limit: 1 })];
    if (!later) return Number.POSITIVE_INFINITY;
  }
}

interface CachedDays {
  readonly key: string;
  readonly totals: QueueTotals;
}

/** Ranges of whole days that were summed of a store, newest first: dashboards ask the same ones again. */
const caches = new WeakMap<Reader, CachedDays[]>();
const CACHED_MAX = 4;

function addWholeDays(reader: Reader, totals: QueueTotals, fromMs: number, toMs: number, state: RollupState): void {
  const key = `${fromMs} ${toMs} ${state.generation}`;
  const cached = caches.get(reader) ?? [];
  caches.set(reader, cached);
  let days = cached.find((entry) => entry.key === key)?.totals;
  if (!days) {
    days = new QueueTotals();
    addLevel(reader, days, COARSE, fromMs, toMs, null);
    cached.unshift({ key, totals: days });
    cached.length = Math.min(cached.length, CACHED_MAX);
  }
  totals.addAll(days);
}

/** A stretch at the finest level that is still kept at each time of it. */
function addEdge(
  reader: Reader,
  totals: QueueTotals,
  finestAt: (timeMs: number) => Level,
  fromMs: number,
  toMs: number,
  wanted: Wanted,
): void {
  for (let at = fromMs; at < toMs; ) {
    const level = finestAt(at);
    // Levels change at days only, so that none counts what another has counted.
    let end = Math.min(toMs, dayOf(at) + DAY_MS);
    while (end < toMs && finestAt(end).name === level.name) end = Math.min(toMs, end + DAY_MS);
    addLevel(reader, totals, level, at, end, wanted);
    at = end;
  }
}

/** Buckets of one level that begin in the range. */
function addLevel(
  reader: Reader,
  totals: QueueTotals,
  level: Level,
  fromMs: number,
  toMs: number,
  wanted: Wanted,
): void {
  for (let windowMs = windowStartOf(level, fromMs); windowMs < toMs; windowMs += windowMsOf(level)) {
    const isWhole = windowMs >= fromMs && windowMs + windowMsOf(level) <= toMs;
    const range = { fromMs, toMs, isWhole, wanted };
    const addAll = (table: 'chunk' | 'block', keys: KeyRange): void => {
      // A view of each: copies of all values would be a fifth of the question.
      for (const { key } of reader.range(table, { ...keys, keysOnly: true })) {
        const segment = reader.view(table, key);
        if (segment) addSegment(totals, segment, level, windowMs, range);
      }
    };
    addAll('chunk', chunkRange(level, windowMs, 0, SLICES_PER_PARTITION));
    if (level.name === FINE.name) addAll('block', blockRange(windowMs, 0, SLICES_PER_PARTITION));
  }
}

/** Places of metrics in `QUEUE_METRICS`; null means all. */
type Wanted = ReadonlySet<number> | null;

const cursor = new MetricCursor();
const written = new WrittenTotal();
const columns = new BucketColumns();
const quietParts = new QuietParts();
const quietSegments = new QuietSegments();
const stretches = new KnownStretches();

/** The part of a window that is in the range: what lies beyond its ends makes no difference. */
function stretchOf(level: Level, windowMs: number, { fromMs, toMs }: Range): Stretch {
  const endMs = Math.min(toMs, windowMs + windowMsOf(level));
  return { level: level.name, windowMs, fromMs: Math.max(fromMs, windowMs), toMs: endMs };
}

/** Adds what the segment has in the range. Of metrics whose buckets are all in it, or all outside, the total tells enough. */
function addSegment(totals: QueueTotals, segment: Uint8Array, level: Level, windowMs: number, range: Range): void {
  // Of a window that began before the range a part may have nothing in it.
  const mayBeQuiet = level.name === FINE.name && windowMs < range.fromMs;
  if (mayBeQuiet && quietSegments.isQuiet(segment, windowMs, range.fromMs)) return;
  const seen: SegmentPart[] = [];
  let newestOfAllMs = Number.NEGATIVE_INFINITY;
  for (const part of partsOf(segment)) {
    const { objectId } = part;
    if (mayBeQuiet) seen.push(part);
    if (!isQueueObject(objectId)) continue;
    const quietMs = mayBeQuiet ? quietParts.newestOf(part, windowMs, range.fromMs) : undefined;
    if (quietMs !== undefined) {
      newestOfAllMs = Math.max(newestOfAllMs, quietMs);
      continue;
    }
    // Of a window that the range cuts, columns are read: half of a question, and the same at the next one.
    const stretch = range.isWhole || range.wanted ? null : stretchOf(level, windowMs, range);
    const known = stretch && stretches.get(part, stretch);
    if (known) {
      newestOfAllMs = Number.POSITIVE_INFINITY;
      totals.addAll(known);
      continue;
    }
    const into = stretch ? new QueueTotals() : totals;
    const body = part.body();
    let queue: Queue | undefined;
    let newestMs = Number.NEGATIVE_INFINITY;
    cursor.open(body);
    for (let place = 0; cursor.next(); place++) {
      const metric = jobMetricAt(body, cursor.nameAt, cursor.nameEnd, place);
      if (metric < 0) continue;
      written.read(body, cursor.totalAt, windowMs);
      // The newest bucket of 1m lies in the newest of the level.
      const lastMs = startOf(written.newestMs, level.intervalMs);
      newestMs = Math.max(newestMs, lastMs);
      if (range.wanted && !range.wanted.has(metric)) continue;
      if (lastMs < range.fromMs) continue;
      const firstMs = range.isWhole ? windowMs : firstStartOf(cursor, windowMs, level.intervalMs);
      if (firstMs >= range.toMs) continue;
      const isWhole = range.isWhole || (firstMs >= range.fromMs && lastMs < range.toMs);
      queue ??= into.of(objectId);
      if (isWhole) written.addTo(into.total(queue, metric));
      else addColumns(into, queue, metric, level, windowMs, range);
    }
    if (stretch) {
      stretches.add(part, stretch, into);
      totals.addAll(into);
    }
    newestOfAllMs = Math.max(newestOfAllMs, newestMs);
    if (mayBeQuiet && newestMs < range.fromMs) quietParts.add(part, windowMs, newestMs);
  }
  if (mayBeQuiet && newestOfAllMs < range.fromMs)
    quietSegments.add(
      segment,
      windowMs,
      newestOfAllMs,
      seen.map(({ at, sum }) => ({ at, sum })),
    );
}

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
  /** The window lies in it. */
  readonly isWhole: boolean;
  readonly wanted: Wanted;
}

function addColumns(
  totals: QueueTotals,
  queue: Queue,
  metric: number,
  { intervalMs }: Level,
  windowMs: number,
  { fromMs, toMs }: Range,
): void {
  decodeColumns(cursor, windowMs, intervalMs, columns);
  for (let i = 0; i < columns.count; i++) {
    const startMs = columns.startMs[i] as number;
    if (startMs < fromMs || startMs >= toMs) continue;
    const newestMs = startOf(startMs + (columns.lastNs[i] as number) / NS_PER_MS, FINE.intervalMs);
    const total = totals.total(queue, metric);
    const parts = columns.parts.get(i);
    const count = columns.samples[i] as number;
    if (parts) total.add(count, parts, newestMs);
    else total.addTwo(count, columns.sum[i] as number, columns.rest[i] as number, newestMs);
  }
}

/** Open buckets are of 1m: what is kept of their time at 1m is the range's own edge. */
function addOpen(reader: Reader, totals: QueueTotals, { open }: SummaryTask): void {
  for (const { slice, lastSeq, rows } of open) {
    const stored = reader.get('applied', appliedKey(slice));
    if (stored && appliedIn(stored) >= lastSeq) continue;
    for (const [objectId, name, count, newestMs, sum] of rows) {
      const metric = jobMetricOf(name);
      if (metric >= 0) totals.total(totals.of(objectId), metric).add(count, sum, newestMs);
    }
  }
}
