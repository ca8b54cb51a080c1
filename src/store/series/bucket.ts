/** One interval of one series: count, exact sum, min, max, last. Buckets merge in any order to the same result. */
import { addSums, canonicalSum, type ExactSum, roundSum } from '../../base/exact-sum.ts';
import type { BucketValue } from '../../protocol/metric.ts';

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

/** `later` arrived after `earlier`: of two samples of the same time, the one that arrived later is the last. */
export function mergeBuckets(earlier: Bucket, later: Bucket): Bucket {
  const laterIsLast =
    later.lastMs > earlier.lastMs || (later.lastMs === earlier.lastMs && later.lastNs >= earlier.lastNs);
  const last = laterIsLast ? later : earlier;
  return {
    startMs: earlier.startMs,
    count: earlier.count + later.count,
    sum: canonicalSum(addSums(earlier.sum, later.sum)),
    min: Math.min(earlier.min, later.min),
    max: Math.max(earlier.max, later.max),
    last: last.last,
    lastMs: last.lastMs,
    lastNs: last.lastNs,
  };
}

/** Two lists in order of start as one; what has the same start is merged. `later` arrived after `earlier`. */
export function mergeLists(earlier: readonly Bucket[], later: readonly Bucket[]): readonly Bucket[] {
  const last = earlier.at(-1);
  const first = later[0];
  if (!last) return later;
  if (!first) return earlier;
  if (last.startMs < first.startMs) return earlier.concat(later);
  const merged: Bucket[] = [];
  let i = 0;
  let j = 0;
  while (i < earlier.length && j < later.length) {
    const a = earlier[i] as Bucket;
    const b = later[j] as Bucket;
    if (a.startMs === b.startMs) merged.push(mergeBuckets(a, b));
    else merged.push(a.startMs < b.startMs ? a : b);
    if (a.startMs <= b.startMs) i++;
    if (b.startMs <= a.startMs) j++;
  }
  while (i < earlier.length) merged.push(earlier[i++] as Bucket);
  while (j < later.length) merged.push(later[j++] as Bucket);
  return merged;
}

/** Buckets of a finer level, in order of start, as those of a coarser one. */
export function coarsen(buckets: readonly Bucket[], intervalMs: number): Bucket[] {
  const coarse: Bucket[] = [];
  for (let from = 0; from < buckets.length; ) {
    const startMs = startOf((buckets[from] as Bucket).startMs, intervalMs);
    let to = from + 1;
    while (to < buckets.length && (buckets[to] as Bucket).startMs < startMs + intervalMs) to++;
    coarse.push(together(startMs, buckets, from, to));
    from = to;
  }
  return coarse;
}

/** The buckets of places `from` to before `to` as one. The last of the newest bucket is the last of all. */
function together(startMs: number, buckets: readonly Bucket[], from: number, to: number): Bucket {
  const newest = buckets[to - 1] as Bucket;
  let { count, sum, min, max } = buckets[from] as Bucket;
  for (let i = from + 1; i < to; i++) {
    const bucket = buckets[i] as Bucket;
    count += bucket.count;
    sum = addSums(sum, bucket.sum);
    min = Math.min(min, bucket.min);
    max = Math.max(max, bucket.max);
  }
  const { last, lastMs, lastNs } = newest;
  return { startMs, count, sum: canonicalSum(sum), min, max, last, lastMs, lastNs };
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
