/**
 * RFC 3339 timestamps in UTC with 0 to 9 fraction digits. The text is kept digit for digit; comparison and arithmetic
 * use whole nanoseconds in a bigint, never a `Date`, which holds milliseconds only.
 */
export type EpochNs = bigint;

const FORM = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]00:00)$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999, and the calendar is the same again after 400 years. */
const CALENDAR_YEARS = 400;
const CALENDAR_MS = 146_097 * 86_400_000;
const FRACTION_AT = 20;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Nanoseconds since 1970-01-01 UTC (negative before it), or undefined where the text is no such timestamp. */
export function tryParseTimestamp(text: string): EpochNs | undefined {
  const split = trySplitTimestamp(text);
  return split && BigInt(split.ms) * 1_000_000n + BigInt(split.subNs);
}

/** A whole millisecond since 1970-01-01 UTC, and the nanoseconds within it. */
export interface SplitTime {
  readonly ms: number;
  readonly subNs: number;
}

/** As `tryParseTimestamp`, without a bigint: for samples, which come by the thousand. */
export function trySplitTimestamp(text: string): SplitTime | undefined {
  if (!FORM.test(text)) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const fraction = fractionNs(text);
  const wholeMs = Math.floor(fraction / 1e6);
  return {
    ms: Date.UTC(year + CALENDAR_YEARS, month - 1, day, hour, minute, second) - CALENDAR_MS + wholeMs,
    subNs: fraction - wholeMs * 1e6,
  };
}

/** Of a text that has the form: its digits after the point, whatever stands for the zone behind them. */
function fractionNs(text: string): number {
  if (text.charCodeAt(FRACTION_AT - 1) !== POINT) return 0;
  let end = FRACTION_AT;
  while (text.charCodeAt(end) >= DIGIT_0 && text.charCodeAt(end) <= DIGIT_9) end++;
  return digits(text, FRACTION_AT, end) * 10 ** (9 - (end - FRACTION_AT));
}

/** For timestamps that were checked when they came in; throws on anything else. */
export function mustSplitTimestamp(text: string): SplitTime {
  const split = trySplitTimestamp(text);
  if (!split) throw unread(text);
  return split;
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + text.charCodeAt(i) - DIGIT_0;
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

/** The last whole millisecond that is not after it. */
export function epochMsOf(ns: EpochNs): number {
  return Number(floorDiv(ns, 1_000_000n));
}

/** The first whole millisecond that is not before it: what is before that one is before it. */
export function epochMsFrom(ns: EpochNs): number {
  return Number(-floorDiv(-ns, 1_000_000n));
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
