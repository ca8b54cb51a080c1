/** Lines of a chart, as they are asked for and as they are drawn. */
import { bucketTimes, valuesAt } from './buckets.ts';

export interface ChartLine {
  readonly label: string;
  /** Ascending by time. */
  readonly points: readonly { readonly time: string; readonly value: number }[];
  readonly format: (value: number) => string;
  /** Lines of one unit share an axis. */
  readonly unit?: string;
  /** Of what is counted: a bucket without a sample is 0. A measured value has a gap there. */
  readonly isCounted: boolean;
  /** Of what failed: red, which nothing else is. */
  readonly isFailure?: boolean;
  /** From which its colour follows, where it has one in several charts; else its place in the chart. */
  readonly place?: number;
}

/** Seconds since 1970, and the values of each line there. */
export type Values = readonly [times: number[], ...values: (number | null)[][]];

/** All lines on one row of times. */
export function valuesOf(lines: readonly ChartLine[], startMs: number, endMs: number, stepMs: number): Values {
  const times = bucketTimes(startMs, Math.min(endMs, Date.now()), stepMs);
  // A line without any point tells nothing, not that it is 0.
  const missing = ({ isCounted, points }: ChartLine): 0 | null => (isCounted && points.length > 0 ? 0 : null);
  return [times, ...lines.map((line) => valuesAt(times, line.points, missing(line)))];
}

const COLOURS = 5;

/** Of a line, by its place: a class, and a name of the style sheet. */
export function colourName({ isFailure, place }: Pick<ChartLine, 'isFailure' | 'place'>, placeInChart: number): string {
  return isFailure ? 'chart-failed' : `chart-${((place ?? placeInChart) % COLOURS) + 1}`;
}

export function extremes(values: readonly number[]): { min: number; max: number } {
  return values.reduce(({ min, max }, value) => ({ min: Math.min(min, value), max: Math.max(max, value) }), {
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  });
}
