/** The range of time that figures are for: one of a few by name, or two moments. It stands in the address of the page. Pure. */
import { spanText } from '../../../src/protocol/explain/span.ts';

/** `ms`: the length of a range that ends now; the others are days and months of the calendar. */
export const RANGES = {
  '1h': { label: 'the last hour', ms: 3_600_000 },
  '6h': { label: 'the last 6 hours', ms: 21_600_000 },
  '24h': { label: 'the last 24 hours', ms: 86_400_000 },
  '7d': { label: 'the last 7 days', ms: 604_800_000 },
  '30d': { label: 'the last 30 days', ms: 2_592_000_000 },
  today: { label: 'today', ms: undefined },
  yesterday: { label: 'yesterday', ms: undefined },
  'this-month': { label: 'this month', ms: undefined },
  month: { label: 'last month', ms: undefined },
  '1y': { label: 'the last year', ms: 31_536_000_000 },
} as const;
export type RangeName = keyof typeof RANGES;

/** Those that a list of jobs offers, as far back as operators look. */
export const LAST_RANGES = ['1h', '24h', '7d'] as const satisfies readonly RangeName[];
export type LastRange = (typeof LAST_RANGES)[number];

/** Those that the audit log offers: quick ones, and days. */
export const RECORD_RANGES = ['1h', '24h', '7d', '30d', 'today', 'yesterday'] as const satisfies readonly RangeName[];

export interface Bounds {
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
}

export type Range = RangeName | Bounds;

/** Where the reader's months and days begin. */
export type Zone = 'local' | 'utc';

/** A range as the address of a page has it; the ends of a custom range are ISO 8601 times in UTC. */
export interface RangeSearch {
  readonly range?: RangeName | undefined;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

const MINUTE_MS = 60_000;

/** Two moments win over a name; `fallback` is for an address that says nothing. */
export function rangeOf({ range, start, end }: RangeSearch, fallback: RangeName): Range {
  if (start === undefined || end === undefined) return range ?? fallback;
  return { startMs: Date.parse(start), endMs: Date.parse(end) };
}

/** The same where an address that says nothing means any time. */
export function maybeRangeOf(search: RangeSearch): Range | undefined {
  return search.range === undefined && search.start === undefined ? undefined : rangeOf(search, '24h');
}

/** Whether a moment is in the range. Without an end of its own it goes on: the clock of the server may be ahead. */
export function isWithin(range: Range, ms: number, nowMs: number, zone: Zone = 'local'): boolean {
  const { startMs, endMs } = boundsOf(range, nowMs, zone);
  const hasEnd = typeof range !== 'string' || range === 'yesterday' || range === 'month';
  return ms >= startMs && (!hasEnd || ms < endMs);
}

export function searchOf(range: Range): RangeSearch {
  if (typeof range === 'string') return { range, start: undefined, end: undefined };
  const [start, end] = [range.startMs, range.endMs].map((ms) => new Date(ms).toISOString());
  return { range: undefined, start, end };
}

/** The same for the same range. A day or month is another one in another zone. */
export function keyOf(range: Range, zone: Zone): string {
  if (typeof range === 'string') return isOfCalendar(range) ? `${range} ${zone}` : range;
  return `${range.startMs}-${range.endMs}`;
}

/** What it is called. */
export function labelOf(range: Range): string {
  return typeof range === 'string' ? RANGES[range].label : 'the chosen range';
}

/** What a figure of the range is compared with, see `boundsBefore`: `the 24 hours before`. */
export function beforeText(range: Range): string {
  if (typeof range !== 'string') return `the ${spanText((range.endMs - range.startMs) / 1000)} before`;
  if (range === 'today') return 'the same hours of yesterday';
  if (range === 'yesterday') return 'the day before';
  if (range === 'this-month') return 'the same days of last month';
  if (range === 'month') return 'the month before';
  return `${RANGES[range].label.replace('last ', '')} before`;
}

/** When: `in the last 24 hours`, `this month`. */
export function whenText(range: Range): string {
  return isOfCalendar(range) ? labelOf(range) : `in ${labelOf(range)}`;
}

/** The same beside a figure that has little room: `in 24 h`, `this month`. */
export function shortWhenText(range: Range): string {
  if (isOfCalendar(range)) return labelOf(range);
  return `in ${typeof range === 'string' ? range.replace(/(?=[a-z])/, '\u00a0') : 'the range'}`;
}

function isOfCalendar(range: Range): boolean {
  return typeof range === 'string' && RANGES[range].ms === undefined;
}

/** Of a day of the calendar; else of a month. */
function isOfDays(range: Range): boolean {
  return range === 'today' || range === 'yesterday';
}

/** On whole minutes: the same for a minute, so that answers are shared. */
export function boundsOf(range: Range, nowMs: number, zone: Zone = 'local'): Bounds {
  if (typeof range !== 'string') return range;
  const { ms } = RANGES[range];
  const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  if (ms !== undefined) return { startMs: minuteMs - ms, endMs: minuteMs + MINUTE_MS };
  const todayMs = dayStartMs(nowMs, 0, zone);
  if (range === 'today') return { startMs: todayMs, endMs: minuteMs + MINUTE_MS };
  if (range === 'yesterday') return { startMs: dayStartMs(nowMs, -1, zone), endMs: todayMs };
  const thisMonthMs = monthStartMs(nowMs, 0, zone);
  if (range === 'this-month') return { startMs: thisMonthMs, endMs: minuteMs + MINUTE_MS };
  return { startMs: monthStartMs(nowMs, -1, zone), endMs: thisMonthMs };
}

/** As much time just before; of a day or month the one before, as far as this one has come. */
export function boundsBefore(range: Range, nowMs: number, zone: Zone = 'local'): Bounds {
  const { startMs, endMs } = boundsOf(range, nowMs, zone);
  if (isOfCalendar(range)) {
    const beforeMs = isOfDays(range) ? dayStartMs(startMs, -1, zone) : monthStartMs(startMs, -1, zone);
    const isOver = range === 'month' || range === 'yesterday';
    const toMs = isOver ? startMs : Math.min(startMs, beforeMs + endMs - startMs);
    return { startMs: beforeMs, endMs: toMs };
  }
  const ms = typeof range === 'string' ? (RANGES[range].ms ?? 0) : endMs - startMs;
  return { startMs: startMs - ms, endMs: startMs };
}

/** When the month begins that is so many after that of `ms`. */
function monthStartMs(ms: number, after: number, zone: Zone): number {
  const at = new Date(ms);
  if (zone === 'utc') return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + after, 1);
  return new Date(at.getFullYear(), at.getMonth() + after, 1).getTime();
}

/** When the day begins that is so many after that of `ms`. */
function dayStartMs(ms: number, after: number, zone: Zone): number {
  const at = new Date(ms);
  return zone === 'utc'
    ? Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + after)
    : new Date(at.getFullYear(), at.getMonth(), at.getDate() + after).getTime();
}
