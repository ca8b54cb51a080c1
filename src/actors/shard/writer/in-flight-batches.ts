/** Batches that a shard has handed to the writer and that are not durable yet, with the messages in them for the shard itself. */
import { assert } from '../../../base/assert.ts';
import type { MessageBatch } from '../../runtime/behaviour.ts';

interface Batch {
  readonly number: number;
  readonly sinceMs: number;
  readonly own: readonly MessageBatch[];
}

export class InFlightBatches {
  /** Oldest first. */
  readonly #batches: Batch[] = [];

  add(number: number, own: readonly MessageBatch[], nowMs: number): void {
    this.#batches.push({ number, sinceMs: nowMs, own });
  }

  /** The oldest batch, which must be this one, is durable; its messages for the shard itself. */
  durable(number: number): readonly MessageBatch[] {
    const oldest = this.#batches.shift();
    assert(oldest?.number === number, 'a batch became durable that is not the oldest in flight');
    return oldest.own;
  }

  /** All of them failed. */
  clear(): void {
    this.#batches.length = 0;
  }

  /** Age of the oldest. */
  ageMs(nowMs: number): number {
    const oldest = this.#batches[0];
    return oldest ? nowMs - oldest.sinceMs : 0;
  }
}
