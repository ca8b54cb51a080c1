/** Law: timestamps compare as the instants they stand for, whatever number of digits each has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  epochMsOf,
  mustParseTimestamp,
  secondsBetween,
  tryParseTimestamp,
  trySplitTimestamp,
} from '../../src/protocol/timestamp.ts';
import fc from '../support/laws/fast-check.ts';

interface Written {
  readonly text: string;
  /** Whole seconds since 1970, by the platform's calendar, and the fraction's nine digits. */
  readonly seconds: number;
  readonly nanoseconds: number;
}

const written: fc.Arbitrary<Written> = fc
  .record({
    seconds: fc.oneof(
      fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }),
      // Close to one another, so that fractions decide.
      fc.integer({ min: 1_769_847_300, max: 1_769_847_302 }),
    ),
    fraction: fc.oneof(fc.stringMatching(/^[0-9]{0,9}$/), fc.stringMatching(/^[01]0{0,8}$/)),
    zone: fc.constantFrom('Z', 'z', '+00:00', '-00:00'),
    separator: fc.constantFrom('T', 't'),
  })
  .map(({ seconds, fraction, zone, separator }) => {
    const whole = new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', separator);
    return {
      text: `${whole}${fraction === '' ? '' : `.${fraction}`}${zone}`,
      seconds,
      nanoseconds: Number(fraction.padEnd(9, '0')),
    };
  });

test('two timestamps compare as their seconds, then as their nanoseconds', () => {
  fc.assert(
    fc.property(written, written, (a, b) => {
      const [left, right] = [mustParseTimestamp(a.text), mustParseTimestamp(b.text)];
      const expected = Math.sign(a.seconds - b.seconds) || Math.sign(a.nanoseconds - b.nanoseconds);
      assert.equal(left < right ? -1 : left > right ? 1 : 0, expected, `${a.text} and ${b.text}`);
    }),
    { numRuns: 2_000 },
  );
});

test('a timestamp keeps every nanosecond, and its milliseconds are rounded down', () => {
  fc.assert(
    fc.property(written, ({ text, seconds, nanoseconds }) => {
      const ns = mustParseTimestamp(text);
      assert.equal(ns, BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds));
      assert.equal(epochMsOf(ns), seconds * 1_000 + Math.floor(nanoseconds / 1e6));
    }),
    { numRuns: 1_000 },
  );
});

test('seconds between two timestamps are those of the exact difference', () => {
  const near = fc.bigInt({ min: -9_000_000_000_000_000n, max: 9_000_000_000_000_000n });
  fc.assert(
    fc.property(written, near, ({ text }, differenceNs) => {
      const from = mustParseTimestamp(text);
      assert.equal(secondsBetween(from, from + differenceNs), Number(differenceNs) / 1e9);
    }),
  );
});

test('a text with one character changed is another instant, the same in other letters, or none', () => {
  fc.assert(
    fc.property(written, fc.nat(), fc.constantFrom(...'0129:.TtZz+- \0é'), ({ text }, at, character) => {
      const place = at % text.length;
      const changed = text.slice(0, place) + character + text.slice(place + 1);
      const [before, after] = [mustParseTimestamp(text), tryParseTimestamp(changed)];
      if (after === undefined || changed === text) return;
      const sameMessages = changed.toUpperCase().replace('-00:00', 'Z').replace('+00:00', 'Z');
      const hadMessages = text.toUpperCase().replace('-00:00', 'Z').replace('+00:00', 'Z');
      assert.equal(after === before, sameMessages === hadMessages, `${text} and ${changed}`);
    }),
    { numRuns: 2_000 },
  );
});

test('the way without a bigint keeps the same milliseconds and the nanoseconds within them', () => {
  fc.assert(
    fc.property(written, ({ text, seconds, nanoseconds }) => {
      const subNs = nanoseconds % 1e6;
      assert.deepEqual(trySplitTimestamp(text), { ms: seconds * 1_000 + (nanoseconds - subNs) / 1e6, subNs }, text);
    }),
    { numRuns: 2_000 },
  );
});
