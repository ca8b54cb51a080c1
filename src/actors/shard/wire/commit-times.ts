/**
 * How long transactions take until they are flushed, shared between the writer's thread, which alone writes, and main.
 *
 *   [ sum of seconds | count | a count for each bucket | the newest durations in seconds, in a ring ]
 */
import { LATENCY_BOUNDS_SECONDS, type MetricSnapshot } from '../../../base/metrics.ts';

const BUCKETS = LATENCY_BOUNDS_SECONDS.length + 1;
const RECENT = 64;
const RING = 2 + BUCKETS;

export class CommitTimes {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Float64Array;

  constructor(buffer = new SharedArrayBuffer(8 * (RING + RECENT))) {
    this.buffer = buffer;
    this.#cells = new Float64Array(buffer);
  }

  observe(seconds: number): void {
    const cells = this.#cells;
    let bucket = 0;
    while (bucket < BUCKETS - 1 && seconds > (LATENCY_BOUNDS_SECONDS[bucket] as number)) bucket++;
    const count = cells[1] as number;
    cells[RING + (count % RECENT)] = seconds;
    cells[0] = (cells[0] as number) + seconds;
    cells[2 + bucket] = (cells[2 + bucket] as number) + 1;
    cells[1] = count + 1;
  }

  get count(): number {
    return this.#cells[1] as number;
  }

  /** Of the newest transactions, at most 64; undefined where there was none. */
  get medianSeconds(): number | undefined {
    const known = Math.min(this.count, RECENT);
    const recent = [...this.#cells.subarray(RING, RING + known)].sort((a, b) => a - b);
    return recent[Math.floor(known / 2)];
  }

  snapshot(): MetricSnapshot {
    return {
      name: 'cairn_commit_seconds',
      kind: 'histogram',
      help: 'Time of a transaction until it is flushed to disk',
      labels: '',
      value: this.#cells[0] as number,
      count: this.count,
      buckets: [...this.#cells.subarray(2, RING)],
      bounds: LATENCY_BOUNDS_SECONDS,
    };
  }
}
