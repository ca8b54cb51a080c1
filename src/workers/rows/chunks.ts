/** Puts parts together into chunks of a bounded size, each in a buffer of its own, ready to be handed to another thread. */
const CHUNK_SIZE = 256 * 1024;

export class ChunkBuilder {
  #parts: Uint8Array[] = [];
  #size = 0;

  get isFull(): boolean {
    return this.#size >= CHUNK_SIZE;
  }

  push(part: Uint8Array): void {
    this.#parts.push(part);
    this.#size += part.byteLength;
  }

  take(): Uint8Array {
    const chunk = new Uint8Array(this.#size);
    let at = 0;
    for (const part of this.#parts) {
      chunk.set(part, at);
      at += part.byteLength;
    }
    this.#parts = [];
    this.#size = 0;
    return chunk;
  }
}
