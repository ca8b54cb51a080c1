/** Count, exact sum and newest bucket of a stretch of a series: all that a summary needs of it. */
import { addSums, canonicalSum, type ExactSum, ZERO_SUM } from '../base/exact-sum.ts';
import { LEVELS } from '../protocol/metric.ts';
import { type Bucket, startOf } from './bucket.ts';
import type { ByteReader, ByteWriter } from './byte-writer.ts';

const MINUTE_MS = LEVELS[0].intervalMs;

export interface Total {
  count: number;
  sum: ExactSum;
  /** Start of the newest bucket of 1m, whatever level this was read at: coarser buckets know the time of their last sample. */
  newestMs: number;
}

export function totalOf(buckets: readonly Bucket[]): Total {
  const total: Total = { count: 0, sum: ZERO_SUM, newestMs: Number.NEGATIVE_INFINITY };
  for (const { count, sum, lastMs } of buckets) addToTotal(total, count, sum, startOf(lastMs, MINUTE_MS));
  return { ...total, sum: canonicalSum(total.sum) };
}

export function addToTotal(total: Total, count: number, sum: ExactSum, newestMs: number): void {
  total.count += count;
  total.sum = addSums(total.sum, sum);
  if (newestMs > total.newestMs) total.newestMs = newestMs;
}

export function writeTotal(out: ByteWriter, total: Total, windowMs: number): void {
  out.whole(total.count);
  out.whole(Math.max(0, (total.newestMs - windowMs) / MINUTE_MS));
  out.whole(total.sum.length);
  for (const part of total.sum) out.f64(part);
}

export function readTotal(reader: ByteReader, windowMs: number): Total {
  const count = reader.whole();
  const newestMs = windowMs + reader.whole() * MINUTE_MS;
  const sum: number[] = [];
  for (let left = reader.whole(); left > 0; left--) sum.push(reader.f64());
  return { count, sum, newestMs };
}
