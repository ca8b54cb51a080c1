/**
 * A reading that takes time, made when it is asked for and not more often than it may cost: the one of before is given
 * while nothing has changed, and as long as reading again would take more than a twentieth of one core.
 */
import type { Clock } from '../../base/clock.ts';

const SHARE = 20;

export class PacedReading<T> {
  readonly #clock: Clock;
  readonly #read: () => Promise<T>;
  readonly #version: () => number;
  #last: { readonly value: T; readonly version: number; readonly atMs: number; readonly costMs: number } | undefined;
  #reading: Promise<T> | undefined;

  /** `version` changes whenever the reading would. */
  constructor(clock: Clock, version: () => number, read: () => Promise<T>) {
    this.#clock = clock;
    this.#version = version;
    this.#read = read;
  }

  get(): Promise<T> {
    const { atMs, costMs, value, version } = this.#last ?? {};
    const isDue =
      atMs === undefined || (version !== this.#version() && this.#clock.monotonicMs() - atMs >= SHARE * (costMs ?? 0));
    if (!isDue) return Promise.resolve(value as T);
    this.#reading ??= this.#again();
    return this.#reading;
  }

  async #again(): Promise<T> {
    const version = this.#version();
    const begunMs = this.#clock.monotonicMs();
    try {
      const value = await this.#read();
      const atMs = this.#clock.monotonicMs();
      this.#last = { value, version, atMs, costMs: atMs - begunMs };
      return value;
    } finally {
      this.#reading = undefined;
    }
  }
}
