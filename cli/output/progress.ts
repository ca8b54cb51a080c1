/** How far long work is, on a terminal's standard error only. */

const EVERY_MS = 200;
const MIB = 1_048_576;

export class Progress {
  readonly #what: string;
  readonly #isShown = process.stderr.isTTY === true;
  #shownMs = 0;

  constructor(what: string) {
    this.#what = what;
  }

  bytes(count: number): void {
    const nowMs = performance.now();
    if (!this.#isShown || nowMs - this.#shownMs < EVERY_MS) return;
    this.#shownMs = nowMs;
    process.stderr.write(`\r\u001b[K${this.#what}: ${(count / MIB).toFixed(1)} MiB`);
  }

  end(): void {
    if (this.#shownMs > 0) process.stderr.write('\r\u001b[K');
  }
}
