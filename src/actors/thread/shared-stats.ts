/**
 * The few numbers that threads share in memory: counts for the crowd check, and how many series there are. Each cell has
 * one writer (its shard), but for the counts of series and of refusals, which
 * are added to atomically.
 *
 *   [ series | refusals | shard 0: running, silent, held | shard 1: … ]
 */
import type { Crowd } from '../node/liveness.ts';

const HEADER = 2;
const PER_SHARD = 3;

export class SharedStats {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #shardCount: number;

  constructor(shardCount: number, buffer = new SharedArrayBuffer(4 * (HEADER + PER_SHARD * shardCount))) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
    this.#shardCount = shardCount;
  }

  get seriesCount(): number {
    return Atomics.load(this.#cells, 0);
  }

  addSeries(count: number): void {
    Atomics.add(this.#cells, 0, count);
  }

  /** Heartbeats refused by any shard, to wherever their nodes live; only its changes mean something. */
  get refusals(): number {
    return Atomics.load(this.#cells, 1);
  }

  addRefusal(): void {
    Atomics.add(this.#cells, 1, 1);
  }

  publish(shard: number, { running, silent }: Crowd, held: number): void {
    const at = HEADER + PER_SHARD * shard;
    Atomics.store(this.#cells, at, running);
    Atomics.store(this.#cells, at + 1, silent);
    Atomics.store(this.#cells, at + 2, held);
  }

  /** Running and silent nodes of every shard but one, which knows its own better. */
  crowdWithout(shard: number): Crowd {
    let running = 0;
    let silent = 0;
    for (let i = 0; i < this.#shardCount; i++) {
      if (i === shard) continue;
      running += Atomics.load(this.#cells, HEADER + PER_SHARD * i);
      silent += Atomics.load(this.#cells, HEADER + PER_SHARD * i + 1);
    }
    return { running, silent };
  }

  totals(): { readonly running: number; readonly silent: number; readonly held: number } {
    const { running, silent } = this.crowdWithout(-1);
    let held = 0;
    for (let i = 0; i < this.#shardCount; i++) held += Atomics.load(this.#cells, HEADER + PER_SHARD * i + 2);
    return { running, silent, held };
  }
}
