/**
 * RFC 3339 timestamps in UTC with 0 to 9 fraction digits. The text is kept digit for digit; comparison and arithmetic
 * use whole nanoseconds in a bigint, never a `Date`, which holds milliseconds only.
 */
export type EpochNs = bigint;

const FORM = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|[+-]00:00)$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Nanoseconds since 1970-01-01 UTC (negative before it), or undefined where the text is no such timestamp. */
export function tryParseTimestamp(text: string): EpochNs | undefined {
  const split = plainSplit(text);
  return split ? BigInt(split.ms) * 1_000_000n + BigInt(split.subNs) : parseAnyForm(text);
}

/** A whole millisecond since 1970-01-01 UTC, and the nanoseconds within it. */
export interface SplitTime {
  readonly ms: number;
  readonly subNs: number;
}

/** As `tryParseTimestamp`, without a bigint: for samples, which come by the thousand. */
export function trySplitTimestamp(text: string): SplitTime | undefined {
  return plainSplit(text) ?? splitOf(parseAnyForm(text));
}

/** Of `2026-01-31T08:15:00.123456789Z` and shorter, which is what programs write. Undefined for any other form, and what is none. */
function plainSplit(text: string): SplitTime | undefined {
  const { length } = text;
  if (length < 20 || text.charCodeAt(length - 1) !== 0x5a || text.charCodeAt(4) !== 0x2d || !FORM.test(text))
    return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || year < 100) return undefined;
  const fraction = length === 20 ? 0 : digits(text, 20, length - 1) * 10 ** (30 - length);
  const wholeMs = Math.floor(fraction / 1e6);
  return {
    ms: Date.UTC(year, month - 1, day, hour, minute, second) + wholeMs,
    subNs: Math.round(fraction - wholeMs * 1e6),
  };
}

function parseAnyForm(text: string): EpochNs | undefined {
  const parts = FORM.exec(text);
  if (!parts) return undefined;
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  const hour = Number(parts[4]);
  const minute = Number(parts[5]);
  const second = Number(parts[6]);
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  // setUTCFullYear, because Date.UTC reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second;
  return BigInt(seconds) * 1_000_000_000n + BigInt((parts[7] ?? '').padEnd(9, '0'));
}

/** For timestamps that were checked when they came in; throws on anything else. */
export function mustSplitTimestamp(text: string): SplitTime {
  const split = trySplitTimestamp(text);
  if (!split) throw unread(text);
  return split;
}

function splitOf(ns: EpochNs | undefined): SplitTime | undefined {
  if (ns === undefined) return undefined;
  const ms = epochMsOf(ns);
  return { ms, subNs: Number(ns - BigInt(ms) * 1_000_000n) };
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + text.charCodeAt(i) - 0x30;
  return value;
}

/** For timestamps that were checked when they came in; throws on anything else. */
export function mustParseTimestamp(text: string): EpochNs {
  const ns = tryParseTimestamp(text);
  if (ns === undefined) throw unread(text);
  return ns;
}

function unread(text: string): RangeError {
  return new RangeError(`cannot read a timestamp: got ${text.length} characters, want RFC 3339 in UTC`);
}

/** What the server makes: milliseconds and a `Z`, e.g. `2026-01-31T08:15:00.250Z`. */
export function formatTimestampMs(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** A bucket's start, whole seconds and no fraction: `2026-01-31T08:15:00Z`. */
export function formatTimestampSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

export function epochMsOf(ns: EpochNs): number {
  return Number(floorDiv(ns, 1_000_000n));
}

export function epochNsOfMs(epochMs: number): EpochNs {
  return BigInt(Math.round(epochMs)) * 1_000_000n;
}

/** Seconds between two instants, correctly rounded: the difference is exact before it becomes a double. */
export function secondsBetween(from: EpochNs, to: EpochNs): number {
  return Number(to - from) / 1e9;
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

function daysOf(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : (DAYS[month - 1] as number);
}
