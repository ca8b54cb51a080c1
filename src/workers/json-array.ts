/** Writes a JSON array in chunks of a bounded size from parts that are JSON already. */
const CHUNK_SIZE = 256 * 1024;

export class JsonArrayWriter {
  #parts: Uint8Array[] = [];
  #size = 0;
  #first = true;

  /** Adds an element; returns a chunk when enough has come together. */
  add(element: Uint8Array): Uint8Array | undefined {
    this.#push(this.#first ? OPEN : COMMA);
    this.#first = false;
    this.#push(element);
    return this.#size >= CHUNK_SIZE ? this.#take() : undefined;
  }

  /** The rest, with the closing bracket. */
  end(): Uint8Array {
    if (this.#first) this.#push(OPEN);
    this.#push(CLOSE);
    return this.#take();
  }

  #push(part: Uint8Array): void {
    this.#parts.push(part);
    this.#size += part.byteLength;
  }

  #take(): Uint8Array {
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

const OPEN = Uint8Array.of(0x5b);
const CLOSE = Uint8Array.of(0x5d);
const COMMA = Uint8Array.of(0x2c);
