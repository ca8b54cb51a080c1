/**
 * What a sweep cannot handle: it is logged once and left in place; the sweep continues behind it. Only for what is
 * wrong with one thing (a damaged record, a folder without rights); what nothing can work without ends the sweep as ever.
 */
import { CodedError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** Things that were told already. Overflow policy: more are only counted. */
const TOLD_MAX = 1_000;

export class Skips {
  readonly #log: Logger;
  readonly #told = new Set<string>();
  #count = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Skipped since the last `end`. */
  get count(): number {
    return this.#count;
  }

  skip(sweep: string, what: string, error: unknown): void {
    this.#count++;
    const name = `${sweep} ${what}`;
    if (this.#told.has(name) || this.#told.size >= TOLD_MAX) return;
    this.#told.add(name);
    this.#log.error({ kind: 'environment', error, sweep, what }, 'a sweep skipped an item that it cannot process');
  }

  /** The pass is over: says how much it left, where it is anything. */
  end(sweep: string): void {
    if (this.#count > 0)
      this.#log.warn({ sweep, skipped: this.#count }, 'a sweep skipped items that it cannot process');
    this.#count = 0;
  }
}

/** Whether it is the fault of the one thing that was asked of: a store that is full, or a shard that restarts, is not. */
export function isOfOneThing(error: unknown): boolean {
  return !(error instanceof CodedError) || error.name === 'internal' || error.name === 'recordDamaged';
}
