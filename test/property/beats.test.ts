/** The fast path of a heartbeat may only ever do what the slow path would. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../src/base/errors.ts';
import type { HandlerServices } from '../../src/gateway/handlers/handler.ts';
import { isPlainBeat, plainBatch, samplesOf, usualSamples } from '../../src/gateway/heartbeats/batch.ts';
import {
  type Heartbeat,
  heartbeatBatchSchema,
  heartbeatSchema,
  METRICS_PER_BEAT_MAX,
} from '../../src/protocol/heartbeat.ts';
import { SERIES_MAX } from '../../src/protocol/metric.ts';
import { epochMsOf, tryParseTimestamp, trySplitTimestamp } from '../../src/protocol/timestamp.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import fc from '../support/laws/fast-check.ts';

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

test('what the fast path takes as a beat, the schema takes, and reads the same', () => {
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

test('what the fast path takes as a batch, the schema takes', () => {
  fc.assert(
    fc.property(fc.array(beat, { maxLength: 5 }), (candidates) => {
      const batch = plainBatch(candidates);
      if (batch) assert.ok(heartbeatBatchSchema.safeParse(candidates).success);
    }),
    { numRuns: 1_000 },
  );
});

test('the usual beat does take the fast path', () => {
  assert.ok(isPlainBeat({ time: '2026-01-31T08:15:00.123456789Z', metrics: { cpuPercent: 1.5 } }));
  assert.ok(plainBatch([{ id: 'i-1' }, { id: 'i-2', metrics: {} }]));
});

const MANY = Object.fromEntries(Array.from({ length: METRICS_PER_BEAT_MAX + 1 }, (_, i) => [`m${i}`, i]));

test('one metric more than a beat may have is refused by both', () => {
  const { m0: _, ...most } = MANY;
  for (const [metrics, isTaken] of [
    [most, true],
    [MANY, false],
  ] as const) {
    assert.equal(isPlainBeat({ metrics }), isTaken);
    assert.equal(heartbeatSchema.safeParse({ metrics }).success, isTaken);
  }
});

const NOW_MS = Date.UTC(2026, 10, 22);
/** Both ways of writing what is defined, names of which only one is, and one that nobody defined. */
const known = fc.constantFrom(
  'cpuPercent',
  'metricDef-cpuPercent',
  'memoryUsedMB',
  'metricDef-metricDef-odd',
  'metricDef-odd',
  'odd',
);
const taken = fc.record(
  {
    time: fc.oneof(
      fc.constant(undefined),
      fc.integer({ min: -400, max: 400 }).map((hours) => new Date(NOW_MS + hours * 3_600_000).toISOString()),
      fc.constant('2026-11-21T23:59:59.123456789Z'),
    ),
    metrics: fc.dictionary(known, fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Heartbeat>;

/** A server that has these definitions, so many series, and room for no definition more. */
function servicesWith(seriesCount: number): HandlerServices {
  const definitions = ['cpuPercent', 'memoryUsedMB', 'metricDef-odd'].map((name) => ({ id: `metricDef-${name}` }));
  const host = {
    shared: { definitions },
    stats: { seriesCount },
    clock: { wallMs: () => NOW_MS },
    reader: new MemoryStore(),
  };
  const main = { define: () => Promise.reject(new CodedError('tooManySeries')) };
  return { host, main } as unknown as HandlerServices;
}

test('what the fast path makes of a beat, the slow path makes of it too, without a warning', async () => {
  let fast = 0;
  await fc.assert(
    fc.asyncProperty(taken, fc.constantFrom(0, SERIES_MAX - METRICS_PER_BEAT_MAX, SERIES_MAX), async (beat, count) => {
      const services = servicesWith(count);
      const samples = usualSamples(beat, services, NOW_MS);
      if (samples === undefined) return;
      fast++;
      const warnings: string[] = [];
      assert.deepEqual(await samplesOf('n-1', beat, services, warnings), samples);
      assert.deepEqual(warnings, []);
    }),
    { numRuns: 1_000 },
  );
  assert.ok(fast > 100, `${fast} of them took the fast path`);
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
