/** Law: many codes that are read at once are those that are read one by one, and the reader stands behind them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../src/base/errors.ts';
import { BitReader, BitWriter } from '../../src/store/series/bits.ts';
import fc from '../support/laws/fast-check.ts';

/** Numbers near 2^k, where a code is short, and any others, which are written in full. */
const codes = fc.nat(50).chain((k) =>
  fc.record({
    k: fc.constant(k),
    values: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.maxSafeNat().map((value) => value % (24 * 2 ** k)) },
        { weight: 1, arbitrary: fc.maxSafeNat() },
      ),
      { minLength: 1, maxLength: 60 },
    ),
    before: fc.nat(7),
    after: fc.nat(40),
  }),
);

test('codes that are read at once are those that were written', () => {
  fc.assert(
    fc.property(codes, ({ k, values, before, after }) => {
      const writer = new BitWriter();
      writer.bits(0, before);
      for (const value of values) writer.rice(value, k);
      for (let i = 0; i < after; i++) writer.bits(1, 1);
      const bytes = writer.take();
      const reader = new BitReader(bytes);
      reader.bits(before);
      const read = new Float64Array(values.length + 2).fill(-1);
      reader.rices(k, read, 1, values.length + 1);
      assert.deepEqual([...read], [-1, ...values, -1]);
      for (let i = 0; i < after; i++) assert.equal(reader.bits(1), 1);
      reader.mustEnd();
    }),
    { numRuns: 2_000 },
  );
});

test('codes that end too early are told by a coded error', () => {
  fc.assert(
    fc.property(codes, fc.nat(), ({ k, values }, at) => {
      const writer = new BitWriter();
      for (const value of values) writer.rice(value, k);
      const bytes = writer.take();
      const reader = new BitReader(bytes, 0, at % bytes.length);
      assert.throws(() => reader.rices(k, new Float64Array(values.length), 0, values.length), CodedError);
    }),
    { numRuns: 500 },
  );
});
