/**
 * Text that is put together as bytes, in memory that is used again: an answer of ten thousand points, or of twenty thousand items,
 * would as strings be built, copied and collected several times. Only one answer of a thread is being made at a time.
 */
const INITIAL_SIZE = 65_536;
/** What is kept between answers; a larger answer has memory of its own, which is discarded. */
const KEPT_SIZE_MAX = 8_388_608;
const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
/** Doubles distinguish decimals with this many digits, so a decimal that gives this double is the shortest. */
const WHOLE_MAX = 1e15;
const DECIMALS_MAX = 6;
const POWERS = Array.from({ length: DECIMALS_MAX + 1 }, (_, i) => 10 ** i);
const HALF = 1e7;
/** Whole numbers below it have at most nine digits and are whole in 32 bits: they are divided much faster than others. */
const SMALL_MAX = 1e9;
const WORD = 8;
/** A copy of so many bytes by hand costs less than a call for one. */
const BY_HAND_MAX = 16;

/** What a number takes at most, to be reserved. */
export const NUMBER_SIZE_MAX = 25;

const encoder = new TextEncoder();

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** ASCII that is copied again and again, in words: the fastest copy of some dozen bytes there is. */
export class TextPattern {
  readonly size: number;
  /** Filled up with zeros. Bytes of ASCII are never a NaN, whose bits would not be kept. */
  readonly words: Float64Array;

  constructor(text: string) {
    const bytes = encoder.encode(text);
    const filled = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD);
    filled.set(bytes);
    const view = new DataView(filled.buffer);
    this.size = bytes.length;
    this.words = Float64Array.from({ length: filled.length / WORD }, (_, i) => view.getFloat64(i * WORD));
  }
}

export class TextBytes {
  #bytes = new Uint8Array(INITIAL_SIZE);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;
  /** Digits after the point of the last number: the next one of a series mostly has as many. */
  #decimals = 0;

  get size(): number {
    return this.#size;
  }

  /** Forgets what was appended since the last `take`. */
  clear(): void {
    this.#size = 0;
  }

  /** To be called before what is appended, with the most that it may take. */
  reserve(size: number): void {
    if (this.#size + size <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#size + size));
    grown.set(this.#bytes.subarray(0, this.#size));
    this.#use(grown);
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  /** Where it begins. Up to seven bytes more than its size must be reserved. */
  pattern({ words, size }: TextPattern): number {
    const at = this.#size;
    const view = this.#view;
    for (let i = 0; i < words.length; i++) view.setFloat64(at + i * WORD, words[i] as number);
    this.#size = at + size;
    return at;
  }

  part(part: Uint8Array): void {
    const bytes = this.#bytes;
    const at = this.#size;
    if (part.length > BY_HAND_MAX) {
      bytes.set(part, at);
      this.#size = at + part.length;
      return;
    }
    for (let i = 0; i < part.length; i++) bytes[at + i] = part[i] as number;
    this.#size = at + part.length;
  }

  /** As many as there are: nothing need be reserved. */
  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.#size += encoder.encodeInto(text, this.#bytes.subarray(this.#size)).written;
  }

  byte(byte: number): void {
    this.#bytes[this.#size++] = byte;
  }

  /** Two digits of a number below 100, in place of what is there. */
  twoAt(at: number, number: number): void {
    const tens = (number / 10) | 0;
    this.#bytes[at] = ZERO + tens;
    this.#bytes[at + 1] = ZERO + number - tens * 10;
  }

  /** As `JSON.stringify` writes it. The number must be finite. */
  number(value: number): void {
    let decimals = this.#decimals;
    for (; decimals <= DECIMALS_MAX; decimals++) {
      const power = POWERS[decimals] as number;
      const whole = Math.round(value * power);
      if (whole / power !== value || whole >= WHOLE_MAX || whole <= -WHOLE_MAX) continue;
      if (whole < SMALL_MAX && whole > -SMALL_MAX) this.#small(whole | 0, decimals);
      else this.#decimal(whole, decimals);
      return;
    }
    this.#decimals = 0;
    // As JSON does: −0 is 0.
    const text = String(value + 0);
    const bytes = this.#bytes;
    const at = this.#size;
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
    this.#size = at + text.length;
  }

  /** Forgets the last bytes. */
  unwrite(size: number): void {
    this.#size -= size;
  }

  /** What was appended since it had that size, in memory of its own. */
  copyFrom(size: number): Uint8Array {
    return this.#bytes.slice(size, this.#size);
  }

  /** What was appended since the last `take`, in memory of its own, ready to be transferred. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#size);
    this.#size = 0;
    if (this.#bytes.length > KEPT_SIZE_MAX) this.#use(new Uint8Array(INITIAL_SIZE));
    return taken;
  }

  /** As `#decimal`, of a whole number of 32 bits. */
  #small(whole: number, decimals: number): void {
    let rest = whole;
    let places = decimals;
    while (places > 0 && rest % 10 === 0) {
      rest = (rest / 10) | 0;
      places--;
    }
    this.#decimals = places;
    const bytes = this.#bytes;
    let start = this.#size;
    if (rest < 0) {
      bytes[start++] = MINUS;
      rest = -rest;
    }
    const size = Math.max(digitsOf(rest), places + 1);
    let at = start + size + (places > 0 ? 1 : 0);
    this.#size = at;
    for (; places > 0; places--) {
      const tenth = (rest / 10) | 0;
      bytes[--at] = ZERO + rest - tenth * 10;
      rest = tenth;
      if (places === 1) bytes[--at] = POINT;
    }
    while (at > start) {
      const tenth = (rest / 10) | 0;
      bytes[--at] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
  }

  /** `whole` ÷ 10^decimals, below 10^15, without zeros at its end. */
  #decimal(whole: number, decimals: number): void {
    let rest = whole;
    let places = decimals;
    while (places > 0 && rest % 10 === 0) {
      rest /= 10;
      places--;
    }
    this.#decimals = places;
    if (rest < 0) {
      this.#bytes[this.#size++] = MINUS;
      rest = -rest;
    }
    const size = Math.max(digitsOf(rest), places + 1);
    const start = this.#size;
    let at = start + size + (places > 0 ? 1 : 0);
    this.#size = at;
    const pointAt = places > 0 ? at - places - 1 : -1;
    // Whole numbers of 32 bits are divided much faster than others.
    let low = rest >= HALF ? rest % HALF : rest;
    let high = rest >= HALF ? (rest - low) / HALF : 0;
    let lowLeft = rest >= HALF ? 7 : size;
    while (at > start) {
      if (--at === pointAt) {
        this.#bytes[at] = POINT;
        continue;
      }
      if (lowLeft-- === 0) {
        low = high;
        high = 0;
        lowLeft = size;
      }
      const tenth = (low / 10) | 0;
      this.#bytes[at] = ZERO + low - tenth * 10;
      low = tenth;
    }
  }
}

function digitsOf(whole: number): number {
  let digits = 1;
  for (let power = 10; whole >= power; power *= 10) digits++;
  return digits;
}
