/**
 * The only place that reads a clock. Decisions use the monotonic clock; the wall clock is only for what people read.
 * Behaviours never call a clock: the runtime hands them a `Now`.
 */
export interface Now {
  /** Milliseconds on a clock that never goes back; its zero is arbitrary. */
  readonly monotonicMs: number;
  /** Milliseconds since 1970-01-01 UTC, as the machine believes. */
  readonly wallMs: number;
}

export interface Clock {
  now(): Now;
  monotonicMs(): number;
  wallMs(): number;
}

export const systemClock: Clock = {
  now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }),
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
};

/** Microseconds on one clock for all threads of the process (`performance.now` starts at zero in each). */
export function processMonotonicUs(): bigint {
  return process.hrtime.bigint() / 1_000n;
}

/** A clock that moves only when told to, for tests and simulation. */
export class ManualClock implements Clock {
  #monotonicMs = 0;
  #wallMs: number;

  constructor(wallMs = Date.UTC(2026, 0, 1)) {
    this.#wallMs = wallMs;
  }

  now(): Now {
    return { monotonicMs: this.#monotonicMs, wallMs: this.#wallMs };
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  wallMs(): number {
    return this.#wallMs;
  }

  advance(ms: number): void {
    if (ms < 0) throw new RangeError(`cannot move a clock back: got ${ms} ms`);
    this.#monotonicMs += ms;
    this.#wallMs += ms;
  }

  /** The wall clock may jump (a person or NTP sets it); the monotonic clock never does. */
  jumpWall(ms: number): void {
    this.#wallMs += ms;
  }
}
