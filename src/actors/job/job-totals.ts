/** What a shard's jobs have added up to since its thread began, by queue and metric, for `/metrics`. */
import type { Signal } from '../runtime/behaviour.ts';
import type { JobSamplesSignal } from './behaviour.ts';

/** Queues that are told apart. Overflow policy: the rest are one, under the name of none. */
const QUEUES_MAX = 10_000;
/** Of the queues beyond that. No queue has this name. */
export const OTHER_QUEUES = '';

export type QueueTotals = readonly [queue: string, totals: readonly (readonly [metric: string, total: number])[]];

export class JobTotals {
  readonly #queues = new Map<string, Map<string, number>>();

  add(signal: Signal): void {
    if (signal.type !== 'job.samples') return;
    const { queue, samples } = signal as JobSamplesSignal;
    const totals = this.#of(queue);
    for (const { metric, value } of samples) totals.set(metric, (totals.get(metric) ?? 0) + value);
  }

  /** What others have added up. */
  addAll(parts: readonly QueueTotals[]): void {
    for (const [queue, metrics] of parts) {
      const totals = this.#of(queue);
      for (const [metric, total] of metrics) totals.set(metric, (totals.get(metric) ?? 0) + total);
    }
  }

  totals(): QueueTotals[] {
    return [...this.#queues].map(([queue, totals]) => [queue, [...totals]]);
  }

  #of(queue: string): Map<string, number> {
    const known = this.#queues.get(queue);
    if (known) return known;
    const name = this.#queues.size < QUEUES_MAX ? queue : OTHER_QUEUES;
    const totals = this.#queues.get(name) ?? new Map<string, number>();
    this.#queues.set(name, totals);
    return totals;
  }
}
