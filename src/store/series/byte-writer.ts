/** A growing string of bytes: whole numbers in groups of seven bits, short texts, doubles. */

const INITIAL_SIZE = 1_024;

export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  #size = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#size++] = value;
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#size = this.#bytes.writeUInt32BE(value, this.#size);
  }

  f64(value: number): void {
    this.#reserve(8);
    this.#size = this.#bytes.writeDoubleBE(value, this.#size);
  }

  /** A whole number of 0 to 2^53 − 1. */
  whole(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#size++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#size++] = rest;
  }

  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.whole(size);
    this.#reserve(size);
    this.#size += this.#bytes.write(value, this.#size);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.byteLength);
    this.#bytes.set(value, this.#size);
    this.#size += value.byteLength;
  }

  /** What was written, in a buffer of its own that nothing else shares; the writer is empty afterwards. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.#bytes.subarray(0, this.#size));
    this.#size = 0;
    return taken;
  }

  #reserve(size: number): void {
    if (this.#size + size <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#size + size));
    this.#bytes.copy(grown, 0, 0, this.#size);
    this.#bytes = grown;
  }
}
