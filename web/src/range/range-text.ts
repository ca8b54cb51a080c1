/** A custom range as the reader writes and reads it, in the zone that he chose. Pure. */
import type { Bounds, Zone } from './range.ts';

const PARTS = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** `Nov 20, 08:00 – Nov 21, 09:30`, with the year where it is not this one. */
export function spanLabel({ startMs, endMs }: Bounds, nowMs: number, zone: Zone): string {
  const inZone = zone === 'utc' ? { timeZone: 'UTC' } : {};
  const year = new Intl.DateTimeFormat('en', { year: 'numeric', ...inZone });
  const thisYear = year.format(nowMs);
  const isThisYear = [startMs, endMs].every((ms) => year.format(ms) === thisYear);
  const parts = isThisYear ? PARTS : { ...PARTS, year: 'numeric' as const };
  return new Intl.DateTimeFormat('en', { ...parts, ...inZone }).formatRange(startMs, endMs);
}

/** `14:49` of today, `Nov 20, 08:00` of another day. */
export function momentLabel(ms: number, nowMs: number, zone: Zone): string {
  return isOfDay(ms, nowMs, zone) ? fieldText(ms, zone).slice(11) : spanLabel({ startMs: ms, endMs: ms }, nowMs, zone);
}

/** A sentence that leads to a moment, as its label wants it: `Failed at 14:49`, `Failed on Nov 20, 08:00`. */
export function leadTo(words: string, ms: number, nowMs: number, zone: Zone): string {
  return isOfDay(ms, nowMs, zone) ? words : words.replace(/\bat $/, 'on ');
}

function isOfDay(ms: number, nowMs: number, zone: Zone): boolean {
  return fieldText(ms, zone).slice(0, 10) === fieldText(nowMs, zone).slice(0, 10);
}

const DAY_PARTS = { month: 'short', day: 'numeric', timeZone: 'UTC' } as const;
const DAY = new Intl.DateTimeFormat('en', DAY_PARTS);
const DAY_OF_YEAR = new Intl.DateTimeFormat('en', { ...DAY_PARTS, year: 'numeric' });

/** `Jan 31` of a day such as `2026-01-31`, with the year where it is not this one. */
export function dayLabel(day: string, nowMs: number): string {
  const isThisYear = fieldText(nowMs, 'local').slice(0, 4) === day.slice(0, 4);
  return (isThisYear ? DAY : DAY_OF_YEAR).format(Date.parse(day));
}

/** As a field for date and time holds it: `2026-01-31T12:00`, or `2026-01-31T12:00:30`. */
export function fieldText(ms: number, zone: Zone, withSeconds = false): string {
  const aheadMs = zone === 'utc' ? 0 : -new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms + aheadMs).toISOString().slice(0, withSeconds ? 19 : 16);
}

/** Milliseconds since 1970; NaN of a text that is no time. */
export function fieldMs(text: string, zone: Zone): number {
  return Date.parse(zone === 'utc' ? `${text}Z` : text);
}

/** What is wrong with two ends of a range; undefined where nothing is. */
export function faultOf({ startMs, endMs }: Bounds, nowMs: number): string | undefined {
  if (Number.isNaN(startMs) || Number.isNaN(endMs)) return 'Enter a moment in both fields.';
  if (startMs >= endMs) return 'The start must be before the end.';
  return startMs >= nowMs ? 'The start is in the future.' : undefined;
}
