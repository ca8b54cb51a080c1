/** Count, exact sum and newest bucket of a stretch of a series: all that a summary needs of it. */
import { type ExactSum, SumAccumulator } from '../base/exact-sum.ts';
import { LEVELS } from '../protocol/metric.ts';
import { type Bucket, startOf } from './bucket.ts';
import type { ByteReader, ByteWriter } from './byte-writer.ts';

const MINUTE_MS = LEVELS[0].intervalMs;

export class Total {
  count = 0;
  /** Start of the newest bucket of 1m, whatever level this was read at: coarser buckets know the time of their last sample. */
  newestMs = Number.NEGATIVE_INFINITY;
  readonly sum = new SumAccumulator();

  add(count: number, sum: ExactSum, newestMs: number): void {
    this.sum.addSum(sum);
    this.#grow(count, newestMs);
  }

  /** As `add`, for a sum that is one double. */
  addRounded(count: number, sum: number, newestMs: number): void {
    this.sum.add(sum);
    this.#grow(count, newestMs);
  }

  #grow(count: number, newestMs: number): void {
    this.count += count;
    if (newestMs > this.newestMs) this.newestMs = newestMs;
  }
}

export function totalOf(buckets: readonly Bucket[]): Total {
  const total = new Total();
  for (const { count, sum, lastMs } of buckets) total.add(count, sum, startOf(lastMs, MINUTE_MS));
  return total;
}

export function writeTotal(out: ByteWriter, total: Total, windowMs: number): void {
  const { sum } = total.sum;
  out.whole(total.count);
  out.whole(Math.max(0, (total.newestMs - windowMs) / MINUTE_MS));
  out.whole(sum.length);
  for (const part of sum) out.f64(part);
}

/** Adds a written total to another. */
export function readTotal(reader: ByteReader, windowMs: number, into: Total): void {
  const count = reader.whole();
  const newestMs = windowMs + reader.whole() * MINUTE_MS;
  for (let left = reader.whole(); left > 0; left--) into.sum.add(reader.f64());
  into.addRounded(count, 0, newestMs);
}
