/**
 * A growing string of bits, and its reader. Most significant bit first. Whole numbers go up to 2^53; a Golomb-Rice code
 * holds a number that is usually near 2^k in about k + 1.5 bits.
 */
import { CodedError } from '../../base/errors.ts';

/** Bits that fit beside up to 7 waiting ones in a 32-bit accumulator. */
const STEP_BITS = 24;
const STEP = 2 ** STEP_BITS;
/** A quotient this long is an outlier: it is escaped and written in full. */
const QUOTIENT_MAX = 20;
const INITIAL_SIZE = 4_096;

export class BitWriter {
  #bytes = new Uint8Array(INITIAL_SIZE);
  #size = 0;
  #waiting = 0;
  #waitingBits = 0;

  /** `value` below 2^bits; at most 53 bits. */
  bits(value: number, bits: number): void {
    if (bits > STEP_BITS) {
      const lowBits = bits > 2 * STEP_BITS ? 2 * STEP_BITS : STEP_BITS;
      const low = 2 ** lowBits;
      this.bits(Math.floor(value / low), bits - lowBits);
      this.bits(value % low, lowBits);
      return;
    }
    this.#waiting = (this.#waiting << bits) | value;
    this.#waitingBits += bits;
    if (this.#waitingBits >= 8) this.#drain();
  }

  /** A whole number of 0 to 2^53 − 1: its length, then its bits. */
  whole(value: number): void {
    const length = bitLength(value);
    this.bits(length, 6);
    this.bits(value, length);
  }

  signed(value: number): void {
    this.bits(value < 0 ? 1 : 0, 1);
    this.whole(Math.abs(value));
  }

  rice(value: number, k: number): void {
    const unit = 2 ** k;
    const quotient = Math.floor(value / unit);
    if (quotient >= QUOTIENT_MAX) {
      this.bits(2 ** QUOTIENT_MAX - 1, QUOTIENT_MAX);
      this.whole(value);
      return;
    }
    if (quotient + 1 + k <= STEP_BITS) {
      this.bits((((2 << quotient) - 2) << k) | (value - quotient * unit), quotient + 1 + k);
      return;
    }
    this.bits((2 << quotient) - 2, quotient + 1);
    this.bits(value - quotient * unit, k);
  }

  /** The bits, filled up with zeros to whole bytes, in a buffer of their own; the writer is empty afterwards. */
  take(): Uint8Array {
    if (this.#waitingBits > 0) this.bits(0, 8 - this.#waitingBits);
    const taken = this.#bytes.slice(0, this.#size);
    this.#size = 0;
    return taken;
  }

  #drain(): void {
    if (this.#size + 4 > this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    while (this.#waitingBits >= 8) {
      this.#waitingBits -= 8;
      this.#bytes[this.#size++] = this.#waiting >>> this.#waitingBits;
    }
    this.#waiting &= (1 << this.#waitingBits) - 1;
  }
}

/** Reads what a `BitWriter` wrote. Throws a coded error where the bits end too early. */
export class BitReader {
  #bytes: Uint8Array;
  /** Positions in bits. */
  #end: number;
  #at: number;

  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = from * 8;
    this.#end = end * 8;
  }

  /** As a new one: series are decoded by the thousand, and an object each, with a view for it, is what that costs most. */
  open(bytes: Uint8Array, from: number, end: number): void {
    this.#bytes = bytes;
    this.#at = from * 8;
    this.#end = end * 8;
  }

  bits(bits: number): number {
    if (bits > STEP_BITS) {
      const lowBits = bits > 2 * STEP_BITS ? 2 * STEP_BITS : STEP_BITS;
      const high = this.bits(bits - lowBits);
      const low = lowBits > STEP_BITS ? this.bits(STEP_BITS) * STEP + this.bits(STEP_BITS) : this.bits(STEP_BITS);
      return high * 2 ** lowBits + low;
    }
    if (bits === 0) return 0;
    const at = this.#at;
    if (at + bits > this.#end) throw tooShort();
    const word = this.#ahead();
    this.#at = at + bits;
    return word >>> (32 - bits);
  }

  /** The next bits, from the top; at least 25 of them are true, those past the end mean nothing. */
  #ahead(): number {
    const bytes = this.#bytes;
    const byte = this.#at >>> 3;
    const word =
      byte + 4 <= bytes.length
        ? ((bytes[byte] as number) << 24) |
          ((bytes[byte + 1] as number) << 16) |
          ((bytes[byte + 2] as number) << 8) |
          (bytes[byte + 3] as number)
        : ((bytes[byte] ?? 0) << 24) |
          ((bytes[byte + 1] ?? 0) << 16) |
          ((bytes[byte + 2] ?? 0) << 8) |
          (bytes[byte + 3] ?? 0);
    return word << (this.#at & 7);
  }

  whole(): number {
    const value = this.bits(this.bits(6));
    if (value > Number.MAX_SAFE_INTEGER) throw new CodedError('internal', 'cannot read a series: a number is too long');
    return value;
  }

  signed(): number {
    const negative = this.bits(1) === 1;
    const value = this.whole();
    return negative ? -value : value;
  }

  rice(k: number): number {
    const ahead = this.#ahead();
    const quotient = Math.clz32(~ahead);
    if (quotient >= QUOTIENT_MAX) {
      this.bits(QUOTIENT_MAX);
      return this.whole();
    }
    const length = quotient + 1 + k;
    if (length > STEP_BITS) {
      this.bits(quotient + 1);
      return quotient * 2 ** k + this.bits(k);
    }
    this.#at += length;
    if (this.#at > this.#end) throw tooShort();
    return (quotient << k) | (k === 0 ? 0 : (ahead << (quotient + 1)) >>> (32 - k));
  }

  /** So many numbers as `rice` reads them, one after the other: a week of a series is tens of thousands. */
  rices(k: number, into: Float64Array, from: number, to: number): void {
    const bytes = this.#bytes;
    // Four bytes are there to be looked at, and no code that is taken here is longer than 24 bits.
    const last = Math.min(this.#end - STEP_BITS, (bytes.length - 4) * 8);
    const quotientMax = Math.min(QUOTIENT_MAX, STEP_BITS - k);
    let at = this.#at;
    for (let i = from; i < to; i++) {
      if (at <= last) {
        const byte = at >>> 3;
        const ahead =
          (((bytes[byte] as number) << 24) |
            ((bytes[byte + 1] as number) << 16) |
            ((bytes[byte + 2] as number) << 8) |
            (bytes[byte + 3] as number)) <<
          (at & 7);
        const quotient = Math.clz32(~ahead);
        if (quotient < quotientMax) {
          into[i] = (quotient << k) | (k === 0 ? 0 : (ahead << (quotient + 1)) >>> (32 - k));
          at += quotient + 1 + k;
          continue;
        }
      }
      this.#at = at;
      into[i] = this.rice(k);
      at = this.#at;
    }
    this.#at = at;
  }

  /** Nothing may follow but the zeros that fill the last byte. */
  mustEnd(): void {
    const left = this.#end - this.#at;
    if (left >= 8 || this.bits(left) !== 0)
      throw new CodedError('internal', 'cannot read a series: bits are left over');
  }
}

export function bitLength(value: number): number {
  if (value < 4_294_967_296) return 32 - Math.clz32(value);
  return 64 - Math.clz32(Math.floor(value / 4_294_967_296));
}

function tooShort(): CodedError {
  return new CodedError('internal', 'cannot read a series: it ends too early');
}
