/**
 * JSON.parse in slices, for bodies that would hold the thread too long in one: 8 MiB take some 80 ms. The text is cut between
 * elements of arrays and members of objects, and the pieces go to JSON.parse, so that nothing is decided here that it would
 * not decide: only the cuts are ours.
 *
 *   [ {…}, {…}, {… "events": [ {…}, {…}, … ] }, {…} ]
 *     └ run ──┘  └ too long: cut inside ─────┘  └ run
 */
import { CodedError } from '../../base/errors.ts';
import { SliceBudget, type Sliced } from './turns.ts';

/** What is no longer is parsed at once: some 0.5 ms. */
export const WHOLE_MAX = 65_536;
/** Bytes that are looked at or parsed in a slice: 2 to 3 ms. */
export const SLICE_BYTES = 262_144;
/** Cuts are made that deep; schemas of ours nest less. What is deeper, and too long to be parsed at once, is refused. */
const DEPTH_MAX = 8;
/**
 * Members of an object that is too long to be parsed at once: more than any schema of ours takes. Only to list the names of a
 * million takes a second, and cannot be done in slices.
 */
const NAMES_MAX = 16_384;
/** Entries of such a list: more than any call may have. A list of millions is copied, and collected, at once. */
const ENTRIES_MAX = 131_072;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The value of a text in UTF-8. Throws a SyntaxError where it is not JSON. */
export function* jsonInSlices(bytes: Buffer): Sliced<unknown> {
  return yield* new SlicedJson(bytes).parse(0, bytes.byteLength, 0);
}

