/** Labels below and beside a chart. Pure. Times are in the zone that the reader chose: clock times within a day, dates where a day begins. */
import type { Zone } from '../range/range.ts';
import type { ChartLine } from './chart-line.ts';

const MINUTE_S = 60;
const DAY_S = 86_400;
const DAY_MS = DAY_S * 1000;

const FORMATS = { local: formatsIn(undefined), utc: formatsIn('UTC') };

function formatsIn(zone: string | undefined) {
  const inZone = zone === undefined ? {} : { timeZone: zone };
  return {
    clock: new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...inZone }),
    seconds: new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23', ...inZone }),
    day: new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', ...inZone }),
    month: new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', ...inZone }),
  };
}

/** `seconds` since 1970, ascending; `step` between them. */
export function timeLabels(seconds: readonly number[], step: number, zone: Zone): string[] {
  const { clock, seconds: second, day, month } = FORMATS[zone];
  return seconds.map((at) => {
    const ms = at * 1000;
    if (step >= 28 * DAY_S) return month.format(ms);
    if (step < MINUTE_S) return second.format(ms);
    const time = clock.format(ms);
    return time === '00:00' || step >= DAY_S ? day.format(ms) : time;
  });
}

/** A moment under the pointer, or the bucket that begins there: `Nov 23, 14:00 – 14:30`. */
export function bucketText(ms: number, bucketMs: number | undefined, zone: Zone): string {
  const { clock, day } = FORMATS[zone];
  const endMs = ms + (bucketMs ?? 0);
  if (bucketMs !== undefined && bucketMs >= DAY_MS)
    return bucketMs === DAY_MS ? day.format(ms) : `${day.format(ms)} – ${day.format(endMs)}`;
  const begin = `${day.format(ms)}, ${clock.format(ms)}`;
  return bucketMs === undefined ? begin : `${begin} – ${clock.format(endMs)}`;
}

/** As many characters as have room beside a chart. */
const LABEL_MAX = 8;
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const MB_OF_TIB = 1_048_576;

/** `isBelow`: whether a line of the chart is. */
type Labelled = Pick<ChartLine, 'unit' | 'format' | 'isBelow'>;

/** Of the values' ticks. A text that has no room is without its unit, which the chart's name tells. */
export function valueLabels(ticks: readonly number[], { unit, format, isBelow }: Labelled): string[] {
  const decimals = Math.max(...ticks.map(decimalsOf));
  const labels = ticks.map((tick) => {
    // What is drawn below 0 is counted from there down; what is measured can be less than 0.
    const value = isBelow ? Math.abs(tick) : tick;
    // Nothing is in MiB where all else is in GiB.
    if (value === 0 && unit === 'MB') return '0';
    if (unit === 'MB' && value >= MB_OF_TIB) return `${COMPACT.format(value / MB_OF_TIB)} TiB`;
    return exactly(format(value), value, decimals);
  });
  if (labels.every(({ length }) => length <= LABEL_MAX)) return labels;
  return ticks.map((tick) => COMPACT.format(unit === 'core-seconds' ? tick / 3600 : tick));
}

/** Decimals from which on a binary fraction differs from what it stands for. */
const DUST_FROM = 10;

/** Of a text, more decimals than two are rounded away. */
const ROUNDED_FROM = 2;

/** A label with as many decimals as its neighbours need: $0.005, $0.010 and $0.015. Whole amounts need no cents. */
function exactly(text: string, value: number, decimals: number): string {
  if (decimals === 0 || value === 0) return text.replace(/\.00$/, '');
  if (decimals <= ROUNDED_FROM) return text;
  return text.replace(/\d[\d,.]*/, value.toFixed(decimals));
}

function decimalsOf(value: number): number {
  const [, decimals = ''] = value.toFixed(DUST_FROM).replace(/0+$/, '').split('.');
  return decimals.length;
}
