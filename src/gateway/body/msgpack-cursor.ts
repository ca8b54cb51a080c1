/**
 * Reads MessagePack value after value, where the reader knows what must come: nothing is made but what is asked for. A value
 * of another kind, or an unusual form of one, makes the cursor lost; the body is then for the decoder of all bodies.
 */

const NIL = 0xc0;
const FLOAT_32 = 0xca;
const FLOAT_64 = 0xcb;
const LAST_PLAIN = 0x7e;

export class MsgpackCursor {
  at = 0;
  isLost = false;
  readonly #bytes: Buffer;
  readonly #view: DataView;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.byteLength;
  }

  /** How many names with a value follow. */
  map(): number {
    return this.#count(0x80, 0xde);
  }

  /** How many values follow. */
  array(): number {
    return this.#count(0x90, 0xdc);
  }

  /** A text of plain ASCII. */
  text(): string {
    const type = this.#next();
    const length = type >> 5 === 0b101 ? type & 0x1f : type === 0xd9 ? this.#next() : this.#lose();
    const from = this.at;
    const to = from + length;
    if (to > this.#bytes.byteLength) return this.#loseText();
    for (let at = from; at < to; at++) if ((this.#bytes[at] as number) > LAST_PLAIN) return this.#loseText();
    this.at = to;
    return this.#bytes.toString('latin1', from, to);
  }

  /** So many numbers from −max to max, whole ones of up to 32 bits or in floating point; NaN for nil. */
  numbers(count: number, max: number): Float64Array {
    const numbers = new Float64Array(count);
    const bytes = this.#bytes;
    let at = this.at;
    for (let i = 0; i < count; i++) {
      const type = bytes[at] as number;
      if (type === FLOAT_64 && at + 9 <= bytes.byteLength) {
        const value = this.#view.getFloat64(at + 1);
        if (!(value >= -max && value <= max)) this.#lose();
        numbers[i] = value;
        at += 9;
      } else if (type <= 0x7f) {
        numbers[i] = type;
        at++;
      } else {
        this.at = at;
        numbers[i] = this.#number(max);
        at = this.at;
      }
      if (this.isLost) break;
    }
    this.at = at;
    return numbers;
  }

  #number(max: number): number {
    const type = this.#next();
    if (type >= 0xe0) return type - 0x100;
    if (type === NIL) return Number.NaN;
    const size = SIZES[type - FLOAT_32];
    const at = this.at;
    if (size === undefined || at + size > this.#bytes.byteLength) return this.#lose();
    this.at += size;
    const value = this.#read(type, at);
    return value >= -max && value <= max ? value : this.#lose();
  }

  #read(type: number, at: number): number {
    const view = this.#view;
    switch (type) {
      case FLOAT_32:
        return view.getFloat32(at);
      case FLOAT_64:
        return view.getFloat64(at);
      case 0xcc:
        return view.getUint8(at);
      case 0xcd:
        return view.getUint16(at);
      case 0xce:
        return view.getUint32(at);
      case 0xd0:
        return view.getInt8(at);
      case 0xd1:
        return view.getInt16(at);
      default:
        return view.getInt32(at);
    }
  }

  /** Of a map or an array: up to fifteen in its first byte, up to 65,535 behind it. More is more than a call may have. */
  #count(short: number, long: number): number {
    const type = this.#next();
    if (type >> 4 === short >> 4) return type & 0x0f;
    if (type !== long || this.at + 2 > this.#bytes.byteLength) return this.#lose();
    this.at += 2;
    return this.#view.getUint16(this.at - 2);
  }

  #next(): number {
    return this.at < this.#bytes.byteLength ? (this.#bytes[this.at++] as number) : this.#lose();
  }

  #lose(): number {
    this.isLost = true;
    return 0;
  }

  #loseText(): string {
    this.isLost = true;
    return '';
  }
}

/** Bytes behind the first one of numbers, from 0xca on. Whole numbers of 64 bits are not among them. */
const SIZES: readonly (number | undefined)[] = [4, 8, 1, 2, 4, undefined, 1, 2, 4];
