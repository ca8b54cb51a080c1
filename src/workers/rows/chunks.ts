/**
 * Puts parts together into chunks of a bounded size, each in a buffer of its own, ready to be handed to another thread. A
 * part is copied when it is pushed: what it was read from may be used again at once.
 */
import { BUFFER_SIZE, type BufferPool } from '../bytes/buffer-pool.ts';

/** The buffer has room for the row that fills a chunk; a longer one makes its buffer larger. */
const CHUNK_SIZE = 256 * 1024;
/** A short answer must not cost a long buffer. */
const FIRST_SIZE = 16 * 1024;

export class ChunkBuilder {
  readonly #bufferPool: BufferPool | undefined;
  #buffer = new Uint8Array(0);
  #size = 0;
  #hasFilledOne = false;

  constructor(bufferPool?: BufferPool) {
    this.#bufferPool = bufferPool;
  }

  get isFull(): boolean {
    return this.#size >= CHUNK_SIZE;
  }

  push(part: Uint8Array): void {
    const size = this.#size + part.byteLength;
    if (size > this.#buffer.byteLength) this.#grow(size);
    this.#buffer.set(part, this.#size);
    this.#size = size;
  }

  take(): Uint8Array {
    const chunk = this.#buffer.subarray(0, this.#size);
    this.#hasFilledOne ||= this.isFull;
    this.#buffer = new Uint8Array(0);
    this.#size = 0;
    return chunk;
  }

  #grow(size: number): void {
    const before = this.#buffer.subarray(0, this.#size);
    this.#buffer = this.#bufferOf(size);
    this.#buffer.set(before);
  }

  #bufferOf(size: number): Uint8Array<ArrayBuffer> {
    if (size > BUFFER_SIZE) return new Uint8Array(size);
    const doubled = Math.max(FIRST_SIZE, 2 * size);
    if (doubled < CHUNK_SIZE && !this.#hasFilledOne) return new Uint8Array(doubled);
    return this.#bufferPool?.take() ?? new Uint8Array(BUFFER_SIZE);
  }
}
