/** A log sink of a thread that is not main: lines are collected for some milliseconds and handed on together. */
import type { LineSink } from './log.ts';

const FLUSH_MS = 50;
/** Characters that may wait while there is no reader. Overflow policy: drop the newest, count them. */
const WAITING_MAX = 1024 * 1024;

export class LineBuffer implements LineSink {
  #send: ((lines: string) => void) | undefined;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;
  dropped = 0;

  /** Lines go to `send` from now on; those before it wait. */
  connect(send: (lines: string) => void): void {
    this.#send = send;
    this.flush();
  }

  write(line: string): void {
    if (this.#lines.length + line.length > WAITING_MAX) {
      this.dropped++;
      return;
    }
    this.#lines += line;
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#send || this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    this.#send(lines);
  }
}
