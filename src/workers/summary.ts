/**
 * The summary: every job metric of every queue over a range, exact. Whole days that are rolled are read at 24h, the rest at the
 * finest level that is still kept at its time; the levels agree on every aligned stretch.
 *
 *   head at 1m or 30m ┤ whole, rolled days at 24h ├ tail at 1m, what is open
 *
 * Windows that lie in the range as a whole are read by their totals, without their columns.
 */
import { roundSum } from '../base/exact-sum.ts';
import {
  type Aggregation,
  JOB_DEFINITIONS,
  LEVELS,
  type Level,
  SHORT_SUMMARY_NAMES,
  type Summary,
  shortNameOf,
} from '../protocol/metric.ts';
import { formatTimestampSeconds } from '../protocol/timestamp.ts';
import { startOf } from '../store/bucket.ts';
import { BucketColumns } from '../store/bucket-columns.ts';
import { KeyReader } from '../store/keys.ts';
import { type RollupState, readRollupState } from '../store/rollup-state.ts';
import { bodiesOf, metricsOf } from '../store/segment.ts';
import { decodeSeries } from '../store/series-codec.ts';
import {
  appliedKey,
  blockRange,
  chunkRange,
  DAY_MS,
  dayOf,
  isQueueObject,
  queueNameOf,
  SLICES_PER_PARTITION,
  staleRange,
  windowMsOf,
  windowStartOf,
} from '../store/series-place.ts';
import { addToTotal, type Total } from '../store/series-total.ts';
import type { Reader } from '../store/store.ts';
import { bytesOf } from './series-answer.ts';
import type { SummaryTask } from './task.ts';

const [FINE, , COARSE] = LEVELS;
const NS_PER_MS = 1_000_000;

/** Totals by queue object, then metric. */
type Totals = Map<string, Map<string, Total>>;

export function summaryAnswer(reader: Reader, task: SummaryTask): Uint8Array {
  const totals = totalsOf(reader, task);
  const queues = [...totals.keys()].sort();
  const items: Summary['items'] = {};
  for (const { id, aggregation } of JOB_DEFINITIONS) items[id] = itemsOf(totals, queues, id, aggregation);
  for (const name of SHORT_SUMMARY_NAMES) {
    items[name] = (items[`metricDef-${name}`] ?? []).map((item) => ({
      ...item,
      id: item.id.slice('metricDef-'.length),
    }));
  }
  return bytesOf(textOf({ items }, task.format));
}

function itemsOf(
  totals: Totals,
  queues: readonly string[],
  definitionId: string,
  aggregation: Aggregation,
): Summary['items'][string] {
  const metric = shortNameOf(definitionId);
  const items: Summary['items'][string] = [];
  for (const objectId of queues) {
    const total = totals.get(objectId)?.get(metric);
    if (!total) continue;
    const sum = roundSum(total.sum);
    items.push({
      id: `${definitionId}.${objectId}`,
      point: {
        time: formatTimestampSeconds(total.newestMs),
        value: aggregation === 'avg' ? sum / total.count : sum,
      },
      metaData: { queueName: queueNameOf(objectId) },
    });
  }
  return items;
}

