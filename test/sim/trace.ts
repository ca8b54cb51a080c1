/**
 * What happened, one fixed-width line an event, so that a diff of two runs shows where they part. The hash of all lines
 * is what a replay must give again.
 *
 *     time ms  who         what          detail
 */
import { createHash } from 'node:crypto';

/** Lines hashed at once. */
const BLOCK = 512;
/** Lines kept for the report of a failure. */
const KEPT = 4_000;

export class Trace {
  readonly #hash = createHash('sha256');
  readonly #write: ((line: string) => void) | null;
  #block: string[] = [];
  #kept: string[] = [];

  /** `write` gets every line, as it comes. */
  constructor(write: ((line: string) => void) | null) {
    this.#write = write;
  }

  add(atMs: number, who: string, what: string, detail = ''): void {
    const line = `${atMs.toFixed(3).padStart(12)}  ${who.padEnd(10)}  ${what.padEnd(12)}  ${detail}`;
    this.#block.push(line);
    if (this.#block.length >= BLOCK) this.#flush();
    this.#write?.(line);
  }

  /** The last lines. */
  tail(count: number): string[] {
    return [...this.#kept, ...this.#block].slice(-count);
  }

  /** Ends the trace. */
  digest(): string {
    this.#flush();
    return this.#hash.digest('hex').slice(0, 16);
  }

  #flush(): void {
    this.#hash.update(this.#block.join('\n'));
    this.#kept = [...this.#kept, ...this.#block].slice(-KEPT);
    this.#block = [];
  }
}
