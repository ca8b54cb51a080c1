/** Lines of a chart, as they are asked for and as they are drawn. */
import { bucketTimes, valuesAt } from './buckets.ts';

export interface ChartLine {
  readonly label: string;
  /** Ascending by time. */
  readonly points: readonly { readonly time: string; readonly value: number }[];
  readonly format: (value: number) => string;
  /** All lines of a chart have the same one. */
  readonly unit?: string;
  /** Of what is counted, drawn as bars on top of each other: a bucket without a sample is 0. A measured value has a gap there. */
  readonly isCounted: boolean;
  /** Of what failed: red, which nothing else is. */
  readonly isFailure?: boolean;
  /** Bars below 0, beside others: of what is no part of these. */
  readonly isBelow?: boolean;
  /** What was counted in as much time before, moved to where the bars are: their outline. */
  readonly isBefore?: boolean;
  /** Of the whole range, or its last value, where nothing is pointed at; not told where it is absent. */
  readonly total?: string | undefined;
  /** The most that there can be, where that is known. */
  readonly ceiling?: number | undefined;
  /** How far the axis reaches at least: as far as that of a chart that it is compared with. */
  readonly reach?: number | undefined;
  /** From which its colour follows, where it has one in several charts; else its place in the chart. */
  readonly place?: number;
}

/** Seconds since 1970, and the values of each line there. */
export type Values = readonly [times: number[], ...values: (number | null)[][]];

export interface Stretch {
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
}

export function hasNoPoints(lines: readonly ChartLine[]): boolean {
  return lines.every(({ points }) => points.length === 0);
}

/** All lines on one row of times. */
export function valuesOf(lines: readonly ChartLine[], { startMs, endMs, stepMs }: Stretch, nowMs: number): Values {
  const times = bucketTimes(startMs, Math.min(endMs, nowMs), stepMs);
  // A line without any point tells nothing, not that it is 0.
  const missing = ({ isCounted, points }: ChartLine): 0 | null => (isCounted && points.length > 0 ? 0 : null);
  return [times, ...lines.map((line) => valuesAt(times, line.points, missing(line)))];
}

/** Those of one line, as it is drawn: a bucket in which nothing was counted is 0, and not left out. */
export function drawnValues(line: ChartLine, stretch: Stretch, nowMs: number): number[] {
  const [, values = []] = valuesOf([line], stretch, nowMs);
  return values.filter((value) => value !== null);
}

/** As `drawnValues`, without what was counted so far in a bucket that is not over. A measured value is one from the first sample on. */
export function finishedValues(line: ChartLine, stretch: Stretch, nowMs: number): number[] {
  const [times, values = []] = valuesOf([line], stretch, nowMs);
  const partial = line.isCounted ? partialBucket(times, stretch, nowMs) : -1;
  return values.filter((value, i) => value !== null && i !== partial) as number[];
}

/** The place of the last bucket, where more is still to come into it or the range ends within it; else -1. */
export function partialBucket(times: readonly number[], { endMs, stepMs }: Stretch, nowMs: number): number {
  const last = times.length - 1;
  const [begin] = times.slice(-1);
  return begin !== undefined && begin * 1000 + stepMs > Math.min(endMs, nowMs) ? last : -1;
}

/** Why a bar of such a bucket is drawn as a part of one; undefined where none is drawn. */
export function unfinishedText(lines: readonly ChartLine[], stretch: Stretch, nowMs: number): string | undefined {
  const counted = lines.filter(({ isCounted, isBefore }) => isCounted && !isBefore);
  const [times, ...values] = valuesOf(counted, stretch, nowMs);
  const partial = partialBucket(times, stretch, nowMs);
  if (partial < 0 || values.every((all) => (all[partial] ?? 0) === 0)) return undefined;
  return (times[partial] ?? 0) * 1000 + stretch.stepMs > nowMs ? 'Not over yet' : 'Cut by the end of the range';
}

const COLOURS = 5;

/** Of a line, by its place: a class, and a name of the style sheet. */
export function colourName(line: Pick<ChartLine, 'isFailure' | 'isBefore' | 'place'>, placeInChart: number): string {
  if (line.isBefore) return 'chart-before';
  return line.isFailure ? 'chart-failed' : `chart-${((line.place ?? placeInChart) % COLOURS) + 1}`;
}

export function extremes(values: readonly number[]): { min: number; max: number } {
  return values.reduce(({ min, max }, value) => ({ min: Math.min(min, value), max: Math.max(max, value) }), {
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  });
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
