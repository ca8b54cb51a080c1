/** One thing that is done again and again, an interval after it was done last. Never twice at once. */

/** What a timer can hold; a longer interval is a chain of them. */
const TIMER_MAX_MS = 2_147_483_647;

export interface SweepOf {
  readonly everyMs: () => number;
  readonly run: () => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

export class Sweep {
  readonly #of: SweepOf;
  #timer: NodeJS.Timeout | undefined;
  /** The interval that is being waited for; null while the sweep runs. */
  #waitsMs: number | null = null;
  #stopped = true;

  constructor(of: SweepOf) {
    this.#of = of;
  }

  start(): void {
    this.#stopped = false;
    this.#plan();
  }

  /** The interval may have changed. If it has, the new one counts from now; if not, the current wait continues. */
  retime(): void {
    if (this.#stopped || this.#waitsMs === null || this.#waitsMs === this.#of.everyMs()) return;
    this.#plan();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    clearTimeout(this.#timer);
    this.#waitsMs = this.#of.everyMs();
    this.#wait(this.#waitsMs);
  }

  #wait(ms: number): void {
    const laterMs = ms - TIMER_MAX_MS;
    const next = (): void => (laterMs > 0 ? this.#wait(laterMs) : void this.#run());
    this.#timer = setTimeout(next, Math.min(ms, TIMER_MAX_MS));
  }

  async #run(): Promise<void> {
    this.#waitsMs = null;
    try {
      await this.#of.run();
    } catch (error) {
      this.#of.onFailure(error);
    }
    if (!this.#stopped) this.#plan();
  }
}
