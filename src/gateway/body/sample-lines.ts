/**
 * Samples as lines of JSON, read in one pass over the bytes and without an object a line, where a line begins as one did before:
 *
 *   {"objectId":"node-i-1","definitionId":"cpuPercent","time":"2026-05-01T08:15:00Z","value":12.5}
 *   └ known, with its object and metric ──────────────────────┘└ text ────────────┘         └ digits
 *
 * Everything else goes to JSON.parse, so that nothing is decided here that it would not decide: lines that are new, other orders
 * and names, escapes, what is not ASCII, numbers of more than 15 digits or with an exponent, and all that is no JSON. Of the
 * lines that it takes, those of the form above are learnt, with blanks behind colons and commas or without, and with the first
 * two names in either order.
 */
import { shortNameOf } from '../../protocol/metric.ts';
import { WHOLE_MAX } from './json-slices.ts';
import { LinePrefixes, UNKNOWN } from './line-prefixes.ts';
import { longLine, mustBeUtf8, parseLine } from './parse-body.ts';
import { inTurns, type Sliced } from './turns.ts';

/** Lines are read in slices of so many bytes and one line: half a millisecond, two where JSON.parse reads all of them. */
const SLICE_BYTES = 262_144;
const BLANK = 0x20;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const BACKSLASH = 0x5c;
const LAST_PLAIN = 0x7e;
const CLOSE_OBJECT = 0x7d;
/** `"value":`, as two words. */
const VALUE_NAME = [0x22_76_61_6c, 0x75_65_22_3a] as const;
/** A whole number of so many digits, and ten to that power, are doubles, so that one division gives the nearest double. */
const DIGITS_MAX = 15;
const POWERS = Float64Array.from({ length: DIGITS_MAX + 1 }, (_, power) => 10 ** power);
/** As long as a time can be that is read. */
const TIME_MAX = 40;

/** Up to the text of the time, and the rest of the line. Ids without what JSON would write in another way. */
const FORMS = ['"objectId": ?"[ -!#-[\\]-~]*", ?"definitionId"', '"definitionId": ?"[ -!#-[\\]-~]*", ?"objectId"'].map(
  (names) => new RegExp(`^(\\{${names}: ?"[ -!#-[\\]-~]*", ?"time": ?")[^"\\\\]*", ?"value": ?[-0-9.]+\\}\\r?$`),
);

/** Those of this thread. */
const prefixes = new LinePrefixes();

/** What was read, by the place of a line from 0; lines of blanks have none. */
export class SampleLines {
  /** Of a line that was known: its object, the short name of its metric, its time and value. The metric of others is undefined. */
  readonly objectIds: string[] = [];
  readonly metrics: (string | undefined)[] = [];
  readonly times: string[] = [];
  readonly values: number[] = [];
  readonly #bytes: Buffer;
  /** Where those lines begin. */
  readonly #starts: number[] = [];
  /** The values of the others. */
  readonly #others = new Map<number, unknown>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get count(): number {
    return this.metrics.length;
  }

  /** The value of a line, as JSON.parse makes it. */
  at(place: number): unknown {
    if (this.metrics[place] === undefined) return this.#others.get(place);
    const from = this.#starts[place] as number;
    const end = this.#bytes.indexOf(NEWLINE, from);
    return JSON.parse(this.#bytes.toString('latin1', from, end < 0 ? this.#bytes.byteLength : end));
  }

  /** Every value, of known lines their object only. */
  objects(): unknown[] {
    return this.metrics.map((metric, place) =>
      metric === undefined ? this.#others.get(place) : { objectId: this.objectIds[place] },
    );
  }

  /** A known line. */
  add(prefix: number, time: string, value: number, start: number): void {
    this.objectIds.push(prefixes.objectIds[prefix] as string);
    this.metrics.push(prefixes.metrics[prefix]);
    this.times.push(time);
    this.values.push(value);
    this.#starts.push(start);
  }

  addOther(value: unknown): void {
    this.#others.set(this.count, value);
    this.objectIds.push('');
    this.metrics.push(undefined);
    this.times.push('');
    this.values.push(0);
    this.#starts.push(0);
  }
}

/** Reads a body of lines, with turns of the event loop in between. Rejects with `malformed`, as `parseLargeBody`. */
export async function readSampleLines(bytes: Buffer): Promise<SampleLines> {
  mustBeUtf8(bytes);
  return inTurns(sampleLinesInSlices(bytes));
}

/** The lines of a text in UTF-8. Throws `malformed` with the number of the first line that is not JSON. */
export function* sampleLinesInSlices(bytes: Buffer): Sliced<SampleLines> {
  const reader = new LineReader(bytes);
  while (reader.at <= bytes.byteLength) {
    if (reader.at > 0) yield;
    const long = reader.readTo(reader.at + SLICE_BYTES);
    if (long) reader.addLong(long, yield* longLine(bytes, long.from, long.to, long.number));
  }
  return reader.lines;
}

interface LongLine {
  readonly from: number;
  readonly to: number;
  readonly number: number;
}

