/**
 * Ordered keys: comparing the bytes of two keys compares the things they stand for, part by part. A text part ends in a
 * zero byte (no text of ours contains one), so that `a` sorts before `ab` whatever follows. A law test holds this.
 */
import type { EpochNs } from '../../protocol/timestamp.ts';

export type KeyPart =
  | { readonly text: string }
  | { readonly ns: EpochNs }
  | { readonly ms: number }
  | { readonly number: number }
  | { readonly byte: number };

const encoder = new TextEncoder();
const NS_SIZE = 9;
/** Characters of ids and names. Values that are written as text are longer. */
const SHORT_TEXT = 256;
/** Moves every instant of the years 0 to 9999 above zero: 2^71 ns is 74,000 years. */
const NS_BIAS = 1n << 71n;

/** A key is written here and then copied: a job's indexes are some twenty keys, and an object a part costs more than the part. */
let scratch = new Uint8Array(4_096);
let view = new DataView(scratch.buffer);

export function keyOf(...parts: readonly KeyPart[]): Uint8Array {
  let at = 0;
  for (const part of parts) at = write(part, at);
  return scratch.slice(0, at);
}

/** The key of these parts, followed by what is a key already. */
export function keyEndingIn(end: Uint8Array, ...parts: readonly KeyPart[]): Uint8Array {
  let at = 0;
  for (const part of parts) at = write(part, at);
  reserve(at + end.byteLength);
  scratch.set(end, at);
  return scratch.slice(0, at + end.byteLength);
}

/** A key that is one text and nothing else; no terminator, so that it reads well in tools. */
export function textKey(text: string): Uint8Array {
  // What is as short as an id stays on the heap; the encoder's own array never does.
  return text.length > SHORT_TEXT ? encoder.encode(text) : scratch.slice(0, writeText(text, 0) - 1);
}

/** The first key after every key that starts with `prefix`; undefined where there is none. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  // A copy: what `slice` of a Buffer gives is the same memory.
  const end = Uint8Array.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    const byte = end[i] as number;
    if (byte < 0xff) {
      end[i] = byte + 1;
      return end.subarray(0, i + 1);
    }
  }
  return undefined;
}

/** The smallest key that is greater than `key`. */
export function afterKey(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}

/**
 * A key that is only read by. lmdb-js copies it as it is. Its `buffer`, which a Buffer would be made of, moves the bytes of a short
 * key out of the heap, where the collector frees them one by one: some 200 for a page of jobs.
 */
export function asKey(bytes: Uint8Array): Buffer {
  return bytes as Buffer;
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** Reads a key part by part, in the order it was written. */
export class KeyReader {
  readonly #key: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(key: Uint8Array) {
    this.#key = key;
    this.#view = new DataView(key.buffer, key.byteOffset, key.byteLength);
  }

  text(): string {
    const zero = this.#key.indexOf(0, this.#at);
    // The zero may be what is damaged; the text is then one that nothing has.
    const end = zero < 0 ? this.#key.byteLength : zero;
    const text = Buffer.from(this.#key.buffer, this.#key.byteOffset + this.#at, end - this.#at).toString('utf8');
    this.#at = end + 1;
    return text;
  }

  ns(): EpochNs {
    const high = BigInt(this.#key[this.#at] as number);
    const low = this.#view.getBigUint64(this.#at + 1);
    this.#at += NS_SIZE;
    return ((high << 64n) | low) - NS_BIAS;
  }

  ms(): number {
    const value = this.#view.getUint16(this.#at) * 4_294_967_296 + this.#view.getUint32(this.#at + 2);
    this.#at += 6;
    return value - MS_BIAS;
  }

  number(): number {
    const value = this.#view.getUint32(this.#at) * 4_294_967_296 + this.#view.getUint32(this.#at + 4);
    this.#at += 8;
    return value;
  }

  byte(): number {
    return this.#key[this.#at++] as number;
  }
}

/** Moves the years -260 to 8659 above zero; what is further away is refused before it becomes a key. */
const MS_BIAS = 2 ** 46;

/** Where the next part begins. */
function write(part: KeyPart, at: number): number {
  if ('text' in part) return writeText(part.text, at);
  reserve(at + NS_SIZE);
  if ('byte' in part) {
    scratch[at] = part.byte;
    return at + 1;
  }
  if ('ns' in part) {
    const biased = part.ns + NS_BIAS;
    scratch[at] = Number(biased >> 64n);
    view.setBigUint64(at + 1, biased & 0xffff_ffff_ffff_ffffn);
    return at + NS_SIZE;
  }
  return 'ms' in part ? writeBigEndian(part.ms + MS_BIAS, 6, at) : writeBigEndian(part.number, 8, at);
}

function writeText(text: string, at: number): number {
  // UTF-8 has at most three bytes for each UTF-16 unit.
  reserve(at + text.length * 3 + 1);
  let end = at;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) {
      end = at + encoder.encodeInto(text, scratch.subarray(at)).written;
      break;
    }
    scratch[end++] = unit;
  }
  scratch[end] = 0;
  return end + 1;
}

/** A non-negative integer below 2^53, most significant byte first. */
function writeBigEndian(value: number, size: 6 | 8, at: number): number {
  const high = Math.floor(value / 4_294_967_296);
  if (size === 8) view.setUint32(at, high);
  else view.setUint16(at, high);
  view.setUint32(at + size - 4, value >>> 0);
  return at + size;
}

function reserve(size: number): void {
  if (size <= scratch.byteLength) return;
  const grown = new Uint8Array(size * 2);
  grown.set(scratch);
  scratch = grown;
  view = new DataView(grown.buffer);
}
