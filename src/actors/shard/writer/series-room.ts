/**
 * Room for series that this shard is about to write. It is taken before the batch with their rows and given back when that
 * batch is durable, because the writer counts them by then, or when it has failed, because there are none. A series that is
 * on its way takes its room once, however many samples name it.
 *
 * The room is held until the last batch that brings the series: an earlier one may also have removed it, and stored nothing.
 *
 * Two shards that bring the same series at once take room twice until both are durable, so that close to the bound a series
 * may be refused that fits a moment later. What is stored is counted by the writer alone and never drifts.
 */
import { SERIES_MAX } from '../../../protocol/metric.ts';
import type { SharedStats } from '../wire/shared-stats.ts';

export class SeriesRoom {
  readonly #stats: SharedStats;
  readonly #shard: number;
  readonly #max: number;
  /** `object metric` → number of the last batch that brings it; in the order of the batches. Bounded by that of series. */
  readonly #pending = new Map<string, number>();

  constructor(stats: SharedStats, shard: number, max = SERIES_MAX) {
    this.#stats = stats;
    this.#shard = shard;
    this.#max = max;
    // A thread that crashed gives nothing back.
    stats.forgetSeries(shard);
  }

  /**
   * Takes room for the object's series of these metrics, of which none is stored, and which batch `number` brings: the next
   * one to be sealed. False, and nothing is taken, where there is none for all of them.
   */
  take(objectId: string, metrics: Iterable<string>, number: number): boolean {
    const named = [...metrics].map((metric) => `${objectId} ${metric}`);
    const added = named.filter((name) => !this.#pending.has(name)).length;
    if (!this.#stats.takeSeries(this.#shard, added, this.#max)) return false;
    for (const name of named) {
      if (this.#pending.get(name) === number) continue;
      this.#pending.delete(name);
      this.#pending.set(name, number);
    }
    return true;
  }

  /** To be called after the writer has counted what the batch brought. */
  durable(number: number): void {
    let given = 0;
    for (const [name, batch] of this.#pending) {
      if (batch > number) break;
      this.#pending.delete(name);
      given++;
    }
    if (given > 0) this.#stats.giveSeries(this.#shard, given);
  }

  /** Every batch that is not durable has failed. */
  failed(): void {
    this.#stats.giveSeries(this.#shard, this.#pending.size);
    this.#pending.clear();
  }
}
