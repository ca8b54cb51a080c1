/**
 * The summary: every job metric of every queue over a range, exact. Whole days that are rolled are read at 24h, the rest at the
 * finest level that is still kept at its time; the levels agree on every aligned stretch.
 *
 *   head at 1m or 30m ┤ whole, rolled days at 24h ├ tail at 1m, what is open
 *
 * Windows that lie in the range as a whole are read by their totals, without their columns.
 */
import {
  type Aggregation,
  type Definition,
  JOB_DEFINITIONS,
  LEVELS,
  type Level,
  SHORT_SUMMARY_NAMES,
  shortNameOf,
} from '../protocol/metric.ts';
import { formatTimestampSeconds } from '../protocol/timestamp.ts';
import { startOf } from '../store/bucket.ts';
import { BucketColumns } from '../store/bucket-columns.ts';
import { ByteReader } from '../store/byte-writer.ts';
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
import { readTotal, Total } from '../store/series-total.ts';
import type { Reader } from '../store/store.ts';
import { bytesOf } from './series-answer.ts';
import type { SummaryTask } from './task.ts';

const [FINE, , COARSE] = LEVELS;
const NS_PER_MS = 1_000_000;

/** Totals by queue object, then metric. */
type Totals = Map<string, Map<string, Total>>;

export function summaryAnswer(reader: Reader, task: SummaryTask): Uint8Array {
  const totals = totalsOf(reader, task);
  const rows = new SummaryRows(totals, task.format);
  const families = [
    ...JOB_DEFINITIONS.map(({ id, aggregation }) => ({ key: id, aggregation })),
    ...SHORT_SUMMARY_NAMES.map((key) => ({ key, aggregation: aggregationOf(key) })),
  ];
  const parts = families.map(({ key, aggregation }) => rows.of(key, aggregation));
  if (task.format === 'json') {
    const members = families.map(({ key }, i) => `${JSON.stringify(key)}:[${parts[i]}]`);
    return bytesOf(`{"items":{${members.join(',')}}}`);
  }
  const head = task.format === 'csv' ? 'metric,queueName,time,value\n' : '';
  return bytesOf(head + parts.join(''));
}

function aggregationOf(shortName: string): Aggregation {
  return (JOB_DEFINITIONS.find(({ id }) => shortNameOf(id) === shortName) as Definition).aggregation;
}

/** Items as text: there may be twenty thousand, so none is an object first. */
class SummaryRows {
  readonly #totals: Totals;
  readonly #format: SummaryTask['format'];
  /** In order, with the name as JSON. */
  readonly #queues: readonly { readonly objectId: string; readonly name: string; readonly json: string }[];
  readonly #times = new Map<number, string>();

  constructor(totals: Totals, format: SummaryTask['format']) {
    this.#totals = totals;
    this.#format = format;
    this.#queues = [...totals.keys()].sort().map((objectId) => {
      const name = queueNameOf(objectId);
      return { objectId, name, json: JSON.stringify(name) };
    });
  }

  of(key: string, aggregation: Aggregation): string {
    const metric = shortNameOf(key);
    const rows: string[] = [];
    for (const { objectId, name, json } of this.#queues) {
      const total = this.#totals.get(objectId)?.get(metric);
      if (!total) continue;
      const { rounded } = total.sum;
      const value = String((aggregation === 'avg' ? rounded / total.count : rounded) + 0);
      const time = this.#timeOf(total.newestMs);
      if (this.#format === 'csv') rows.push(`${key},${name},${time},${value}\n`);
      else if (this.#format === 'ndjson')
        rows.push(`{"metric":"${key}","queueName":${json},"time":"${time}","value":${value}}\n`);
      else
        rows.push(
          // The object is the name behind `queue-`, and so is its JSON.
          `{"id":"${key}.queue-${json.slice(1)},"point":{"time":"${time}","value":${value}},"metaData":{"queueName":${json}}}`,
        );
    }
    return rows.join(this.#format === 'json' ? ',' : '');
  }

  #timeOf(ms: number): string {
    let text = this.#times.get(ms);
    if (text === undefined) {
      text = formatTimestampSeconds(ms);
      this.#times.set(ms, text);
    }
    return text;
  }
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
      totalFor(totals, objectId, metric).add(count, sum.sum, newestMs);
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
    for (const { name, total } of metricsOf(body))
      readTotal(new ByteReader(total), windowMs, totalFor(totals, objectId, name));
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
    for (const { name, columns: bytes } of metricsOf(body)) {
      decodeSeries(bytes, windowMs, intervalMs, columns);
      let total: Total | null = null;
      for (let i = 0; i < columns.count; i++) {
        const startMs = columns.startMs[i] as number;
        if (startMs < fromMs || startMs >= toMs) continue;
        const newestMs = startOf(startMs + (columns.lastNs[i] as number) / NS_PER_MS, FINE.intervalMs);
        total ??= totalFor(totals, objectId, name);
        const parts = columns.parts.get(i);
        const count = columns.samples[i] as number;
        if (parts) total.add(count, parts, newestMs);
        else total.addRounded(count, columns.sum[i] as number, newestMs);
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
      totalFor(totals, objectId, metric).add(count, sum, newestMs);
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
    total = new Total();
    metrics.set(metric, total);
  }
  return total;
}
