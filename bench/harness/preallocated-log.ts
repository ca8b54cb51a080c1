/**
 * The least that is durable: a file of fixed size that is written from its beginning again when it is full. No page is new, nothing
 * is indexed, and nobody could find anything in it.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs';

const LOG_BYTES = 32 * 1024 * 1024;

export class PreallocatedLog {
  readonly #file: number;
  #at = 0;

  /** Makes the file. */
  constructor(path: string) {
    const fresh = openSync(path, 'w', 0o600);
    writeSync(fresh, Buffer.alloc(LOG_BYTES));
    closeSync(fresh);
    this.#file = openSync(path, constants.O_WRONLY | constants.O_DSYNC);
  }

  /** Returns when the bytes are on the disk. */
  append(bytes: Uint8Array): void {
    if (this.#at + bytes.byteLength > LOG_BYTES) this.#at = 0;
    this.#at += writeSync(this.#file, bytes, 0, bytes.byteLength, this.#at);
  }

  close(): void {
    closeSync(this.#file);
  }
}
