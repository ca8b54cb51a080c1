/** Law: comparing two keys compares what they stand for, part by part; and a key is read back as what was written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterKey,
  afterPrefix,
  compareKeys,
  type KeyPart,
  KeyReader,
  keyEndingIn,
  keyOf,
  textKey,
} from '../../src/store/kv/keys.ts';
import fc from '../support/laws/fast-check.ts';

/** Texts that share beginnings, in all planes of Unicode, without the zero that ends a part. */
const text = fc
  .array(fc.constantFrom('a', 'b', '\u0001', ' ', '~', 'é', '\uffff', '\u{1f600}', '\ud7ff'), { maxLength: 5 })
  .map((characters) => ({ text: characters.join('') }));
const ns = fc
  .bigInt({ min: -62_167_219_200_000_000_000n, max: 253_402_300_799_999_999_999n })
  .map((value) => ({ ns: value }));
const ms = fc.integer({ min: -8_000_000_000_000, max: 211_000_000_000_000 }).map((value) => ({ ms: value }));
const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).map((value) => ({ number: value }));
const byte = fc.integer({ min: 0, max: 255 }).map((value) => ({ byte: value }));
const SHAPES = { text, ns, ms, number, byte } as const;

type Shape = keyof typeof SHAPES;
type Pair = readonly [readonly KeyPart[], readonly KeyPart[]];

/** Two keys of one shape, often alike in their first parts. */
const pair: fc.Arbitrary<Pair> = fc
  .array(fc.constantFrom(...(Object.keys(SHAPES) as Shape[])), { minLength: 1, maxLength: 4 })
  .chain((shapes) =>
    fc.tuple(
      ...shapes.map(
        (shape) => fc.tuple(SHAPES[shape], SHAPES[shape], fc.boolean()) as fc.Arbitrary<[KeyPart, KeyPart, boolean]>,
      ),
    ),
  )
  .map((parts) => [parts.map(([a]) => a), parts.map(([a, b, same]) => (same ? a : b))]);

function meaningOf(part: KeyPart): bigint | string {
  if ('text' in part) return part.text;
  if ('ns' in part) return part.ns;
  return BigInt('ms' in part ? part.ms : 'number' in part ? part.number : part.byte);
}

/** By code point, which is also the order of UTF-8. */
function compareTexts(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = ((left[i] as string).codePointAt(0) as number) - ((right[i] as string).codePointAt(0) as number);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(left.length - right.length);
}

function compareParts([a, b]: Pair): number {
  for (let i = 0; i < a.length; i++) {
    const [left, right] = [meaningOf(a[i] as KeyPart), meaningOf(b[i] as KeyPart)];
    if (typeof left === 'string' || typeof right === 'string') {
      const order = compareTexts(String(left), String(right));
      if (order !== 0) return order;
    } else if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

test('the order of keys is the order of what they stand for', () => {
  fc.assert(
    fc.property(pair, ([a, b]) => {
      assert.equal(Math.sign(compareKeys(keyOf(...a), keyOf(...b))), compareParts([a, b]));
    }),
    { numRuns: 1_000 },
  );
});

test('a key is read back part by part', () => {
  fc.assert(
    fc.property(pair, fc.nat(7), ([parts], offset) => {
      // Somewhere in a larger buffer, as a store hands it out.
      const key = keyOf(...parts);
      const buffer = new Uint8Array(key.length + 7).fill(0xee);
      buffer.set(key, offset);
      const reader = new KeyReader(buffer.subarray(offset, offset + key.length));
      for (const part of parts) {
        if ('text' in part) assert.equal(reader.text(), part.text);
        else if ('ns' in part) assert.equal(reader.ns(), part.ns);
        else if ('ms' in part) assert.equal(reader.ms(), part.ms);
        else if ('number' in part) assert.equal(reader.number(), part.number);
        else assert.equal(reader.byte(), part.byte);
      }
    }),
    { numRuns: 500 },
  );
});

const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 4 })
  .map((raw) => raw.map((byte) => [0, 1, 0xfe, 0xff][byte % 4] as number));

test('every key with a prefix, and no other, lies from the prefix to the key after it', () => {
  fc.assert(
    fc.property(bytes, bytes, (prefix, key) => {
      const end = afterPrefix(prefix);
      const inside = compareKeys(key, prefix) >= 0 && (end === undefined || compareKeys(key, end) < 0);
      const starts = Buffer.from(key).subarray(0, prefix.length).equals(Buffer.from(prefix));
      assert.equal(inside, starts);
    }),
    { numRuns: 1_000 },
  );
});

test('no key lies between a key and the one after it', () => {
  fc.assert(
    fc.property(bytes, bytes, (key, other) => {
      assert.ok(compareKeys(key, afterKey(key)) < 0);
      assert.ok(compareKeys(other, key) <= 0 || compareKeys(other, afterKey(key)) >= 0);
    }),
    { numRuns: 1_000 },
  );
});

test('a key that is one text reads as that text', () => {
  assert.equal(Buffer.from(textKey('i-1 ü')).toString('utf8'), 'i-1 ü');
});

test('a key that ends in another is the key of all their parts, however long its texts', () => {
  fc.assert(
    fc.property(pair, fc.integer({ min: 0, max: 5_000 }), ([begin, end], length) => {
      const long = { text: 'é'.repeat(length) };
      const whole = keyOf(...begin, long, ...end);
      assert.deepEqual(keyEndingIn(keyOf(...end), ...begin, long), whole);
    }),
    { numRuns: 200 },
  );
});
