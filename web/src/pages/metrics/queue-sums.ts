/** What one measure came to in each queue, the most first. Pure. */
import { JOB_DEFINITIONS, type Summary, shortNameOf } from '../../../../src/protocol/metric.ts';
import type { TimedValue } from '../../charts/buckets.ts';
import { queueTotals } from '../overview/totals.ts';

/** Definitions that a summary adds up, by their short names. */
export const MEASURES = JOB_DEFINITIONS.filter(({ aggregation }) => aggregation === 'sum').map(
  ({ id, name, unit, description }) => ({ id: shortNameOf(id), name, unit, description }),
);

export interface QueueSum {
  readonly queue: string;
  readonly now: number;
  /** In as much time before. */
  readonly before: number;
}

interface Summaries {
  readonly summary: Summary;
  /** Of as much time just before. */
  readonly before: Summary;
}

/** Queues without anything, neither now nor before, are left out: they are no part of what is compared. */
export function queueSums({ summary, before }: Summaries, measure: string): QueueSum[] {
  const sumsOf = (of: Summary): Map<string, number> =>
    new Map(queueTotals(of).map(({ queue, values }) => [queue, values.get(measure) ?? 0]));
  const now = sumsOf(summary);
  const earlier = sumsOf(before);
  return [...new Set([...now.keys(), ...earlier.keys()])]
    .map((queue) => ({ queue, now: now.get(queue) ?? 0, before: earlier.get(queue) ?? 0 }))
    .filter((row) => row.now !== 0 || row.before !== 0)
    .toSorted((a, b) => b.now - a.now || b.before - a.before || (a.queue < b.queue ? -1 : 1));
}

/** A bar for each step, in a picture that is as wide as there are steps and 1 high. */
export interface Bar {
  readonly x: number;
  readonly height: number;
}

/** A bar that is there is seen, of however much another queue has. */
const HEIGHT_MIN = 0.06;

/** `most`: the greatest step of all pictures beside each other, so that their bars compare. */
export function barsOfPoints(points: readonly TimedValue[], startMs: number, stepMs: number, most: number): Bar[] {
  return points
    .filter(({ value }) => value > 0)
    .map(({ time, value }) => ({
      x: Math.round((Date.parse(time) - startMs) / stepMs),
      height: Math.max(HEIGHT_MIN, value / most),
    }));
}
