/** Series as a slice holds them, made of samples, and a segment read back whole. */

import { SAMPLE_VALUE_MAX } from '../../src/protocol/metric.ts';
import type { Level } from '../../src/protocol/rollup-retention.ts';
import { type Bucket, mergeBuckets } from '../../src/store/series/bucket.ts';
import { windowMsOf } from '../../src/store/series/series-layout.ts';
import { addSegment, type SliceContent } from '../../src/workers/series/slice-read.ts';
import fc from './laws/fast-check.ts';

export function bucketOfSample(startMs: number, timeMs: number, subNs: number, value: number): Bucket {
  return {
    startMs,
    count: 1,
    sum: value === 0 ? [] : [value],
    min: value,
    max: value,
    last: value,
    lastMs: timeMs,
    lastNs: subNs,
  };
}

/** Place of the bucket, milliseconds and nanoseconds within it, value. */
export type PlacedSample = readonly [place: number, ms: number, ns: number, value: number];

export function bucketsOfSamples(level: Level, windowMs: number, samples: readonly PlacedSample[]): Bucket[] {
  const buckets = new Map<number, Bucket>();
  for (const [place, ms, ns, value] of samples) {
    const startMs = windowMs + place * level.intervalMs;
    const one = bucketOfSample(startMs, startMs + ms, ns, value);
    const there = buckets.get(startMs);
    buckets.set(startMs, there ? mergeBuckets(there, one) : one);
  }
  return [...buckets.values()].sort((a, b) => a.startMs - b.startMs);
}

/** Measures as they come: percentages, whole numbers, seconds with nanoseconds, anything at all. */
export const measure: fc.Arbitrary<number> = fc.oneof(
  fc.nat(10_000).map((n) => n / 100),
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.nat().map((n) => n / 1e9),
  fc.constantFrom(0, -0, 1, 0.1, -0.1, SAMPLE_VALUE_MAX, -SAMPLE_VALUE_MAX, Number.MIN_VALUE, 2 ** 53, 1e22),
  fc.double({ min: -SAMPLE_VALUE_MAX, max: SAMPLE_VALUE_MAX, noNaN: true }),
);

export function placedSamples(level: Level, maxLength: number): fc.Arbitrary<PlacedSample[]> {
  const places = windowMsOf(level) / level.intervalMs;
  const value = fc.oneof(measure, fc.nat(100));
  const inTime = fc.oneof(fc.constantFrom(0, 30_000), fc.nat(level.intervalMs - 1));
  return fc.array(
    fc.tuple(
      fc.nat(places - 1),
      inTime,
      fc.oneof(fc.constant(0), fc.nat(999_999)),
      value,
    ) as fc.Arbitrary<PlacedSample>,
    { minLength: 1, maxLength },
  );
}

const objectId = fc.constantFrom('queue-a', 'queue-b c/d', 'system-total', 'node-i-0abc', 'ü');
const metric = fc.constantFrom('runtime', 'cpuPercent', 'x');

export function sliceContent(level: Level, windowMs: number, samplesMax = 12): fc.Arbitrary<SliceContent> {
  return fc.array(fc.tuple(objectId, metric, placedSamples(level, samplesMax)), { maxLength: 5 }).map((entries) => {
    const content: SliceContent = new Map();
    for (const [object, name, samples] of entries) {
      const metrics = content.get(object) ?? new Map<string, readonly Bucket[]>();
      metrics.set(name, bucketsOfSamples(level, windowMs, samples));
      content.set(object, metrics);
    }
    return content;
  });
}

export function decodeWhole(segment: Uint8Array, windowMs: number, intervalMs: number): SliceContent {
  const content: SliceContent = new Map();
  addSegment(content, segment, windowMs, intervalMs);
  return content;
}
