import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CodedError } from '../../../src/base/errors.ts';
import { LEVELS, type Level } from '../../../src/protocol/metric.ts';
import type { Bucket } from '../../../src/store/bucket.ts';
import { compareKeys } from '../../../src/store/keys.ts';
import {
  type Chunk,
  chunkKey,
  chunkRange,
  decodeChunk,
  encodeChunk,
  levelRange,
  readChunkKey,
  windowMsOf,
  windowStartOf,
} from '../../../src/store/series-chunk.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const double = fc.double({ noNaN: true, noDefaultInfinity: true });

const chunk: fc.Arbitrary<{ level: Level; windowStartMs: number; chunk: Chunk }> = fc
  .constantFrom(...LEVELS)
  .chain((level) => {
    const windowStartMs = windowStartOf(level, NOON);
    const places = windowMsOf(level) / level.intervalMs;
    const bucket: fc.Arbitrary<Bucket> = fc.record(
      {
        startMs: fc.integer({ min: 0, max: places - 1 }).map((place) => windowStartMs + place * level.intervalMs),
        count: fc.integer({ min: 1, max: 0xffff_ffff }),
        sum: fc.array(double, { maxLength: 39 }),
        min: double,
        max: double,
        last: double,
        lastMs: fc.integer({ min: windowStartMs, max: windowStartMs + windowMsOf(level) }),
        lastNs: fc.integer({ min: 0, max: 999_999 }),
      },
      { noNullPrototype: true },
    );
    return fc.record({
      level: fc.constant(level),
      windowStartMs: fc.constant(windowStartMs),
      chunk: fc.record(
        {
          appliedSeq: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
          buckets: fc.uniqueArray(bucket, { maxLength: 8, selector: ({ startMs }) => startMs }),
        },
        { noNullPrototype: true },
      ),
    });
  });

test('a chunk is read as what was written, to the last bit', () => {
  fc.assert(
    fc.property(chunk, fc.nat(5), ({ level, windowStartMs, chunk }, offset) => {
      const encoded = encodeChunk(level, windowStartMs, chunk);
      const buffer = new Uint8Array(encoded.length + 5);
      buffer.set(encoded, offset);
      const decoded = decodeChunk(level, windowStartMs, buffer.subarray(offset, offset + encoded.length));
      assert.deepEqual(decoded, chunk);
    }),
  );
});

const SMALL: Chunk = {
  appliedSeq: 7,
  buckets: [
    { startMs: NOON, count: 2, sum: [1e-20, 3.5], min: 1, max: 2.5, last: 2.5, lastMs: NOON + 9, lastNs: 250 },
    { startMs: NOON + 60_000, count: 1, sum: [], min: 0, max: 0, last: 0, lastMs: NOON + 60_000, lastNs: 0 },
  ],
};

function mustRefuse(bytes: Uint8Array, what: string): void {
  assert.throws(
    () => decodeChunk(LEVELS[0], NOON, bytes),
    (error) => error instanceof CodedError && error.name === 'internal',
    what,
  );
}

test('every truncation of a chunk is refused with a coded error', () => {
  const encoded = encodeChunk(LEVELS[0], NOON, SMALL);
  for (let size = 0; size < encoded.length; size++) mustRefuse(encoded.subarray(0, size), `cut to ${size}`);
  mustRefuse(Uint8Array.from([...encoded, 0]), 'one byte more');
});

test('every single bit that flips is found', () => {
  const encoded = encodeChunk(LEVELS[0], NOON, SMALL);
  for (let bit = 0; bit < encoded.length * 8; bit++) {
    const flipped = encoded.slice();
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
    mustRefuse(flipped, `bit ${bit}`);
  }
});

test('bytes of any kind are a coded error, never another', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      mustRefuse(bytes, 'random bytes');
      mustRefuse(Uint8Array.from([1, ...bytes]), 'random bytes of our version');
    }),
  );
});

test('a chunk’s key tells its level, object, metric and window', () => {
  for (const level of LEVELS) {
    const windowStartMs = windowStartOf(level, NOON);
    assert.deepEqual(readChunkKey(chunkKey(level, 'queue-a b', 'runtime', windowStartMs)), {
      level,
      objectId: 'queue-a b',
      metric: 'runtime',
      windowStartMs,
    });
  }
  assert.throws(() => readChunkKey(Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0, 0)), CodedError);
});

test('windows are aligned, and hold 120, 96 and 64 buckets', () => {
  assert.deepEqual(
    LEVELS.map((level) => windowMsOf(level) / level.intervalMs),
    [120, 96, 64],
  );
  for (const level of LEVELS) {
    assert.equal(windowStartOf(level, windowStartOf(level, NOON)), windowStartOf(level, NOON));
    assert.equal(windowStartOf(level, -1), -windowMsOf(level));
  }
});

test('a range of time holds the keys of the windows it touches, and no others', () => {
  const inside = (key: Uint8Array, { start, end }: { start: Uint8Array; end: Uint8Array }): boolean =>
    compareKeys(key, start) >= 0 && compareKeys(key, end) < 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...LEVELS),
      fc.integer({ min: -1_000, max: 1_000 }),
      fc.integer({ min: 1, max: 40_000 }),
      fc.integer({ min: -5, max: 5 }),
      (level, from, minutes, window) => {
        const fromMs = NOON + from * 60_000;
        const toMs = fromMs + minutes * 60_000;
        const windowStartMs = windowStartOf(level, NOON) + window * windowMsOf(level);
        const touches = windowStartMs < toMs && windowStartMs + windowMsOf(level) > fromMs;
        const range = chunkRange(level, 'o', 'm', fromMs, toMs);
        assert.equal(inside(chunkKey(level, 'o', 'm', windowStartMs), range), touches);
        assert.ok(!inside(chunkKey(level, 'o', 'm2', windowStartMs), range));
        assert.ok(!inside(chunkKey(level, 'o2', 'm', windowStartMs), range));
        for (const other of LEVELS)
          assert.equal(inside(chunkKey(other, 'o', 'm', windowStartMs), levelRange(level)), other === level);
      },
    ),
    { numRuns: 300 },
  );
});
