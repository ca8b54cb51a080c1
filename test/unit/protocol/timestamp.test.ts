import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  epochMsFrom,
  epochMsOf,
  epochNsOfMs,
  formatTimestampMs,
  formatTimestampSeconds,
  mustParseTimestamp,
  secondsBetween,
  tryParseTimestamp,
} from '../../../src/protocol/timestamp.ts';
import fc from '../../support/laws/fast-check.ts';

const READABLE: readonly (readonly [string, bigint])[] = [
  ['1970-01-01T00:00:00Z', 0n],
  ['1970-01-01T00:00:00.000000001Z', 1n],
  ['1970-01-01T00:00:01.5Z', 1_500_000_000n],
  ['1969-12-31T23:59:59.999999999Z', -1n],
  ['2026-01-31T08:15:00Z', 1_769_847_300_000_000_000n],
  ['2026-01-31T08:15:00.123456789Z', 1_769_847_300_123_456_789n],
  ['2024-02-29T00:00:00Z', 1_709_164_800_000_000_000n],
  ['2000-02-29T12:00:00Z', 951_825_600_000_000_000n],
  ['0000-01-01T00:00:00Z', -62_167_219_200_000_000_000n],
  ['0099-12-31T23:59:59Z', -59_011_459_201_000_000_000n],
  ['9999-12-31T23:59:59.999999999Z', 253_402_300_799_999_999_999n],
  ['2026-01-31t08:15:00z', 1_769_847_300_000_000_000n],
  ['2026-01-31T08:15:00+00:00', 1_769_847_300_000_000_000n],
];

for (const [text, ns] of READABLE) {
  test(`${text} is ${ns} ns after 1970`, () => {
    assert.equal(tryParseTimestamp(text), ns);
  });
}

for (const text of [
  '',
  'now',
  '2026-01-31',
  '2026-01-31 08:15:00Z',
  '2026-01-31T08:15:00',
  '2026-01-31T08:15Z',
  '2026-01-31T08:15:00.Z',
  '2026-01-31T08:15:00.1234567890Z',
  '2026-01-31T08:15:00,5Z',
  '2026-01-31T08:15:00+01:00',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T08:60:00Z',
  '2026-06-30T23:59:60Z',
  '20260131T081500Z',
  '+02026-01-31T08:15:00Z',
  ' 2026-01-31T08:15:00Z',
  '2026-01-31T08:15:00Z\n',
  '２026-01-31T08:15:00Z',
]) {
  test(`${JSON.stringify(text)} is no timestamp`, () => {
    assert.equal(tryParseTimestamp(text), undefined);
    assert.throws(() => mustParseTimestamp(text), RangeError);
  });
}

test('0 to 9 fraction digits are read, and trailing zeros change nothing', () => {
  for (let digits = 1; digits <= 9; digits++) {
    const text = `2026-01-31T08:15:00.${'123456789'.slice(0, digits)}Z`;
    const expected = 1_769_847_300_000_000_000n + BigInt('123456789'.slice(0, digits).padEnd(9, '0'));
    assert.equal(tryParseTimestamp(text), expected);
  }
  assert.equal(tryParseTimestamp('2026-01-31T08:15:00.5Z'), tryParseTimestamp('2026-01-31T08:15:00.500000000Z'));
});

test('every instant that the server prints is read again to the millisecond', () => {
  const instant = fc.integer({ min: Date.UTC(1000, 0, 1), max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(instant, (ms) => {
      assert.equal(mustParseTimestamp(formatTimestampMs(ms)), BigInt(ms) * 1_000_000n);
      assert.equal(epochMsOf(mustParseTimestamp(formatTimestampMs(ms))), ms);
      assert.equal(mustParseTimestamp(formatTimestampSeconds(ms)), BigInt(Math.floor(ms / 1000)) * 1_000_000_000n);
    }),
  );
});

test('milliseconds of an instant before 1970 are rounded down, as after it', () => {
  assert.equal(epochMsOf(-1n), -1);
  assert.equal(epochMsOf(-1_000_000n), -1);
  assert.equal(epochMsOf(1_999_999n), 1);
  assert.deepEqual([-1n, -1_000_000n, 0n, 1n, 1_000_000n].map(epochMsFrom), [0, -1, 0, 1, 1]);
  assert.equal(epochNsOfMs(1_700_000_000_123), 1_700_000_000_123_000_000n);
});

test('seconds between two instants keep their nanoseconds', () => {
  const from = mustParseTimestamp('2026-01-31T08:15:00.000000001Z');
  assert.equal(secondsBetween(from, from + 1n), 1e-9);
  assert.equal(secondsBetween(from, from + 90_000_000_000n), 90);
  assert.equal(secondsBetween(from, from - 250_000_000n), -0.25);
});
