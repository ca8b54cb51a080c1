/** Latencies in buckets that grow by 5 %: quantiles to within that, in constant memory however long the run. */
const GROWTH = 1.05;
const FIRST_MS = 0.05;
/** Up to 0.05 × 1.05^260 ms, which is beyond every deadline. */
const BUCKETS = 261;

export class LatencyHistogram {
  readonly #buckets = new Float64Array(BUCKETS);
  #count = 0;
  #maxMs = 0;

  observe(ms: number): void {
    const place = ms <= FIRST_MS ? 0 : Math.ceil(Math.log(ms / FIRST_MS) / Math.log(GROWTH));
    const index = Math.min(BUCKETS - 1, place);
    this.#buckets[index] = (this.#buckets[index] as number) + 1;
    this.#count++;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  get count(): number {
    return this.#count;
  }

  get maxMs(): number {
    return this.#maxMs;
  }

  /** Upper bound of the bucket that holds the quantile; 0 without observations. */
  quantileMs(quantile: number): number {
    let left = Math.ceil(this.#count * quantile);
    if (left === 0) return 0;
    for (let i = 0; i < BUCKETS; i++) {
      left -= this.#buckets[i] as number;
      if (left <= 0) return Math.min(this.#maxMs, FIRST_MS * GROWTH ** i);
    }
    return this.#maxMs;
  }
}
