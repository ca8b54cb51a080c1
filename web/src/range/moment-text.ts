/** A moment as the pages write it, and as a reader types or pastes it, in the zone that he chose. Pure. */
import type { Zone } from './range.ts';
import { fieldMs, fieldText } from './range-text.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `2026-01-31 12:00:30`, without seconds where they are 0; `withSeconds`: with them in any case. */
export function momentText(ms: number, zone: Zone, withSeconds = false): string {
  const text = fieldText(ms, zone, true).replace('T', ' ');
  return withSeconds ? text : text.replace(/:00$/, '');
}

/**
 * Milliseconds since 1970 of `2026-01-31 12:00:30`, of the same without date, clock or seconds, with a zone at its end (`Z`,
 * `+01:00`, `GMT+1`), of `15 m ago`, `now`, `today` or `yesterday`. NaN of any other text.
 */
export function momentMs(typed: string, nowMs: number, zone: Zone): number {
  const text = typed.trim().toLowerCase().replace(/\s+/g, ' ');
  if (text === 'now') return nowMs;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?([smhd])(?: ago)?$/.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (UNIT_MS[unit] ?? 0);
  const today = dayOf(nowMs, zone);
  if (text === 'today') return fieldMs(`${today}T00:00`, zone);
  // From noon a day back is the day before, also where clocks are changed.
  if (text === 'yesterday')
    return fieldMs(`${dayOf(fieldMs(`${today}T12:00`, zone) - (UNIT_MS['d'] ?? 0), zone)}T00:00`, zone);
  const parts =
    /^(\d{4}-\d\d-\d\d)?(?:(?:^|t| )(\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?))? ?(z|(?:utc|gmt)?[+-]\d\d?(?::?\d\d)?|utc|gmt)?$/.exec(
      text,
    );
  const [, date = today, clock = '00:00', offset] = parts ?? [];
  if (!parts?.[1] && !parts?.[2]) return Number.NaN;
  const field = `${date}T${clock.replace(/^\d:/, '0$&').replace(',', '.')}`;
  return offset === undefined ? fieldMs(field, zone) : Date.parse(field + isoOffset(offset));
}

function dayOf(ms: number, zone: Zone): string {
  return fieldText(ms, zone).slice(0, 10);
}

/** `gmt+1` → `+01:00`. */
function isoOffset(text: string): string {
  const [, sign, hours = '', minutes = '00'] = /([+-])(\d\d?):?(\d\d)?$/.exec(text) ?? [];
  return sign === undefined ? 'Z' : `${sign}${hours.padStart(2, '0')}:${minutes}`;
}
