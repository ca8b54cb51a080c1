/** Tells a person how far long work is: one line that is written over on a terminal, a line every ten seconds elsewhere. */
const TERMINAL_MS = 200;
const LINE_MS = 10_000;
const MIB = 1024 * 1024;

export class Progress {
  readonly #out: NodeJS.WriteStream;
  #lastMs: number;
  #isShown = false;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
    this.#lastMs = performance.now();
  }

  /** `done` of `total` bytes. */
  tell(what: string, done: number, total: number): void {
    const now = performance.now();
    if (now - this.#lastMs < (this.#out.isTTY ? TERMINAL_MS : LINE_MS)) return;
    this.#lastMs = now;
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
    const line = `${what}: ${percent} % of ${Math.ceil(total / MIB)} MiB`;
    this.#out.write(this.#out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    this.#isShown = true;
  }

  end(): void {
    if (this.#isShown && this.#out.isTTY) this.#out.write('\r\x1b[K');
  }
}
