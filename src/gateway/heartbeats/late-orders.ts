/**
 * Tells the server log of orders that did not go with a reply, since main could not take what nodes say of them.
 *
 * Bound: one line a second for each shard. Overflow policy: the others are counted in the next line.
 */
import type { Logger } from '../../base/log.ts';

const LINE_EVERY_MS = 1_000;

export class LateOrders {
  readonly #log: Logger;
  #nextMs = 0;
  #untold = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `nowMs` is monotonic. */
  note(error: unknown, nowMs: number): void {
    if (nowMs < this.#nextMs) {
      this.#untold++;
      return;
    }
    const others = this.#untold > 0 ? { others: this.#untold } : {};
    this.#log.warn(
      { error, ...others },
      'cannot record which orders a node has carried out: its orders come with its next heartbeat',
    );
    this.#nextMs = nowMs + LINE_EVERY_MS;
    this.#untold = 0;
  }
}
