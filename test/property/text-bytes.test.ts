/** Law: numbers as bytes are those of `JSON.stringify`, whatever came before them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NUMBER_SIZE_MAX, TextBytes, TextPattern } from '../../src/workers/series/text-bytes.ts';
import fc from '../support/laws/fast-check.ts';

const RUNS = 2_000;

/** Measures (few digits), sums and averages of them, and any other double. */
const number = fc.oneof(
  fc.tuple(fc.maxSafeInteger(), fc.nat(8)).map(([whole, digits]) => whole / 10 ** digits),
  fc.tuple(fc.integer(), fc.nat(8)).map(([whole, digits]) => whole / 10 ** digits),
  fc.tuple(fc.nat(1_000_000), fc.nat(1_000_000)).map(([a, b]) => (a / 100 + b / 100) / 2),
  fc.tuple(fc.integer(), fc.integer({ min: 1, max: 1_000 })).map(([sum, count]) => sum / count),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.constantFrom(0, -0, 1e15, 1e15 - 1, -1e15, 999_999_999_999_999.9, 1e-6, 1e-7, 1e7, 9_999_999, 1e21, 5e-324),
);

function written(numbers: readonly number[]): string {
  const out = new TextBytes();
  numbers.forEach((value, i) => {
    out.reserve(NUMBER_SIZE_MAX + 1);
    if (i > 0) out.byte(0x20);
    out.number(value);
  });
  return Buffer.from(out.take()).toString();
}

test('numbers are written as JSON writes them', () => {
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 20 }), (numbers) => {
      assert.equal(written(numbers), numbers.map((value) => JSON.stringify(value)).join(' '));
    }),
    { numRuns: RUNS },
  );
});

test('text of any length and script is what was appended, and the next text starts over', () => {
  const out = new TextBytes();
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 30 }), (parts) => {
      for (const part of parts) out.text(part);
      assert.deepEqual(Buffer.from(out.take()), Buffer.from(parts.join('')));
    }),
  );
});

test('a pattern of any length is what it was made of, but for the digits that were put into it', () => {
  const out = new TextBytes();
  const ascii = fc.string({ unit: 'binary-ascii', minLength: 2, maxLength: 60 });
  fc.assert(
    fc.property(fc.array(fc.tuple(ascii, fc.nat(), fc.nat(99)), { maxLength: 30 }), (parts) => {
      let expected = '';
      for (const [text, place, number] of parts) {
        out.reserve(text.length + 8);
        const begin = out.pattern(new TextPattern(text));
        assert.equal(begin, expected.length);
        const at = place % (text.length - 1);
        out.twoAt(begin + at, number);
        expected += text.slice(0, at) + String(number).padStart(2, '0') + text.slice(at + 2);
      }
      assert.equal(Buffer.from(out.take()).toString('latin1'), expected);
    }),
  );
});
