/** Latencies in a histogram of 2 % steps from 1 µs to 100 s: quantiles of millions of requests in a few kilobytes. */
const STEP = Math.log(1.02);
const BUCKETS = Math.ceil(Math.log(1e8) / STEP) + 1;

export class Latencies {
  readonly counts: Float64Array;
  count = 0;

  constructor(counts = new Float64Array(BUCKETS)) {
    this.counts = counts;
    for (const n of counts) this.count += n;
  }

  record(microseconds: number): void {
    const bucket = Math.min(BUCKETS - 1, Math.max(0, Math.round(Math.log(Math.max(1, microseconds)) / STEP)));
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.count++;
  }

  add(other: Latencies): void {
    other.counts.forEach((n, i) => {
      this.counts[i] = (this.counts[i] as number) + n;
    });
    this.count += other.count;
  }

  /** Milliseconds. */
  quantile(q: number): number {
    const wanted = q * this.count;
    let seen = 0;
    for (let i = 0; i < BUCKETS; i++) {
      seen += this.counts[i] as number;
      if (seen >= wanted && seen > 0) return Math.exp(i * STEP) / 1000;
    }
    return 0;
  }
}
