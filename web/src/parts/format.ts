/** Numbers with units, as people read them. All pure. */
import { shortDuration } from '../../../src/protocol/duration.ts';
import { spanText as plainSpanText } from '../../../src/protocol/explain/span.ts';

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const DECIMAL = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const MONEY = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const MUCH_MONEY = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 });
const PRICE = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
const FINE_PRICE = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', minimumFractionDigits: 4 });
const TENTHS = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
/** From here on decimals say nothing that one reads. */
const MUCH = 1_000;
/** A figure of three digits needs no decimals beside it. */
const MANY = 100;

export function countText(value: number): string {
  return NUMBER.format(value);
}

/** At most two decimals, none from a hundred; small values keep two digits that say something. */
export function decimalText(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.01) return value.toPrecision(2);
  return (Math.abs(value) >= MANY ? NUMBER : DECIMAL).format(value);
}

/** `total`: the sum that it is a part of, and is told as exactly as. */
export function moneyText(usd: number, total = usd): string {
  if (Math.abs(total) >= MUCH) return MUCH_MONEY.format(usd);
  return usd !== 0 && Math.abs(usd) < 0.01 ? `$${usd.toPrecision(2)}` : MONEY.format(usd);
}

/** Of an hour: exactly enough for a time to be multiplied by it. */
export function priceText(usd: number): string {
  return usd !== 0 && Math.abs(usd) < 1 ? PRICE.format(usd) : moneyText(usd);
}

/** Prices of an hour in a column: each with as many decimals as the one that needs most. */
export function columnPriceText(usd: number, column: readonly number[]): string {
  const isFine = column.some((price) => Math.abs(price * 100 - Math.round(price * 100)) > 1e-6);
  return isFine ? FINE_PRICE.format(usd) : moneyText(usd);
}

/** In a table: as exactly as the other sums of its column. */
export function centsText(usd: number): string {
  return usd > 0 && usd < 0.01 ? '< $0.01' : moneyText(usd);
}

/** In a table: with one decimal, as all values of its column. */
export function tenthsText(value: number): string {
  return value > 0 && value < 0.1 ? '< 0.1' : TENTHS.format(value);
}

/** Of all but a few it is 99.9 %: 100 % is all of them, and 0 % none. */
export function percentText(part: number, whole: number): string {
  if (whole === 0) return '–';
  if (part === 0 || part === whole) return part === 0 ? '0 %' : '100 %';
  return `${TENTHS.format(Math.min(99.9, Math.max(0.1, (100 * part) / whole)))} %`;
}

/** A span of seconds, such as `2 h 46 m`, that is never broken between two lines. */
export function spanText(seconds: number): string {
  return unbroken(plainSpanText(seconds));
}

/** A value with its definition's unit. */
export function unitText(value: number, unit: string): string {
  switch (unit) {
    case 'USD':
      return moneyText(value);
    case 'seconds':
      if (value < 0) return `-${unitText(-value, unit)}`;
      return value > 0 && value < 10 ? `${decimalText(value)} s` : spanText(value);
    case 'core-seconds':
      return `${decimalText(value / 3600)} core-h`;
    case 'count':
      return decimalText(value);
    case 'percent':
      return `${decimalText(value)} %`;
    case 'MB':
      return Math.abs(value) >= 1_024 ? `${decimalText(value / 1_024)} GiB` : `${decimalText(value)} MiB`;
    default:
      return unit === '' ? decimalText(value) : `${decimalText(value)} ${unit}`;
  }
}

/** A duration of the settings, in days where it is of whole days: `72h0m0s` → `3 days`. */
export function daysText(text: string): string {
  const hours = Number(/^(\d+)h0m0s$/.exec(text)?.[1] ?? Number.NaN);
  if (!(hours > 0) || hours % 24 !== 0) return shortDuration(text);
  return hours === 24 ? '1 day' : `${hours / 24} days`;
}

/** Kept on one line: a span such as `2 h 46 m` is read at once. */
export function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

/** Of a sentence: each span in it as `unbroken`. */
export function withUnbrokenSpans(text: string): string {
  return text.replace(/\d (?:d|h|m|s|%|[KMGT]i?B)\b(?: \d+ (?:h|m|s)\b)?/g, unbroken);
}

/** `Job-CheckpointSucceeded` → `Checkpoint succeeded`, `Volume-RestoreUnready` → `Restore volume not ready`, as the status has it. */
export function eventText(eventType: string): string {
  return wordsOf(
    eventType
      .replace(/^Job-/, '')
      .replace(/^Volume-Restore/, 'RestoreVolume')
      .replace('-', ''),
  );
}

const LAST_EVENTS: Readonly<Record<string, string>> = {
  Unknown: 'Submitted',
  CheckpointSucceeded: 'Checkpointed',
  RestoreSucceeded: 'Restored',
};

/** Of the last event of a job, by its status: the commonest of all in one word, so that its age has room. */
export function lastEventText(status: string): string {
  return LAST_EVENTS[status] ?? wordsOf(status);
}

/** As it begins a line. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `CheckpointSucceeded` → `Checkpoint succeeded`. */
export function wordsOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  return capitalized(words).replace(/ unready$/, ' not ready');
}
