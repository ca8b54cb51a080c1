import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangeOf } from '../../../../src/gateway/http/byte-range.ts';
import fc from '../../../support/laws/fast-check.ts';

/** Header, size of the file, what is meant: [from, to) , the whole, or nothing that there is. */
const CASES: readonly (readonly [string, number, readonly [number, number] | 'whole' | 'unsatisfiable'])[] = [
  ['bytes=0-0', 10, [0, 1]],
  ['bytes=0-9', 10, [0, 10]],
  ['bytes=0-10', 10, [0, 10]],
  ['bytes=2-5', 10, [2, 6]],
  ['bytes=9-', 10, [9, 10]],
  ['bytes=0-', 10, [0, 10]],
  ['bytes=-1', 10, [9, 10]],
  ['bytes=-10', 10, [0, 10]],
  ['bytes=-11', 10, [0, 10]],
  ['bytes=3-999999999999999', 10, [3, 10]],
  [' bytes=2-5 ', 10, [2, 6]],
  ['Bytes=2-5', 10, [2, 6]],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-20', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  ['', 10, 'whole'],
  ['bytes=', 10, 'whole'],
  ['bytes=-', 10, 'whole'],
  ['bytes=5-2', 10, 'whole'],
  ['bytes=50-20', 10, 'whole'],
  ['bytes=a-b', 10, 'whole'],
  ['bytes=1.5-2', 10, 'whole'],
  ['bytes=--5', 10, 'whole'],
  ['bytes=0x1-2', 10, 'whole'],
  ['bytes=0-1,4-5', 10, 'whole'],
  ['bytes 0-1', 10, 'whole'],
  ['items=0-1', 10, 'whole'],
  [`bytes=0-${'9'.repeat(40)}`, 10, [0, 10]],
  [`bytes=-${'9'.repeat(40)}`, 10, [0, 10]],
  [`bytes=${'9'.repeat(40)}-`, 10, 'unsatisfiable'],
  [`bytes=${'9'.repeat(40)}-${'9'.repeat(39)}8`, 10, 'whole'],
];

for (const [header, size, meant] of CASES) {
  test(`${JSON.stringify(header.slice(0, 40))} of ${size} bytes is ${Array.isArray(meant) ? meant.join(' to before ') : meant}`, () => {
    const expected =
      meant === 'whole' ? undefined : meant === 'unsatisfiable' ? meant : { from: meant[0], to: meant[1] };
    assert.deepEqual(rangeOf(header, size), expected);
  });
}

test('whatever the header, a range lies inside the file and holds at least one byte', () => {
  const piece = fc.constantFrom('bytes=', '-', ',', '0', '5', '99', ' ', '=', 'x', '9'.repeat(16));
  const header = fc.oneof(
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(header, fc.nat(100), (text, size) => {
      const range = rangeOf(text, size);
      if (range === undefined || range === 'unsatisfiable') return;
      assert.ok(range.from >= 0 && range.from < range.to && range.to <= size);
    }),
    { numRuns: 2_000 },
  );
});