class SlicedJson {
  readonly #bytes: Buffer;
  readonly #budget = new SliceBudget(SLICE_BYTES);

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  *parse(from: number, to: number, depth: number): Sliced<unknown> {
    if (to - from > WHOLE_MAX) {
      const at = this.#skipBlank(from, to);
      const first = this.#bytes[at];
      if (first === OPEN_ARRAY || first === OPEN_OBJECT) mustBeCut(depth);
      if (first === OPEN_ARRAY) return yield* this.#array(at + 1, to, depth);
      if (first === OPEN_OBJECT) return yield* this.#object(at + 1, to, depth);
    }
    yield* this.#budget.spend(to - from);
    return JSON.parse(this.#text(from, to));
  }

  *#array(from: number, to: number, depth: number): Sliced<unknown[]> {
    const values: unknown[] = [];
    const scanner = new Scanner(this.#bytes, from, to);
    let runFrom = from;
    let elementFrom = from;
    let elements = 0;
    for (;;) {
      const delimiter = yield* this.#next(scanner, CLOSE_ARRAY);
      if (delimiter === COLON) throw new SyntaxError('a colon in an array');
      const isLast = delimiter === CLOSE_ARRAY;
      const at = scanner.at;
      if (scanner.isBlank) {
        if (!isLast || elementFrom !== from) throw new SyntaxError('an element is missing');
        break;
      }
      mustHaveFewEntries(++elements);
      if (at - elementFrom > WHOLE_MAX) {
        if (elementFrom > runFrom) append(values, yield* this.#run('[', runFrom, elementFrom - 1, ']'));
        values.push(yield* this.parse(elementFrom, at, depth + 1));
        runFrom = at + 1;
      } else if (isLast || at - runFrom > WHOLE_MAX) {
        append(values, yield* this.#run('[', runFrom, at, ']'));
        runFrom = at + 1;
      }
      if (isLast) break;
      elementFrom = at + 1;
      scanner.goOn();
    }
    this.#mustBeBlank(scanner.at + 1, to);
    return values;
  }

  *#object(from: number, to: number, depth: number): Sliced<object> {
    const object = {};
    const scanner = new Scanner(this.#bytes, from, to);
    let runFrom = from;
    let memberFrom = from;
    let colon = -1;
    let members = 0;
    for (;;) {
      const delimiter = yield* this.#next(scanner, CLOSE_OBJECT);
      const at = scanner.at;
      if (delimiter === COLON) {
        if (colon >= 0) throw new SyntaxError('a member has two colons');
        colon = at;
        scanner.goOn();
        continue;
      }
      const isLast = delimiter === CLOSE_OBJECT;
      if (scanner.isBlank) {
        if (!isLast || memberFrom !== from || colon >= 0) throw new SyntaxError('a member is missing');
        break;
      }
      mustHaveFewNames(++members);
      if (at - memberFrom > WHOLE_MAX) {
        if (colon < 0) throw new SyntaxError('a member has no value');
        if (memberFrom > runFrom) assign(object, yield* this.#run('{', runFrom, memberFrom - 1, '}'));
        const name: unknown = JSON.parse(this.#text(memberFrom, colon));
        if (typeof name !== 'string') throw new SyntaxError('the name of a member is no string');
        define(object, name, yield* this.parse(colon + 1, at, depth + 1));
        runFrom = at + 1;
      } else if (isLast || at - runFrom > WHOLE_MAX) {
        assign(object, yield* this.#run('{', runFrom, at, '}'));
        runFrom = at + 1;
      }
      if (isLast) break;
      memberFrom = at + 1;
      colon = -1;
      scanner.goOn();
    }
    this.#mustBeBlank(scanner.at + 1, to);
    return object;
  }

  /** Elements or members that are whole. */
  *#run(open: string, from: number, to: number, close: string): Sliced<object> {
    yield* this.#budget.spend(to - from);
    return JSON.parse(`${open}${this.#text(from, to)}${close}`) as object;
  }

  /** The comma, the colon or the closing bracket that comes next outside of everything. */
  *#next(scanner: Scanner, close: number): Sliced<number> {
    for (;;) {
      const before = scanner.at;
      const found = scanner.find(SLICE_BYTES);
      yield* this.#budget.spend(scanner.at - before);
      if (!found) continue;
      const delimiter = this.#bytes[scanner.at] as number;
      if (delimiter !== COMMA && delimiter !== COLON && delimiter !== close)
        throw new SyntaxError('brackets do not match');
      return delimiter;
    }
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString('utf8', from, to);
  }

  #skipBlank(from: number, to: number): number {
    let at = from;
    while (at < to && isBlank(this.#bytes[at] as number)) at++;
    return at;
  }

  #mustBeBlank(from: number, to: number): void {
    if (this.#skipBlank(from, to) < to) throw new SyntaxError('something stands behind the end');
  }
}

/** Finds where elements end, knowing no more than strings and depth. */
class Scanner {
  at: number;
  /** Whether there was nothing but blanks since the last delimiter. */
  isBlank = true;
  readonly #bytes: Buffer;
  readonly #to: number;
  #depth = 0;
  #inString = false;

  constructor(bytes: Buffer, from: number, to: number) {
    this.#bytes = bytes;
    this.at = from;
    this.#to = to;
  }

  /** Beyond the delimiter that was found. */
  goOn(): void {
    this.at++;
    this.isBlank = true;
  }

  /** Looks at so many bytes at most; true where `at` is a delimiter of this depth, or the bracket that ends it. */
  find(bytesMax: number): boolean {
    const bytes = this.#bytes;
    const limit = Math.min(this.#to, this.at + bytesMax);
    let { at } = this;
    let depth = this.#depth;
    let inString = this.#inString;
    let found = false;
    for (; at < limit; at++) {
      const byte = bytes[at] as number;
      if (inString) {
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) inString = false;
        continue;
      }
      if (byte === QUOTE) inString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (depth === 0) {
          found = true;
          break;
        }
        depth--;
      } else if (depth === 0 && (byte === COMMA || byte === COLON)) {
        found = true;
        break;
      }
      if (this.isBlank && !isBlank(byte)) this.isBlank = false;
    }
    this.at = at;
    this.#depth = depth;
    this.#inString = inString;
    if (!found && at >= this.#to) throw new SyntaxError('the end is missing');
    return found;
  }
}

/** Of a value that is longer than what is parsed at once. */
export function mustBeCut(depth: number): void {
  if (depth < DEPTH_MAX) return;
  const fault = `has more than ${WHOLE_MAX} bytes in lists or objects that are nested more than ${DEPTH_MAX} deep`;
  throw new CodedError('invalid', undefined, { body: fault });
}

export function mustHaveFewNames(count: number): void {
  if (count <= NAMES_MAX) return;
  throw new CodedError('invalid', undefined, { body: `has an object with more than ${NAMES_MAX} names` });
}

export function mustHaveFewEntries(count: number): void {
  if (count <= ENTRIES_MAX) return;
  throw new CodedError('invalid', undefined, { body: `has a list with more than ${ENTRIES_MAX} entries` });
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function append(values: unknown[], more: object): void {
  for (const value of more as unknown[]) values.push(value);
}

function assign(object: object, more: object): void {
  for (const name of Object.keys(more)) define(object, name, (more as Record<string, unknown>)[name]);
}

/** As JSON.parse does it: `__proto__` is a name like any other. */
export function define(object: object, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else (object as Record<string, unknown>)[name] = value;
}
