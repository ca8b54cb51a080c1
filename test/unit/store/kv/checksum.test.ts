import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedValue, checkedView, isDamaged, withChecksum } from '../../../../src/store/kv/checksum.ts';
import fc from '../../../support/laws/fast-check.ts';

const bytes = (min: number, max = 200) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((array) => Buffer.from(array));

const stored = (key: Buffer, value: Buffer): Buffer => Buffer.from(withChecksum('job', key, value));

test('a value comes back as it was, also a large one; an empty one stays empty', () => {
  fc.assert(
    fc.property(bytes(1, 20), bytes(1, 300), (key, value) => {
      assert.deepEqual(Buffer.from(checkedValue(key, stored(key, value)) ?? []), value);
    }),
  );
  for (const size of [70_000, 200_000, 1_500_000, 10]) {
    const large = Buffer.alloc(size, 'large');
    assert.deepEqual(Buffer.from(checkedValue(Buffer.from('k'), stored(Buffer.from('k'), large)) ?? []), large);
  }
  assert.equal(withChecksum('job', Buffer.from('k'), Buffer.alloc(0)).byteLength, 0);
});

test('no flipped bit of a value, or of its key, goes unnoticed', () => {
  fc.assert(
    fc.property(bytes(1, 20), bytes(1, 60), fc.nat(), (key, value, at) => {
      const damaged = stored(key, value);
      const flip = (target: Buffer): void => {
        const bit = at % (target.byteLength * 8);
        target[bit >> 3] = (target[bit >> 3] as number) ^ (1 << (bit & 7));
      };
      flip(damaged);
      const read = checkedValue(key, damaged);
      // A flipped bit of the mark itself costs nothing: the sum still fits.
      if (read) assert.deepEqual(Buffer.from(read), value);
      const other = Buffer.from(key);
      flip(other);
      assert.equal(checkedValue(other, stored(key, value)), undefined);
    }),
    { numRuns: 500 },
  );
});

test('a value at the beginning of a longer buffer is read as one by itself, damaged or not', () => {
  fc.assert(
    fc.property(
      bytes(1, 20),
      bytes(0, 60),
      bytes(0, 60),
      fc.nat(),
      fc.constantFrom('sound', 'damaged', 'old'),
      (key, value, rest, at, kind) => {
        const alone = kind === 'old' ? value : stored(key, value);
        if (kind === 'damaged' && alone.byteLength > 0) {
          const place = at % alone.byteLength;
          alone[place] = (alone[place] as number) ^ 0x10;
        }
        const one = checkedValue(key, alone);
        const view = checkedView(key, Buffer.concat([alone, rest]), alone.byteLength);
        assert.deepEqual(view && Buffer.from(view), one && Buffer.from(one));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a value of before there were checksums is read as it is', () => {
  for (const old of [Buffer.from('{"id":"a"}'), Buffer.from('12'), Buffer.alloc(8), Buffer.from([0x95, 1, 2, 3, 4, 5])])
    assert.equal(checkedValue(Buffer.from('k'), old), old);
});

test('the schema number is written plainly, for programs that know of no checksums, and so are values with sums of their own', () => {
  const value = Buffer.from('5');
  assert.equal(withChecksum('meta', Buffer.from('schema'), value), value);
  assert.equal(withChecksum('chunk', Buffer.from('k'), value), value);
  assert.notEqual(withChecksum('meta', Buffer.from('other'), value), value);
});

test('a cut value is damaged', () => {
  const whole = stored(Buffer.from('k'), Buffer.from('a value'));
  for (let size = 1; size < whole.byteLength; size++)
    assert.equal(checkedValue(Buffer.from('k'), whole.subarray(0, size)), undefined);
  assert.equal(isDamaged(whole), false);
});
