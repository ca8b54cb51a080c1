/** Count, exact sum and newest bucket of a stretch of a series: all that a summary needs of it. */
import { addSums, canonicalSum, type ExactSum, ZERO_SUM } from '../base/exact-sum.ts';
import type { Bucket } from './bucket.ts';
import type { ByteReader, ByteWriter } from './byte-writer.ts';

export interface Total {
  count: number;
  sum: ExactSum;
  /** Start of the newest bucket. */
  newestMs: number;
}

export function totalOf(buckets: readonly Bucket[]): Total {
  const total: Total = { count: 0, sum: ZERO_SUM, newestMs: Number.NEGATIVE_INFINITY };
  for (const bucket of buckets) addToTotal(total, bucket.count, bucket.sum, bucket.startMs);
  return { ...total, sum: canonicalSum(total.sum) };
}

export function addToTotal(total: Total, count: number, sum: ExactSum, startMs: number): void {
  total.count += count;
  total.sum = addSums(total.sum, sum);
  if (startMs > total.newestMs) total.newestMs = startMs;
}

export function writeTotal(out: ByteWriter, total: Total, windowMs: number, intervalMs: number): void {
  out.whole(total.count);
  out.whole(Math.max(0, (total.newestMs - windowMs) / intervalMs));
  out.whole(total.sum.length);
  for (const part of total.sum) out.f64(part);
}

export function readTotal(reader: ByteReader, windowMs: number, intervalMs: number): Total {
  const count = reader.whole();
  const newestMs = windowMs + reader.whole() * intervalMs;
  const sum: number[] = [];
  for (let left = reader.whole(); left > 0; left--) sum.push(reader.f64());
  return { count, sum, newestMs };
}
