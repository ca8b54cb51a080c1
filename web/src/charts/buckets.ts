/** Series as charts draw them: one value for each bucket of the range. No value is made up. Pure. */
import { BUCKET_VALUES, type BucketValue } from '../../../src/protocol/names/metric-names.ts';
import { LEVELS, type Level } from '../../../src/protocol/rollup-retention.ts';

export interface TimedValue {
  readonly time: string;
  readonly value: number;
}

/** Seconds since 1970 of every bucket that begins in the range and not in the future. */
export function bucketTimes(startMs: number, endMs: number, stepMs: number): number[] {
  const times: number[] = [];
  for (let ms = Math.floor(startMs / stepMs) * stepMs; ms < endMs; ms += stepMs) times.push(ms / 1000);
  return times;
}

/** `missing` stands where there was no sample: 0 of what is counted, null of what is measured. */
export function valuesAt(
  times: readonly number[],
  points: readonly TimedValue[],
  missing: 0 | null,
): (number | null)[] {
  const byTime = new Map(points.map(({ time, value }) => [Date.parse(time) / 1000, value]));
  return times.map((time) => byTime.get(time) ?? missing);
}

/** Sums of what is counted in longer buckets; the levels agree, so these are exact. */
export function merged(points: readonly TimedValue[], stepMs: number): TimedValue[] {
  const sums = new Map<number, number>();
  for (const { time, value } of points) {
    const startMs = Math.floor(Date.parse(time) / stepMs) * stepMs;
    sums.set(startMs, (sums.get(startMs) ?? 0) + value);
  }
  return [...sums].map(([startMs, value]) => ({ time: new Date(startMs).toISOString(), value }));
}

/** The points as they would be so much later. */
export function shifted(points: readonly TimedValue[], byMs: number): TimedValue[] {
  return points.map(({ time, value }) => ({ time: new Date(Date.parse(time) + byMs).toISOString(), value }));
}

/** So little is no part of a bucket: sums of money are not exact. */
const PART_MIN = 1e-6;

/**
 * A range may begin within a bucket: what that bucket has of the time before is taken out of it, so that the bars are what is
 * counted in the range. `sum`: of the range; `atMs`: when its first bucket begins. `over`: what was taken out.
 */
export function clipped(
  points: readonly TimedValue[],
  sum: number,
  atMs: number,
): { readonly points: readonly TimedValue[]; readonly over: number } {
  const first = points.find(({ time }) => Date.parse(time) === atMs);
  if (!first) return { points, over: 0 };
  const others = points.reduce((total, point) => (point === first ? total : total + point.value), 0);
  const part = Math.min(1, Math.max(0, (sum - others) / first.value));
  const over = part > 1 - PART_MIN ? 0 : part < PART_MIN ? first.value : first.value * (1 - part);
  if (over === 0 || first.value === 0) return { points, over: 0 };
  return { points: points.map((point) => (point === first ? { ...first, value: first.value - over } : point)), over };
}

/** The points with this value at that time, where there is one. */
export function withValueAt(points: readonly TimedValue[], atMs: number, value: number): readonly TimedValue[] {
  return points.flatMap((point) =>
    Date.parse(point.time) !== atMs ? [point] : value === 0 ? [] : [{ ...point, value }],
  );
}

/** Whether a bucket without a sample means 0. */
export function isCounted(aggregation: string, agg: string | undefined): boolean {
  const value = isBucketValue(agg) ? agg : aggregation;
  return value === 'sum' || value === 'count';
}

function isBucketValue(agg: string | undefined): agg is BucketValue {
  return BUCKET_VALUES.some((name) => name === agg);
}

/** More points than a chart has pixels. */
const POINTS_MAX = 2_000;

/** The level that is named, or else the finest that still holds the start and has not too many points. */
export function levelOf(interval: string | undefined, startMs: number, endMs: number, nowMs: number): Level {
  const named = LEVELS.find(({ name }) => name === interval);
  const fits = LEVELS.find(
    ({ intervalMs, retentionMs }) => startMs >= nowMs - retentionMs && (endMs - startMs) / intervalMs <= POINTS_MAX,
  );
  return named ?? fits ?? LEVELS[2];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** What a bar of a small chart may stand for. */
const BAR_STEPS_MS = [MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 4 * HOUR_MS, DAY_MS, 7 * DAY_MS, 28 * DAY_MS];
/** As many as a small chart can show. */
const BARS_MAX = 62;

/** More than this in a chart of the page's width cannot be told apart. */
const STEPS_MAX = 400;

/** What a value stands for where values can be summed: a bucket of the level, or as many as make the chart legible. */
export function stepOf({ intervalMs }: Level, startMs: number, endMs: number): number {
  const isWhole = (step: number): boolean => step % intervalMs === 0;
  return BAR_STEPS_MS.find((step) => isWhole(step) && (endMs - startMs) / step <= STEPS_MAX) ?? intervalMs;
}

/** What a bar stands for, and the level that it is summed from: one that still holds the start. */
export function barsOf(
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  nowMs: number,
): { readonly interval: Level['name']; readonly stepMs: number } {
  const held = LEVELS.filter(({ retentionMs }) => startMs >= nowMs - retentionMs);
  const levels = held.length > 0 ? held : [LEVELS[2]];
  const fitting = (step: number): Level | undefined => levels.findLast(({ intervalMs }) => intervalMs <= step);
  const isFew = (step: number): boolean => (endMs - startMs) / step <= BARS_MAX;
  const stepMs = BAR_STEPS_MS.find((step) => isFew(step) && fitting(step)) ?? 28 * DAY_MS;
  return { interval: (fitting(stepMs) ?? LEVELS[2]).name, stepMs };
}
