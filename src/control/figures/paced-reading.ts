/**
 * A reading that takes time, made when it is asked for and not more often than it may cost: the one of before is given
 * while nothing has changed, and as long as reading again would take more than a twentieth of one core. What one task of the
 * pool answers is read each time. The tasks are counted and not timed: where they wait for a busy machine, they cost nothing.
 */
import type { Clock } from '../../base/clock.ts';

const SHARE = 20;
/** About what a task takes. */
const TASK_MS = 5;

export interface Reading<T> {
  readonly value: T;
  /** Tasks of the pool that it took. */
  readonly tasks: number;
}

export class PacedReading<T> {
  readonly #clock: Clock;
  readonly #read: () => Promise<Reading<T>>;
  readonly #version: () => number;
  #last: (Reading<T> & { readonly version: number; readonly atMs: number }) | undefined;
  #reading: Promise<T> | undefined;

  /** `version` changes whenever the reading would. */
  constructor(clock: Clock, version: () => number, read: () => Promise<Reading<T>>) {
    this.#clock = clock;
    this.#version = version;
    this.#read = read;
  }

  get(): Promise<T> {
    const last = this.#last;
    if (last && (last.version === this.#version() || this.#clock.monotonicMs() - last.atMs < pauseMs(last.tasks)))
      return Promise.resolve(last.value);
    this.#reading ??= this.#again();
    return this.#reading;
  }

  async #again(): Promise<T> {
    const version = this.#version();
    try {
      const reading = await this.#read();
      this.#last = { ...reading, version, atMs: this.#clock.monotonicMs() };
      return reading.value;
    } finally {
      this.#reading = undefined;
    }
  }
}

function pauseMs(tasks: number): number {
  return SHARE * TASK_MS * (tasks - 1);
}
