/** Laws: a sum is exact, whatever the order and the grouping, and equal sums have one canonical form. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenBuckets } from '../../src/actors/aggregator/open-buckets.ts';
import {
  addSums,
  addToSum,
  canonicalSum,
  type ExactSum,
  roundSum,
  SumAccumulator,
  ZERO_SUM,
} from '../../src/base/exact-sum.ts';
import fc from '../support/laws/fast-check.ts';

/** Doubles of all sizes that samples may have, many of them near each other, so that they cancel and tie. */
const value = fc.oneof(
  fc.double({ min: -1e290, max: 1e290, noNaN: true }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.integer({ min: -1_000, max: 1_000 }).map((n) => n / 10),
  fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -80, max: 80 })).map(([n, power]) => n * 2 ** power),
  fc.constantFrom(2 ** 53, -(2 ** 53), 1, -1, Number.MIN_VALUE, -Number.MIN_VALUE, 2 ** -1022),
);
const values = fc.array(value, { maxLength: 40 });

function sumOf(items: readonly number[]): ExactSum {
  return items.reduce<ExactSum>((sum, item) => addToSum(sum, item), ZERO_SUM);
}

/** Every double is a whole multiple of 2^-1074. */
const UNIT = 1074;

function exact(double: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, double);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const magnitude = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1);
  return double < 0 ? -magnitude : magnitude;
}

/** The double nearest to a whole number of units, ties to even: long division by hand. */
function rounded(units: bigint): number {
  const magnitude = units < 0n ? -units : units;
  const shift = BigInt(Math.max(0, magnitude.toString(2).length - 53));
  let mantissa = magnitude >> shift;
  const rest = magnitude - (mantissa << shift);
  const half = shift === 0n ? 0n : 1n << (shift - 1n);
  if (shift > 0n && (rest > half || (rest === half && mantissa % 2n === 1n))) mantissa += 1n;
  const exponent = Number(shift) - UNIT;
  // In two steps where it is tiny: 2^-1074 is a double, but a power below it on the way would not be.
  const scaled =
    exponent >= -900 ? Number(mantissa) * 2 ** exponent : Number(mantissa) * 2 ** -900 * 2 ** (exponent + 900);
  return units < 0n ? -scaled : scaled;
}

test('a sum equals that of whole numbers of 2^-1074, rounded once', () => {
  fc.assert(
    fc.property(values, (items) => {
      const reference = rounded(items.reduce((sum, item) => sum + exact(item), 0n));
      assert.equal(roundSum(sumOf(items)) + 0, reference + 0);
    }),
    { numRuns: 500 },
  );
});

test('the parts of a sum add up to it exactly', () => {
  fc.assert(
    fc.property(values, (items) => {
      const parts = sumOf(items);
      assert.equal(
        parts.reduce((sum, part) => sum + exact(part), 0n),
        items.reduce((sum, item) => sum + exact(item), 0n),
      );
      assert.ok(parts.length <= 39);
    }),
    { numRuns: 300 },
  );
});

test('order and grouping do not matter', () => {
  fc.assert(
    fc.property(
      values.chain((items) =>
        fc.tuple(
          fc.constant(items),
          fc.shuffledSubarray(items, { minLength: items.length, maxLength: items.length }),
          fc.nat(items.length),
        ),
      ),
      ([items, shuffled, cut]) => {
        const whole = canonicalSum(sumOf(items));
        assert.deepEqual(canonicalSum(sumOf(shuffled)), whole);
        assert.deepEqual(canonicalSum(addSums(sumOf(shuffled.slice(0, cut)), sumOf(shuffled.slice(cut)))), whole);
      },
    ),
    { numRuns: 300 },
  );
});

test('the canonical form is the same sum, and its own canonical form', () => {
  fc.assert(
    fc.property(values, (items) => {
      const sum = sumOf(items);
      const canonical = canonicalSum(sum);
      assert.equal(roundSum(canonical), roundSum(sum));
      assert.deepEqual(canonicalSum(canonical), canonical);
      assert.deepEqual(
        addSums(
          sum,
          canonical.map((part) => -part),
        ),
        [],
      );
    }),
    { numRuns: 300 },
  );
});

/** Whole numbers of very different exponents, with some of those before taken back: sums grow long, and end as nothing. */
const cancelling = fc
  .array(
    fc.oneof(
      value,
      fc
        .tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -1_070, max: 900 }))
        .map(([n, power]) => n * 2 ** power),
    ),
    { maxLength: 20 },
  )
  .chain((items) =>
    fc.tuple(fc.constant(items), fc.subarray(items)).map(([all, back]) => [...all, ...back.map((item) => -item)]),
  );

test('an accumulator, and the buckets that are open, hold the exact sum after every value', () => {
  fc.assert(
    fc.property(cancelling, (items) => {
      const accumulator = new SumAccumulator();
      const open = new OpenBuckets();
      const object = open.object('o');
      let sum = 0n;
      for (const item of items) {
        accumulator.add(item);
        open.fold(object, 'm', 0, 0, item);
        // Another bucket beside it, which must not be touched.
        open.fold(object, 'm', 60_000, 0, 1);
        sum += exact(item);
        const [bucket] = open.buckets(object, 'm');
        assert.ok(bucket);
        for (const parts of [accumulator.sum, bucket.sum]) {
          assert.equal(
            parts.reduce((total, part) => total + exact(part), 0n),
            sum,
          );
          assert.deepEqual(canonicalSum(parts), parts, 'the sum is canonical');
        }
        assert.equal(accumulator.rounded + 0, rounded(sum) + 0);
      }
      if (items.length > 0) assert.equal(open.buckets(object, 'm')[1]?.sum[0], items.length);
    }),
    { numRuns: 1_000 },
  );
});