class LineReader {
  /** Where the next line begins; behind the end of the bytes where there is none. */
  at = 0;
  readonly lines: SampleLines;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #number = 0;
  /** The last time, where it stands, and where the one that was read last ends. */
  #time = '';
  #timeAt = 0;
  #timeEnd = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.lines = new SampleLines(bytes);
  }

  /** All lines that begin before that place, up to one that is too long to be parsed at once. */
  readTo(limit: number): LongLine | undefined {
    const end = Math.min(limit, this.#bytes.byteLength + 1);
    while (this.at < end) {
      this.#number++;
      const next = this.#knownLine(this.at);
      if (next > 0) {
        this.at = next;
        continue;
      }
      const from = this.at;
      const newline = this.#bytes.indexOf(NEWLINE, from);
      const to = newline < 0 ? this.#bytes.byteLength : newline;
      if (to - from > WHOLE_MAX) return { from, to, number: this.#number };
      this.#otherLine(from, to);
    }
    return undefined;
  }

  addLong({ to }: LongLine, value: unknown): void {
    if (value !== undefined) this.lines.addOther(value);
    this.at = to + 1;
  }

  #otherLine(from: number, to: number): void {
    const line = this.#bytes.toString('utf8', from, to);
    const value = parseLine(line, this.#number);
    if (value !== undefined) {
      this.lines.addOther(value);
      this.#learn(line, value, from);
    }
    this.at = to + 1;
  }

  #learn(line: string, value: unknown, from: number): void {
    const prefix = FORMS[0]?.exec(line)?.[1] ?? FORMS[1]?.exec(line)?.[1];
    if (prefix === undefined) return;
    const { objectId, definitionId } = value as { readonly objectId: string; readonly definitionId: string };
    prefixes.learn(this.#view, from, prefix.length, objectId, shortNameOf(definitionId));
  }

  /** Where the next line begins; 0 where this one is to be parsed. */
  #knownLine(from: number): number {
    const prefix = prefixes.find(this.#view, from);
    if (prefix === UNKNOWN) return 0;
    const time = this.#timeFrom(from + (prefixes.lengths[prefix] as number));
    if (time === undefined) return 0;
    const bytes = this.#bytes;
    let at = this.#timeEnd + 1;
    if (bytes[at] !== COMMA) return 0;
    at = bytes[at + 1] === BLANK ? at + 2 : at + 1;
    // A number, the bracket and a name take more than eight bytes.
    if (
      at + 8 >= bytes.length ||
      this.#view.getInt32(at) !== VALUE_NAME[0] ||
      this.#view.getInt32(at + 4) !== VALUE_NAME[1]
    )
      return 0;
    at = bytes[at + 8] === BLANK ? at + 9 : at + 8;
    const isNegative = bytes[at] === MINUS;
    if (isNegative) at++;
    const wholeAt = at;
    let whole = 0;
    for (; isDigit(bytes[at]); at++) whole = whole * 10 + (bytes[at] as number) - DIGIT_0;
    const wholeDigits = at - wholeAt;
    if (wholeDigits === 0 || (wholeDigits > 1 && bytes[wholeAt] === DIGIT_0)) return 0;
    let decimals = 0;
    if (bytes[at] === POINT) {
      const decimalsAt = ++at;
      for (; isDigit(bytes[at]); at++) whole = whole * 10 + (bytes[at] as number) - DIGIT_0;
      decimals = at - decimalsAt;
      if (decimals === 0) return 0;
    }
    if (wholeDigits + decimals > DIGITS_MAX || bytes[at] !== CLOSE_OBJECT) return 0;
    at = bytes[at + 1] === RETURN ? at + 2 : at + 1;
    if (at < bytes.length && bytes[at] !== NEWLINE) return 0;
    const value = decimals === 0 ? whole : whole / (POWERS[decimals] as number);
    this.lines.add(prefix, time, isNegative ? -value : value, from);
    return at + 1;
  }

  /** Mostly that of the line before. Undefined where it is not plain, or too long for one. */
  #timeFrom(from: number): string | undefined {
    const bytes = this.#bytes;
    const { length } = this.#time;
    const at = this.#timeAt;
    let i = 0;
    while (i < length && bytes[from + i] === bytes[at + i]) i++;
    if (length > 0 && i === length && bytes[from + i] === QUOTE) {
      this.#timeEnd = from + i;
      return this.#time;
    }
    let end = from;
    for (const limit = Math.min(bytes.length, from + TIME_MAX); end < limit && bytes[end] !== QUOTE; end++)
      if (!isPlain(bytes[end] as number)) return undefined;
    if (bytes[end] !== QUOTE) return undefined;
    this.#time = bytes.toString('latin1', from, end);
    this.#timeAt = from;
    this.#timeEnd = end;
    return this.#time;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_9;
}

/** Stands for itself within a text. */
function isPlain(byte: number): boolean {
  return byte >= BLANK && byte <= LAST_PLAIN && byte !== BACKSLASH;
}
