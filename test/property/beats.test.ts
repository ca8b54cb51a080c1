/** The short way of a heartbeat may only ever do what the long way would. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPlainBeat, plainBatch } from '../../src/gateway/beat-batch.ts';
import { heartbeatBatchSchema, heartbeatSchema } from '../../src/protocol/heartbeat.ts';
import { epochMsOf, tryParseTimestamp, trySplitTimestamp } from '../../src/protocol/timestamp.ts';

const name = fc.oneof(
  fc.constantFrom('cpuPercent', 'metricDef-x', '__proto__', 'constructor', '', 'a b', 'x'.repeat(129)),
  fc.string({ maxLength: 12 }),
);
const value = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -1, 1e290, 1.1e290, Number.NaN, Number.POSITIVE_INFINITY, '1', null, true),
);
const time = fc.oneof(
  fc.constantFrom('2026-01-31T08:15:00Z', '2026-02-30T08:15:00Z', '2026-01-31t08:15:00.5z', 'x', '', 5, null),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const metrics = fc.oneof(fc.dictionary(name, value, { maxKeys: 4 }), fc.constantFrom(null, [], 'm', 7));
const beat = fc.oneof(
  fc.record({ time, metrics, id: fc.oneof(name, fc.integer()), extra: fc.anything() }, { requiredKeys: [] }),
  fc.anything(),
);

test('what the short way takes as a beat, the schema takes, and reads the same', () => {
  fc.assert(
    fc.property(beat, (candidate) => {
      if (!isPlainBeat(candidate)) return;
      const parsed = heartbeatSchema.safeParse(candidate);
      assert.ok(parsed.success);
      assert.deepEqual(parsed.data.time ?? undefined, candidate.time);
      assert.deepEqual({ ...parsed.data.metrics }, { ...candidate.metrics });
    }),
    { numRuns: 2_000 },
  );
});

test('what the short way takes as a batch, the schema takes', () => {
  fc.assert(
    fc.property(fc.array(beat, { maxLength: 5 }), (candidates) => {
      const batch = plainBatch(candidates);
      if (batch) assert.ok(heartbeatBatchSchema.safeParse(candidates).success);
    }),
    { numRuns: 1_000 },
  );
});

test('the usual beat does take the short way', () => {
  assert.ok(isPlainBeat({ time: '2026-01-31T08:15:00.123456789Z', metrics: { cpuPercent: 1.5 } }));
  assert.ok(plainBatch([{ id: 'i-1' }, { id: 'i-2', metrics: {} }]));
});

const digits = (max: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
const fraction = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^[0-9]{1,10}$/).map((f) => `.${f}`),
);
const stamp = fc
  .tuple(
    fc.integer({ min: 0, max: 9999 }),
    digits(13),
    digits(32),
    digits(25),
    digits(61),
    digits(61),
    fraction,
    fc.constantFrom('Z', 'z', '+00:00', '+01:00', ''),
  )
  .map(([y, mo, d, h, mi, s, f, z]) => `${String(y).padStart(4, '0')}-${mo}-${d}T${h}:${mi}:${s}${f}${z}`);

test('a timestamp split without a bigint is the one that was parsed with it, and so are the refusals', () => {
  fc.assert(
    fc.property(fc.oneof(stamp, fc.string()), (text) => {
      const ns = tryParseTimestamp(text);
      const split = trySplitTimestamp(text);
      if (ns === undefined) {
        assert.equal(split, undefined);
        return;
      }
      const ms = epochMsOf(ns);
      assert.deepEqual(split, { ms, subNs: Number(ns - BigInt(ms) * 1_000_000n) });
    }),
    { numRuns: 5_000 },
  );
});
