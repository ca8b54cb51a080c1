/**
 * MessagePack in slices, as `json.ts` does it for JSON: cut between elements of arrays and entries of maps, each run of them
 * given to the decoder under a head of its own.
 */
import { CodedError } from '../../base/errors.ts';
import { define, mustBeCut, mustHaveFewEntries, mustHaveFewNames, SLICE_BYTES, WHOLE_MAX } from './json-slices.ts';
import { SliceBudget, type Sliced } from './turns.ts';

/** Of one byte each, they take some 60 in memory. 10,000 heartbeats with 64 metrics each have 1,400,000. */
const VALUES_MAX = 2_097_152;
/** Values that are passed over in a slice. */
const VALUES_PER_LOOK = 16_384;

export type Decode = (bytes: Uint8Array) => unknown;

/** The value of the bytes. Throws what `decode` throws, or a RangeError where they end too early or too late. */
export function* msgpackInSlices(bytes: Buffer, decode: Decode): Sliced<unknown> {
  const sliced = new SlicedMsgpack(bytes, decode);
  const value = yield* sliced.value(0);
  if (sliced.at !== bytes.byteLength) throw new RangeError('something stands behind the end');
  return value;
}

interface Head {
  readonly kind: 'array' | 'map';
  readonly count: number;
  readonly size: number;
}

/** What becomes of the members of an array or a map. */
interface Container {
  /** First byte of its head, with a count of 32 bits. */
  readonly type: number;
  readonly isKeyed: boolean;
  /** Takes a container of some members. */
  takeRun(run: unknown): void;
  /** Takes one member; `key` is empty in an array. */
  takeOne(key: Uint8Array, value: unknown): void;
}

class SlicedMsgpack {
  at = 0;
  readonly #bytes: Buffer;
  readonly #decode: Decode;
  readonly #budget = new SliceBudget(SLICE_BYTES);

  constructor(bytes: Buffer, decode: Decode) {
    this.#bytes = bytes;
    this.#decode = decode;
  }

  /** The value at `at`, which is behind it then. */
  *value(depth: number): Sliced<unknown> {
    const from = this.at;
    yield* this.#pass(depth === 0 ? VALUES_MAX : undefined);
    const to = this.at;
    const head = to - from > WHOLE_MAX ? this.#headAt(from) : undefined;
    if (!head) {
      yield* this.#budget.spend(to - from);
      return this.#decode(this.#bytes.subarray(from, to));
    }
    mustBeCut(depth);
    this.at = from + head.size;
    return yield* head.kind === 'array' ? this.#array(head.count, depth) : this.#map(head.count, depth);
  }