function textOf({ items }: Summary, format: SummaryTask['format']): string {
  if (format === 'json') return JSON.stringify({ items });
  const rows = Object.entries(items).flatMap(([metric, list]) =>
    list.map(({ point, metaData }) => ({ metric, queueName: metaData.queueName, ...point })),
  );
  if (format === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const lines = rows.map(({ metric, queueName, time, value }) => `${metric},${queueName},${time},${value}\n`);
  return `metric,queueName,time,value\n${lines.join('')}`;
}

function totalsOf(reader: Reader, task: SummaryTask): Totals {
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
  const totals: Totals = new Map();
  if (daysFromMs >= daysToMs) {
    addEdge(reader, totals, finestAt, fromMs, task.toMs);
  } else {
    addEdge(reader, totals, finestAt, fromMs, daysFromMs);
    addWholeDays(reader, totals, daysFromMs, daysToMs, state);
    addEdge(reader, totals, finestAt, daysToMs, task.toMs);
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
  readonly totals: Totals;
}

/** Ranges of whole days that were summed of a store, newest first: dashboards ask the same ones again. */
const caches = new WeakMap<Reader, CachedDays[]>();
const CACHED_MAX = 4;

function addWholeDays(reader: Reader, totals: Totals, fromMs: number, toMs: number, state: RollupState): void {
  const key = `${fromMs} ${toMs} ${state.generation}`;
  const cached = caches.get(reader) ?? [];
  caches.set(reader, cached);
  let days = cached.find((entry) => entry.key === key)?.totals;
  if (!days) {
    days = new Map();
    addLevel(reader, days, COARSE, fromMs, toMs);
    cached.unshift({ key, totals: days });
    cached.length = Math.min(cached.length, CACHED_MAX);
  }
  for (const [objectId, metrics] of days)
    for (const [metric, { count, sum, newestMs }] of metrics)
      addToTotal(totalFor(totals, objectId, metric), count, sum, newestMs);
}

/** A stretch at the finest level that is still kept at each time of it. */
function addEdge(
  reader: Reader,
  totals: Totals,
  finestAt: (timeMs: number) => Level,
  fromMs: number,
  toMs: number,
): void {
  for (let at = fromMs; at < toMs; ) {
    const level = finestAt(at);
    // Levels change at days only, so that none counts what another has counted.
    let end = Math.min(toMs, dayOf(at) + DAY_MS);
    while (end < toMs && finestAt(end).name === level.name) end = Math.min(toMs, end + DAY_MS);
    addLevel(reader, totals, level, at, end);
    at = end;
  }
}

/** Buckets of one level that begin in the range. */
function addLevel(reader: Reader, totals: Totals, level: Level, fromMs: number, toMs: number): void {
  for (let windowMs = windowStartOf(level, fromMs); windowMs < toMs; windowMs += windowMsOf(level)) {
    const whole = windowMs >= fromMs && windowMs + windowMsOf(level) <= toMs;
    const add = (segment: Uint8Array): void => {
      if (whole) addTotals(totals, segment, windowMs);
      else addColumns(totals, segment, windowMs, level.intervalMs, fromMs, toMs);
    };
    for (const { value } of reader.range('chunk', chunkRange(level, windowMs, 0, SLICES_PER_PARTITION))) add(value);
    if (level.name !== FINE.name) continue;
    for (const { value } of reader.range('block', blockRange(windowMs, 0, SLICES_PER_PARTITION))) add(value);
  }
}

function addTotals(totals: Totals, segment: Uint8Array, windowMs: number): void {
  for (const { objectId, body } of bodiesOf(segment)) {
    if (!isQueueObject(objectId)) continue;
    for (const { name, total } of metricsOf(body, windowMs))
      if (total) addToTotal(totalFor(totals, objectId, name), total.count, total.sum, total.newestMs);
  }
}

const columns = new BucketColumns();

function addColumns(
  totals: Totals,
  segment: Uint8Array,
  windowMs: number,
  intervalMs: number,
  fromMs: number,
  toMs: number,
): void {
  for (const { objectId, body } of bodiesOf(segment)) {
    if (!isQueueObject(objectId)) continue;
    for (const { name, columns: bytes } of metricsOf(body, windowMs)) {
      decodeSeries(bytes, windowMs, intervalMs, columns);
      for (let i = 0; i < columns.count; i++) {
        const startMs = columns.startMs[i] as number;
        if (startMs < fromMs || startMs >= toMs) continue;
        const newestMs = startOf(startMs + (columns.lastNs[i] as number) / NS_PER_MS, FINE.intervalMs);
        addToTotal(totalFor(totals, objectId, name), columns.samples[i] as number, columns.exactSum(i), newestMs);
      }
    }
  }
}

/** Open buckets are of 1m: what is kept of their time at 1m is the range's own edge. */
function addOpen(reader: Reader, totals: Totals, { open }: SummaryTask): void {
  for (const { slice, lastSeq, rows } of open) {
    const stored = reader.get('applied', appliedKey(slice));
    if (stored && new KeyReader(stored).number() >= lastSeq) continue;
    for (const [objectId, metric, count, newestMs, sum] of rows)
      addToTotal(totalFor(totals, objectId, metric), count, sum, newestMs);
  }
}

function totalFor(totals: Totals, objectId: string, metric: string): Total {
  let metrics = totals.get(objectId);
  if (!metrics) {
    metrics = new Map();
    totals.set(objectId, metrics);
  }
  let total = metrics.get(metric);
  if (!total) {
    total = { count: 0, sum: [], newestMs: Number.NEGATIVE_INFINITY };
    metrics.set(metric, total);
  }
  return total;
}
