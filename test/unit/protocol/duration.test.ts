import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationMs, formatDuration, mustDurationMs, tryParseDuration } from '../../../src/protocol/duration.ts';
import fc from '../../support/laws/fast-check.ts';

const US = 1_000n;
const MS = 1_000n * US;
const S = 1_000n * MS;
const M = 60n * S;
const H = 60n * M;
const MAX = (1n << 63n) - 1n;
const MIN = -(1n << 63n);

/** The cases of Go's own test of time.ParseDuration. */
const READABLE: readonly (readonly [string, bigint])[] = [
  ['0', 0n],
  ['5s', 5n * S],
  ['30s', 30n * S],
  ['1478s', 1478n * S],
  ['-5s', -5n * S],
  ['+5s', 5n * S],
  ['-0', 0n],
  ['+0', 0n],
  ['5.0s', 5n * S],
  ['5.6s', 5_600n * MS],
  ['5.s', 5n * S],
  ['.5s', 500n * MS],
  ['-.5s', -500n * MS],
  ['1.0s', S],
  ['1.00s', S],
  ['1.004s', 1_004n * MS],
  ['1.0040s', 1_004n * MS],
  ['100.00100s', 100_001n * MS],
  ['10ns', 10n],
  ['11us', 11n * US],
  ['12µs', 12n * US],
  ['12μs', 12n * US],
  ['13ms', 13n * MS],
  ['14s', 14n * S],
  ['15m', 15n * M],
  ['16h', 16n * H],
  ['3h30m', 3n * H + 30n * M],
  ['10.5s4m', 4n * M + 10_500n * MS],
  ['-2m3.4s', -(2n * M + 3_400n * MS)],
  ['1h2m3s4ms5us6ns', H + 2n * M + 3n * S + 4n * MS + 5n * US + 6n],
  ['39h9m14.425s', 39n * H + 9n * M + 14_425n * MS],
  ['52763797000ns', 52_763_797_000n],
  ['0.3333333333333333333h', 20n * M],
  ['9007199254740993ns', (1n << 53n) + 1n],
  ['9223372036854775807ns', MAX],
  ['9223372036854775.807us', MAX],
  ['9223372036s854ms775us807ns', MAX],
  ['-9223372036854775808ns', MIN],
  ['-9223372036854775.808us', MIN],
  ['-9223372036s854ms775us808ns', MIN],
  ['-2562047h47m16.854775808s', MIN],
  ['0.100000000000000000000h', 6n * M],
  ['0.830103483285477580700h', 49n * M + 48n * S + 372_539_827n],
];

for (const [text, ns] of READABLE) {
  test(`${text} is read as Go reads it`, () => {
    assert.equal(tryParseDuration(text), ns);
  });
}

const UNREADABLE = [
  '',
  '3',
  '-',
  's',
  '.',
  '-.',
  '.s',
  '+.s',
  '1d',
  '\u0085\u0085',
  '\uffff',
  'hello \uffff world',
  '\ufffd',
  '\ufffd hello \ufffd world',
  '3000000h',
  '9223372036854775808ns',
  '9223372036854775.808us',
  '9223372036854ms775us808ns',
  '-9223372036854775809ns',
  // Further forms that are none.
  ' 5s',
  '5s ',
  '5 s',
  '--5s',
  '+-5s',
  '1e3s',
  '0x5s',
  '5S',
  '5sec',
  '00',
  '1,5s',
  '1s-1s',
  '1constructor',
  '1toString',
  '1__proto__',
];

for (const text of UNREADABLE) {
  test(`${JSON.stringify(text)} is no duration, as in Go`, () => {
    assert.equal(tryParseDuration(text), undefined);
  });
}

const PRINTED: readonly (readonly [bigint, string])[] = [
  [0n, '0s'],
  [1n, '1ns'],
  [1_100n, '1.1µs'],
  [2_200n * US, '2.2ms'],
  [3_300n * MS, '3.3s'],
  [4n * M + 5n * S, '4m5s'],
  [4n * M + 5_001n * MS, '4m5.001s'],
  [5n * H + 6n * M + 7_001n * MS, '5h6m7.001s'],
  [8n * M + 1n, '8m0.000000001s'],
  [MAX, '2562047h47m16.854775807s'],
  [MIN, '-2562047h47m16.854775808s'],
  [30n * S, '30s'],
  [5n * M, '5m0s'],
  [H, '1h0m0s'],
  [168n * H, '168h0m0s'],
  [1_500n * MS, '1.5s'],
  [-250n * MS, '-250ms'],
  [999n, '999ns'],
  [999_999n, '999.999µs'],
];

for (const [ns, text] of PRINTED) {
  test(`${ns} ns are printed as ${text}`, () => {
    assert.equal(formatDuration(ns), text);
  });
}

test('every duration is read again as what it was printed from', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.bigInt({ min: MIN, max: MAX }),
        fc.bigInt({ min: -10n * S, max: 10n * S }),
        fc.bigInt(-5_000n, 5_000n),
      ),
      (ns) => assert.equal(tryParseDuration(formatDuration(ns)), ns),
    ),
  );
});

test('no text makes the reader throw', () => {
  const piece = fc.constantFrom(
    '1',
    '.',
    'h',
    'm',
    's',
    'ms',
    'us',
    'ns',
    '-',
    '+',
    'constructor',
    'µ',
    ' ',
    '9'.repeat(30),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece).map((pieces) => pieces.join('')),
        fc.string(),
      ),
      (text) => {
        const ns = tryParseDuration(text);
        if (ns !== undefined) assert.ok(ns >= MIN && ns <= MAX);
      },
    ),
  );
});

test('milliseconds keep their fraction', () => {
  assert.equal(durationMs(1_500_000n), 1.5);
  assert.equal(mustDurationMs('18000h'), 64_800_000_000);
  assert.equal(mustDurationMs('1us'), 0.001);
  assert.throws(() => mustDurationMs('soon'), RangeError);
});
