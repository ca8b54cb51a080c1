/** Count, exact sum and newest bucket of a stretch of a series: all that a summary needs of it. */
import { type ExactSum, SumAccumulator } from '../../base/exact-sum.ts';
import { LEVELS } from '../../protocol/rollup-retention.ts';
import { type Bucket, startOf } from './bucket.ts';
import type { ByteWriter } from './byte-writer.ts';

const MINUTE_MS = LEVELS[0].intervalMs;

export class Total {
  count = 0;
  /** Start of the newest bucket of 1m, whatever level this was read at: coarser buckets know the time of their last sample. */
  newestMs = Number.NEGATIVE_INFINITY;
  readonly sum = new SumAccumulator();

  add(count: number, sum: ExactSum, newestMs: number): void {
    this.sum.addSum(sum);
    this.grow(count, newestMs);
  }

  /** As `add`, for a sum that is two doubles, of which one may be 0. */
  addTwo(count: number, sum: number, rest: number, newestMs: number): void {
    if (rest !== 0) this.sum.add(rest);
    this.sum.add(sum);
    this.grow(count, newestMs);
  }

  grow(count: number, newestMs: number): void {
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

/** A stored total, decoded in parts: a caller that adds up many checks the times first, and then may not need the rest. */
export class WrittenTotal {
  count = 0;
  newestMs = 0;
  #parts = 0;
  #at = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  /** The bytes were checked: a total that ends too early is not among them. */
  read(bytes: Uint8Array, at: number, windowMs: number): void {
    this.#bytes = bytes;
    this.#at = at;
    this.count = this.#whole();
    this.newestMs = windowMs + this.#whole() * MINUTE_MS;
    this.#parts = this.#whole();
  }

  addTo(into: Total): void {
    for (let part = 0, at = this.#at; part < this.#parts; part++, at += 8) {
      for (let i = 0; i < 8; i++) cell[7 - i] = this.#bytes[at + i] as number;
      into.sum.add(cellValue[0] as number);
    }
    into.grow(this.count, this.newestMs);
  }

  #whole(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#bytes[this.#at++] as number;
      value += (byte & 127) * unit;
      if (!(byte >= 128)) return value;
    }
  }
}

/** One double, least significant byte first: no machine that our packages are built for has it otherwise. */
const cellValue = new Float64Array(1);
const cell = new Uint8Array(cellValue.buffer);
