/** How many bytes of request bodies one shard holds, by what becomes of them. */
import { ByteBudget } from '../../base/budget/byte-budget.ts';

export interface BodyBudgets {
  /** Bodies of callers who are allowed to send. */
  readonly reading: ByteBudget;
  /** What came with the heads of callers whose token is being checked. */
  readonly unjudged: ByteBudget;
}

/**
 * Of one shard. 256 connections with a batch of 10,000 heartbeats each fit into the one, a hundred heads with as much as a
 * socket gives at once into the other.
 */
const READING_MAX = 256 * 1024 * 1024;
const UNJUDGED_MAX = 32 * 1024 * 1024;

/** Bytes of log chunks on their way to main and the disk, of one shard. Overflow policy: refuse (503). */
export const CROSSING_MAX = 64 * 1024 * 1024;
/**
 * Bytes of batches of heartbeats that are in work at once, from the parsing to the answer: some hundred thousand beats. The
 * rest waits as bytes, which are counted where they are read, and not as beats before other shards and the disk.
 */
export const BATCHES_MAX = 4 * 1024 * 1024;

export function newBudgets(): BodyBudgets {
  return { reading: new ByteBudget(READING_MAX), unjudged: new ByteBudget(UNJUDGED_MAX) };
}
