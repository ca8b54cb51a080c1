/**
 * Buffers of a stream that came back when their bytes were sent. A thread that only lets go of what it was handed collects
 * its garbage far too often: every 64 MiB of such memory V8 looks through all of the heap, and on a shard that is the actors.
 *
 * Bound: BUFFERS_MAX. Overflow policy: the incoming buffer is discarded.
 */
const BUFFERS_MAX = 8;
/** Of a chunk; buffers of another size are not kept. */
export const BUFFER_SIZE = 320 * 1024;

export class BufferPool {
  #buffers: ArrayBuffer[] = [];

  give(buffer: ArrayBuffer): void {
    if (buffer.byteLength === BUFFER_SIZE && this.#buffers.length < BUFFERS_MAX) this.#buffers.push(buffer);
  }

  /** Holds what it held when it was given. */
  take(): Uint8Array<ArrayBuffer> | undefined {
    const buffer = this.#buffers.pop();
    return buffer && new Uint8Array(buffer);
  }
}
