/**
 * One header of an rpm: numbered entries of a few types over one store of bytes. The first entry names a region that
 * spans all others; its trailer is the last thing in the store, and digests are over exactly this form.
 */

export const INT16 = 3;
export const INT32 = 4;
const STRING = 6;
const BINARY = 7;
const STRING_ARRAY = 8;
const I18N_STRING = 9;
const MAGIC = Uint8Array.of(0x8e, 0xad, 0xe8, 0x01, 0, 0, 0, 0);
const ENTRY_SIZE = 16;

interface Value {
  readonly type: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

export class RpmHeader {
  readonly #values = new Map<number, Value>();

  text(tag: number, value: string): this {
    return this.#put(tag, STRING, 1, Buffer.from(`${value}\0`));
  }

  localText(tag: number, value: string): this {
    return this.#put(tag, I18N_STRING, 1, Buffer.from(`${value}\0`));
  }

  texts(tag: number, values: readonly string[]): this {
    return this.#put(tag, STRING_ARRAY, values.length, Buffer.from(values.map((value) => `${value}\0`).join('')));
  }

  bytes(tag: number, value: Uint8Array): this {
    return this.#put(tag, BINARY, value.byteLength, value);
  }

  /** Negative numbers stand for their two's complement. */
  numbers(tag: number, type: typeof INT16 | typeof INT32, values: readonly number[]): this {
    const width = type === INT16 ? 2 : 4;
    const bytes = Buffer.alloc(values.length * width);
    values.forEach((value, index) => {
      if (type === INT16) bytes.writeUInt16BE(value & 0xffff, index * width);
      else bytes.writeUInt32BE(value >>> 0, index * width);
    });
    return this.#put(tag, type, values.length, bytes);
  }

  encode(region: number): Uint8Array {
    const values = [...this.#values].sort(([a], [b]) => a - b);
    const index: Uint8Array[] = [];
    const store: Uint8Array[] = [];
    let size = 0;
    for (const [tag, { type, count, bytes }] of values) {
      const width = type === INT16 ? 2 : type === INT32 ? 4 : 1;
      const gap = (width - (size % width)) % width;
      store.push(new Uint8Array(gap), bytes);
      size += gap;
      index.push(entry(tag, type, size, count));
      size += bytes.byteLength;
    }
    const trailer = entry(region, BINARY, -(index.length + 1) * ENTRY_SIZE, ENTRY_SIZE);
    const counts = Buffer.alloc(8);
    counts.writeUInt32BE(index.length + 1, 0);
    counts.writeUInt32BE(size + ENTRY_SIZE, 4);
    return Buffer.concat([MAGIC, counts, entry(region, BINARY, size, ENTRY_SIZE), ...index, ...store, trailer]);
  }

  #put(tag: number, type: number, count: number, bytes: Uint8Array): this {
    this.#values.set(tag, { type, count, bytes });
    return this;
  }
}

function entry(tag: number, type: number, offset: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(ENTRY_SIZE);
  bytes.writeUInt32BE(tag, 0);
  bytes.writeUInt32BE(type, 4);
  bytes.writeInt32BE(offset, 8);
  bytes.writeUInt32BE(count, 12);
  return bytes;
}
