/** Law: durations are read and printed as Go's time.Duration does, for every text and every value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, tryParseDuration } from '../../src/protocol/duration.ts';
import fc from '../support/laws/fast-check.ts';

const MAX = (1n << 63n) - 1n;
const MIN = -(1n << 63n);
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/**
 * Go's rules, one character after the other: whole digits in 64 bits, as much of a fraction as fits 63 bits, scaled in
 * double precision and cut to whole nanoseconds; an overflow anywhere is an error.
 */
function asGo(text: string): bigint | undefined {
  let rest = text;
  const negative = rest.startsWith('-');
  if (negative || rest.startsWith('+')) rest = rest.slice(1);
  if (rest === '0') return 0n;
  if (rest === '') return undefined;
  let total = 0n;
  while (rest !== '') {
    const whole = /^[0-9]*/.exec(rest)?.[0] ?? '';
    rest = rest.slice(whole.length);
    let fraction = '';
    if (rest.startsWith('.')) {
      fraction = /^[0-9]*/.exec(rest.slice(1))?.[0] ?? '';
      rest = rest.slice(1 + fraction.length);
    }
    const name = /^[^.0-9]*/.exec(rest)?.[0] ?? '';
    rest = rest.slice(name.length);
    const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
    if ((whole === '' && fraction === '') || unit === undefined) return undefined;
    total += BigInt(whole === '' ? '0' : whole) * unit + fractionAsGo(fraction, unit);
    if (total > MAX + 1n) return undefined;
  }
  if (negative) return -total;
  return total > MAX ? undefined : total;
}

function fractionAsGo(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    if (value > MAX / 10n) break;
    const next = value * 10n + BigInt(digit);
    if (next > MAX + 1n) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

const digits = fc.stringMatching(/^[0-9]{0,22}$/);
const fewDigits = fc.stringMatching(/^[0-9]{1,4}$/);
const unitName = fc.constantFrom(...Object.keys(UNITS));
const part = fc
  .tuple(fc.oneof(fewDigits, digits), fc.option(fc.oneof(fewDigits, digits)), unitName)
  .map(([whole, fraction, unit]) => `${whole}${fraction === null ? '' : `.${fraction}`}${unit}`);
const sign = fc.constantFrom('', '', '-', '+');
const likely = fc.tuple(sign, fc.array(part, { maxLength: 4 })).map(([head, parts]) => head + parts.join(''));
const unlikely = fc
  .array(fc.constantFrom('0', '1', '.', '-', '+', 'h', 'm', 's', 'ms', 'ns', 'us', 'd', ' ', 'µ', 'e', '_', 'H'), {
    maxLength: 6,
  })
  .map((pieces) => pieces.join(''));

test('a text is a duration exactly where Go reads one, and the same one', () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 3, arbitrary: likely }, unlikely), (text) => {
      assert.equal(tryParseDuration(text), asGo(text), text);
    }),
    { numRuns: 5_000 },
  );
});

const value = fc.oneof(
  fc.bigInt({ min: MIN, max: MAX }),
  fc.bigInt({ min: -2_000_000_000n, max: 2_000_000_000n }),
  // Round values of each unit, where zeros are left out or kept.
  fc.tuple(unitName, fc.bigInt({ min: -5_000n, max: 5_000n })).map(([name, count]) => (UNITS[name] as bigint) * count),
  fc.constantFrom(MIN, MAX, 0n),
);

test('what is printed is read as the value it was printed from, by us and by Go', () => {
  fc.assert(
    fc.property(value, (ns) => {
      const text = formatDuration(ns);
      assert.equal(tryParseDuration(text), ns);
      assert.equal(asGo(text), ns);
    }),
    { numRuns: 2_000 },
  );
});

test('what is printed is of one form: the largest unit first, no leading zeros, no trailing zeros of a fraction', () => {
  const number = '(?:0|[1-9][0-9]*)';
  const seconds = `${number}(?:\\.[0-9]*[1-9])?`;
  const form = new RegExp(`^(?:0s|-?(?:(?:[1-9][0-9]*h${number}m|[1-9][0-9]*m)?${seconds}s|${seconds}(?:ns|µs|ms)))$`);
  fc.assert(
    fc.property(value, (ns) => {
      const text = formatDuration(ns);
      assert.match(text, form);
      for (const [, below] of text.matchAll(/(?:h|m)([0-9]+)/g)) assert.ok(Number(below) < 60, text);
      assert.equal(formatDuration(tryParseDuration(text) as bigint), text);
    }),
    { numRuns: 2_000 },
  );
});
