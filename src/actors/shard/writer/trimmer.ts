/**
 * Removes what is no longer needed: journal entries that every shard has acknowledged, events past their time. Once a second
 * it trims all there is, in slices of one short transaction each, with a pause between them in which batches are committed.
 */
import { CodedError, type Failure, failureOf } from '../../../base/errors.ts';
import type { ThreadPlatform } from '../wire/thread-platform.ts';

export interface TrimmerHost {
  readonly platform: Pick<ThreadPlatform, 'every' | 'after'>;
  /** Each removes one slice and says how much that was; 0 where nothing is left. Throws where it cannot be written. */
  readonly slices: Readonly<Record<string, () => number>>;
  /** Told of the first failure of a kind, and of the next one after it has worked again. */
  onFailure(what: string, failure: Failure): void;
}

const TRIM_EVERY_MS = 1_000;
const PAUSE_MS = 5;

export class Trimmer {
  readonly #host: TrimmerHost;
  readonly #failing = new Set<string>();
  readonly #endRounds: () => void;
  #endPause: (() => void) | null = null;

  constructor(host: TrimmerHost) {
    this.#host = host;
    this.#endRounds = host.platform.every(TRIM_EVERY_MS, () => {
      if (!this.#endPause) this.#slice();
    });
  }

  close(): void {
    this.#endRounds();
    this.#endPause?.();
  }

  #slice(): void {
    this.#endPause = null;
    let removed = 0;
    for (const [what, slice] of Object.entries(this.#host.slices)) removed += this.#try(what, slice);
    if (removed > 0) this.#endPause = this.#host.platform.after(PAUSE_MS, () => this.#slice());
  }

  /** What fails is tried again in the next round; one that fails does not keep the others. */
  #try(what: string, slice: () => number): number {
    try {
      const removed = slice();
      this.#failing.delete(what);
      return removed;
    } catch (error) {
      const failure: Failure =
        error instanceof CodedError ? failureOf(error) : { name: 'internal', detail: String(error) };
      if (!this.#failing.has(what)) this.#host.onFailure(what, failure);
      this.#failing.add(what);
      return 0;
    }
  }
}
