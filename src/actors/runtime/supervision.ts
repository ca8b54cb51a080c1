/**
 * How often something may fail before its supervisor stops believing in a restart. A sliding window of restart times:
 * one more than `restartsMax` inside `windowMs` is one too many.
 */
export interface RestartBudget {
  readonly restartsMax: number;
  readonly windowMs: number;
}

/** An actor that fails 5 times a minute is refused for the rest of that minute; the others do not notice. */
export const ACTOR_BUDGET: RestartBudget = { restartsMax: 5, windowMs: 60_000 };
/** A shard whose actors fail 500 times a minute has a problem that restarting actors does not solve. */
export const SHARD_ACTOR_BUDGET: RestartBudget = { restartsMax: 500, windowMs: 60_000 };
/** A shard thread that crashes 10 times a minute takes the process down, loudly, for the service manager to see. */
export const SHARD_THREAD_BUDGET: RestartBudget = { restartsMax: 10, windowMs: 60_000 };

export class RestartCounter {
  readonly #budget: RestartBudget;
  #timesMs: number[] = [];

  constructor(budget: RestartBudget) {
    this.#budget = budget;
  }

  /** Counts one failure; false where the budget is spent. */
  record(nowMs: number): boolean {
    this.#timesMs = this.#timesMs.filter((time) => time > nowMs - this.#budget.windowMs);
    this.#timesMs.push(nowMs);
    return this.#timesMs.length <= this.#budget.restartsMax;
  }

  isSpent(nowMs: number): boolean {
    return this.#timesMs.filter((time) => time > nowMs - this.#budget.windowMs).length > this.#budget.restartsMax;
  }
}
