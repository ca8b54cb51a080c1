/** One interval of one series: count, exact sum, min, max, last. Buckets merge in any order to the same result. */
import { addSums, addToSum, type ExactSum, roundSum, ZERO_SUM } from '../base/exact-sum.ts';
import type { BucketValue } from '../protocol/metric.ts';

export interface Bucket {
  readonly startMs: number;
  readonly count: number;
  readonly sum: ExactSum;
  readonly min: number;
  readonly max: number;
  readonly last: number;
  /** Time of `last`: milliseconds since the epoch, and nanoseconds within the millisecond. */
  readonly lastMs: number;
  readonly lastNs: number;
}

export function startOf(timeMs: number, intervalMs: number): number {
  return Math.floor(timeMs / intervalMs) * intervalMs;
}

export function bucketOfSample(startMs: number, timeMs: number, subNs: number, value: number): Bucket {
  return {
    startMs,
    count: 1,
    sum: addToSum(ZERO_SUM, value),
    min: value,
    max: value,
    last: value,
    lastMs: timeMs,
    lastNs: subNs,
  };
}

/** `later` arrived after `earlier`: of two samples of the same time, the one that arrived later is the last. */
export function mergeBuckets(earlier: Bucket, later: Bucket): Bucket {
  const laterIsLast =
    later.lastMs > earlier.lastMs || (later.lastMs === earlier.lastMs && later.lastNs >= earlier.lastNs);
  const last = laterIsLast ? later : earlier;
  return {
    startMs: earlier.startMs,
    count: earlier.count + later.count,
    sum: addSums(earlier.sum, later.sum),
    min: Math.min(earlier.min, later.min),
    max: Math.max(earlier.max, later.max),
    last: last.last,
    lastMs: last.lastMs,
    lastNs: last.lastNs,
  };
}

/** Adds the bucket to a map by start, merging with what is there. */
export function addBucket(buckets: Map<number, Bucket>, added: Bucket): void {
  const there = buckets.get(added.startMs);
  buckets.set(added.startMs, there ? mergeBuckets(there, added) : added);
}

/** Buckets of a finer level as buckets of a coarser one. */
export function coarsen(buckets: Iterable<Bucket>, intervalMs: number): Map<number, Bucket> {
  const coarse = new Map<number, Bucket>();
  for (const bucket of buckets) addBucket(coarse, { ...bucket, startMs: startOf(bucket.startMs, intervalMs) });
  return coarse;
}

export function bucketValue(bucket: Bucket, value: BucketValue): number {
  switch (value) {
    case 'sum':
      return roundSum(bucket.sum);
    case 'avg':
      return roundSum(bucket.sum) / bucket.count;
    default:
      return bucket[value];
  }
}
