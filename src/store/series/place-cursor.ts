/** Looks for names in bytes without making a text of each: a question about one series meets thousands of others. */
import { CodedError } from '../../base/errors.ts';

/** Bytes with a place that moves on. */
export class PlaceCursor {
  /** What the places are in. */
  bytes: Uint8Array;
  protected place: number;

  constructor(bytes: Uint8Array, place: number) {
    this.bytes = bytes;
    this.place = place;
  }

  /** Where the place was. */
  skip(size: number): number {
    const before = this.place;
    this.place = before + size;
    return before;
  }

  /** As `ByteWriter` writes it. Throws a coded error where the bytes end too early. */
  whole(): number {
    let value = 0;
    for (let unit = 1; unit <= 2 ** 49; unit *= 128) {
      const byte = this.bytes[this.place++];
      if (byte === undefined) break;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
    throw new CodedError('internal', 'cannot read a series segment: bad size');
  }
}

/** The bytes of a text, kept while it is the same: a question looks for one object and one metric in each of its windows. */
export class TextKept {
  #text = '';
  #bytes = new Uint8Array(0);

  of(text: string): Uint8Array {
    if (text !== this.#text) {
      this.#bytes = new TextEncoder().encode(text);
      this.#text = text;
    }
    return this.#bytes;
  }
}

export function textAt(bytes: Uint8Array, at: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at).toString('utf8');
}

/** Whether the bytes there are this text. */
export function isText(bytes: Uint8Array, at: number, size: number, text: Uint8Array): boolean {
  if (size !== text.length) return false;
  for (let i = size - 1; i >= 0; i--) if (bytes[at + i] !== text[i]) return false;
  return true;
}
