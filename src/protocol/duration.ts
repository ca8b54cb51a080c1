/**
 * Go's `time.Duration`: what configuration durations are. Reads every form `time.ParseDuration` reads and prints what
 * `Duration.String()` prints. Held as nanoseconds in a bigint, because 18000h does not fit a double exactly.
 */
export type DurationNs = bigint;

/** A map, not an object: `1constructor` must not find a unit. */
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n], // micro sign
  ['\u03bcs', 1_000n], // Greek letter mu
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const MAX_NS = (1n << 63n) - 1n;
const PART = /(\d*)(?:\.(\d*))?([a-zµμ]+)/y;

/** The duration, or undefined where Go's ParseDuration would return an error. */
export function tryParseDuration(text: string): DurationNs | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  const body = text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text;
  if (body === '0') return 0n;
  if (body === '' || body.length > 256) return undefined;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const part = PART.exec(body);
    if (!part) return undefined;
    const [, whole = '', fraction = '', unitName = ''] = part;
    const unit = UNITS.get(unitName);
    if (unit === undefined || (whole === '' && fraction === '')) return undefined;
    total += (whole === '' ? 0n : BigInt(whole)) * unit;
    if (fraction !== '') total += fractionNs(fraction, unit);
    if (total > MAX_NS + (sign < 0n ? 1n : 0n)) return undefined;
  }
  return sign * total;
}

/** As `time.Duration.String()`: `30s`, `5m0s`, `1h0m0s`, `1.5s`, `250ms`, `0s`. */
export function formatDuration(ns: DurationNs): string {
  if (ns === 0n) return '0s';
  const sign = ns < 0n ? '-' : '';
  const value = ns < 0n ? -ns : ns;
  if (value < 1_000n) return `${sign}${value}ns`;
  if (value < 1_000_000n) return `${sign}${decimal(value, 1_000n, 3)}µs`;
  if (value < 1_000_000_000n) return `${sign}${decimal(value, 1_000_000n, 6)}ms`;
  const hours = value / 3_600_000_000_000n;
  const minutes = (value / 60_000_000_000n) % 60n;
  const seconds = `${decimal(value % 60_000_000_000n, 1_000_000_000n, 9)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

/** As people read it, without the parts that are 0: `15m0s` → `15m`. */
export function shortDuration(text: string): string {
  return text.replace(/([hm])0s$/, '$1').replace(/h0m$/, 'h');
}

/** Milliseconds for timers and comparisons; fractions of a millisecond are kept as a fraction. */
export function durationMs(ns: DurationNs): number {
  return Number(ns) / 1e6;
}

/** For texts that are known to be durations (configuration that was checked); throws on anything else. */
export function mustDurationMs(text: string): number {
  const ns = tryParseDuration(text);
  if (ns === undefined) throw new RangeError(`cannot read a duration: got ${text.length} characters, want e.g. 5m0s`);
  return durationMs(ns);
}

/** As Go computes it, in doubles and from the digits that fit 63 bits: `0.3333333333333333333h` is 20m there, and here. */
function fractionNs(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > MAX_NS / 10n || next > MAX_NS + 1n) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

function decimal(value: bigint, unit: bigint, digits: number): string {
  const fraction = (value % unit).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}
