/** Buckets of one series as columns: what a question reads of ten thousand buckets without making ten thousand objects. */
import { type ExactSum, ZERO_SUM } from '../../base/exact-sum.ts';
import type { BucketValue } from '../../protocol/metric.ts';
import type { Bucket } from './bucket.ts';

const NS_PER_MS = 1_000_000;

/** Buckets as columns; the first `count` places of each are valid. */
export class BucketColumns {
  count = 0;
  startMs = new Float64Array(0);
  samples = new Float64Array(0);
  min = new Float64Array(0);
  max = new Float64Array(0);
  last = new Float64Array(0);
  /** Nanoseconds from the bucket's start to its last sample. */
  lastNs = new Float64Array(0);
  /** The rounded sum, what rounding left, and all parts of the exact one where these two are not all of it. */
  sum = new Float64Array(0);
  rest = new Float64Array(0);
  readonly parts = new Map<number, ExactSum>();
  #averages = new Float64Array(0);

  reserve(count: number): void {
    this.count = count;
    if (this.parts.size > 0) this.parts.clear();
    if (this.startMs.length >= count) return;
    const size = Math.max(64, count);
    for (const name of ['startMs', 'samples', 'min', 'max', 'last', 'lastNs', 'sum', 'rest'] as const)
      this[name] = new Float64Array(size);
  }

  exactSum(i: number): ExactSum {
    const sum = this.sum[i] as number;
    const rest = this.rest[i] as number;
    return this.parts.get(i) ?? (rest !== 0 ? [rest, sum] : sum === 0 ? ZERO_SUM : [sum]);
  }

  bucket(i: number): Bucket {
    const startMs = this.startMs[i] as number;
    const ns = this.lastNs[i] as number;
    return {
      startMs,
      count: this.samples[i] as number,
      sum: this.exactSum(i),
      min: this.min[i] as number,
      max: this.max[i] as number,
      last: this.last[i] as number,
      lastMs: startMs + Math.floor(ns / NS_PER_MS),
      lastNs: ns % NS_PER_MS,
    };
  }

  /** One value of each bucket; valid until the columns are used again. */
  values(value: BucketValue): Float64Array {
    if (value === 'count') return this.samples;
    if (value !== 'avg') return this[value];
    const { count, sum, samples } = this;
    if (this.#averages.length < count) this.#averages = new Float64Array(samples.length);
    const averages = this.#averages;
    for (let i = 0; i < count; i++) averages[i] = (sum[i] as number) / (samples[i] as number);
    return averages;
  }
}