  *#array(count: number, depth: number): Sliced<unknown[]> {
    mustHaveFewEntries(count);
    const values: unknown[] = [];
    yield* this.#members(count, depth, {
      type: 0xdd,
      isKeyed: false,
      takeRun: (run) => {
        for (const value of run as unknown[]) values.push(value);
      },
      takeOne: (_, value) => void values.push(value),
    });
    return values;
  }

  *#map(count: number, depth: number): Sliced<object> {
    mustHaveFewNames(count);
    const object = {};
    yield* this.#members(count, depth, {
      type: 0xdf,
      isKeyed: true,
      takeRun: (run) => assign(object, run),
      takeOne: (key, value) => {
        // The decoder makes names of keys, so it is asked for this one too: a map of the key and nil.
        const entry = this.#decode(Buffer.concat([Buffer.of(0x81), key, Buffer.of(0xc0)]));
        for (const name of Object.keys(entry as object)) define(object, name, value);
      },
    });
    return object;
  }

  /** A large member is decoded by itself, in slices; those between large ones in runs. */
  *#members(count: number, depth: number, { type, isKeyed, takeRun, takeOne }: Container): Sliced<void> {
    let runFrom = this.at;
    let run = 0;
    const flush = function* (this: SlicedMsgpack, to: number): Sliced<void> {
      if (run > 0) takeRun(yield* this.#run(type, run, runFrom, to));
      run = 0;
    }.bind(this);
    for (let i = 0; i < count; i++) {
      const from = this.at;
      if (isKeyed) yield* this.#pass();
      const valueFrom = this.at;
      yield* this.#pass();
      if (this.at - valueFrom > WHOLE_MAX) {
        yield* flush(from);
        this.at = valueFrom;
        takeOne(this.#bytes.subarray(from, valueFrom), yield* this.value(depth + 1));
        runFrom = this.at;
        continue;
      }
      run++;
      if (this.at - runFrom > WHOLE_MAX) {
        yield* flush(this.at);
        runFrom = this.at;
      }
    }
    yield* flush(this.at);
  }

  *#run(type: number, count: number, from: number, to: number): Sliced<unknown> {
    yield* this.#budget.spend(to - from);
    const bytes = Buffer.allocUnsafe(5 + to - from);
    bytes[0] = type;
    bytes.writeUInt32BE(count, 1);
    this.#bytes.copy(bytes, 5, from, to);
    return this.#decode(bytes);
  }

  /** Passes one value with all that is in it. */
  *#pass(max = Number.POSITIVE_INFINITY): Sliced<void> {
    let left = 1;
    let passed = 0;
    while (left > 0) {
      const before = this.at;
      for (let looked = 0; left > 0 && looked < VALUES_PER_LOOK; looked++) left += this.#passOne() - 1;
      passed += VALUES_PER_LOOK;
      if (passed > max) throw new CodedError('invalid', undefined, { body: `has more than ${max} values` });
      yield* this.#budget.spend(Math.min(this.at - before, SLICE_BYTES));
    }
  }

  /** Passes the head of a value, and its bytes where it has some; how many values are in it. */
  #passOne(): number {
    const type = this.#bytes[this.at];
    if (type === undefined) throw new RangeError('the end is missing');
    const head = this.#headAt(this.at);
    this.at += head ? head.size : this.#sizeAt(this.at, type);
    if (this.at > this.#bytes.byteLength) throw new RangeError('the end is missing');
    return !head ? 0 : head.kind === 'map' ? 2 * head.count : head.count;
  }

  #headAt(at: number): Head | undefined {
    const type = this.#bytes[at] as number;
    if (type >= 0x80 && type <= 0x8f) return { kind: 'map', count: type & 0x0f, size: 1 };
    if (type >= 0x90 && type <= 0x9f) return { kind: 'array', count: type & 0x0f, size: 1 };
    switch (type) {
      case 0xdc:
        return { kind: 'array', count: this.#bytes.readUInt16BE(at + 1), size: 3 };
      case 0xdd:
        return { kind: 'array', count: this.#bytes.readUInt32BE(at + 1), size: 5 };
      case 0xde:
        return { kind: 'map', count: this.#bytes.readUInt16BE(at + 1), size: 3 };
      case 0xdf:
        return { kind: 'map', count: this.#bytes.readUInt32BE(at + 1), size: 5 };
      default:
        return undefined;
    }
  }

  /** Of a value that holds no others. */
  #sizeAt(at: number, type: number): number {
    const bytes = this.#bytes;
    if (type < 0x80 || type >= 0xe0) return 1;
    if (type >= 0xa0 && type <= 0xbf) return 1 + (type & 0x1f);
    switch (type) {
      case 0xc4:
      case 0xd9:
        return 2 + bytes.readUInt8(at + 1);
      case 0xc5:
      case 0xda:
        return 3 + bytes.readUInt16BE(at + 1);
      case 0xc6:
      case 0xdb:
        return 5 + bytes.readUInt32BE(at + 1);
      case 0xc7:
        return 3 + bytes.readUInt8(at + 1);
      case 0xc8:
        return 4 + bytes.readUInt16BE(at + 1);
      case 0xc9:
        return 6 + bytes.readUInt32BE(at + 1);
      default:
        return SIZES.get(type) ?? 1;
    }
  }
}

/** Floats, integers and extensions of fixed size. */
const SIZES: ReadonlyMap<number, number> = new Map([
  [0xca, 5],
  [0xcb, 9],
  [0xcc, 2],
  [0xcd, 3],
  [0xce, 5],
  [0xcf, 9],
  [0xd0, 2],
  [0xd1, 3],
  [0xd2, 5],
  [0xd3, 9],
  [0xd4, 3],
  [0xd5, 4],
  [0xd6, 6],
  [0xd7, 10],
  [0xd8, 18],
]);

function assign(object: object, more: unknown): void {
  for (const name of Object.keys(more as object)) define(object, name, (more as Record<string, unknown>)[name]);
}
