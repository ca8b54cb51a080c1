import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { BucketColumns } from '../../../../src/store/series/bucket-columns.ts';
import { decodeSeries, encodeSeries } from '../../../../src/store/series/series-codec.ts';
import { bucketsOf } from '../../../../src/workers/series/slice-read.ts';
import { bucketsOfSamples, type PlacedSample } from '../../../support/series-content.ts';

const [FINE] = LEVELS;
const PLACES = 120;

function encoded(samples: readonly PlacedSample[]): Uint8Array {
  return encodeSeries(bucketsOfSamples(FINE, 0, samples), 0, FINE.intervalMs);
}

function everyMinute(...values: readonly ((place: number) => number)[]): PlacedSample[] {
  return Array.from({ length: PLACES }, (_, place) =>
    values.map((value, i): PlacedSample => [place, i * 30_000, 0, value(place)]),
  ).flat();
}

/** Spread evenly, the same each time. */
const noise = (place: number): number => (place * 7_919) % 10_000;

test('a series that never changes costs a few bytes, however long it is', () => {
  assert.ok(encoded(everyMinute(() => 42.5)).byteLength <= 16);
});

test('a bucket of one sample costs one value, one of two samples two values', () => {
  const one = encoded(everyMinute((place) => noise(place) / 100)).byteLength;
  const two = encoded(
    everyMinute(
      (place) => noise(place) / 100,
      (place) => noise(place + 1) / 100,
    ),
  ).byteLength;
  // Ten thousand values are 13.3 bits each; nothing else of the bucket may cost anything.
  assert.ok(one <= (PLACES * 15) / 8 + 20, `${one} bytes`);
  assert.ok(two <= (PLACES * 30) / 8 + 20, `${two} bytes`);
});

test('doubles that are no decimals are kept to the last bit', () => {
  const samples = everyMinute((place) => Math.sin(place), Math.sqrt);
  const columns = new BucketColumns();
  decodeSeries(encoded(samples), 0, FINE.intervalMs, columns);
  assert.deepEqual(bucketsOf(columns), bucketsOfSamples(FINE, 0, samples));
});

test('a minus zero stays one, and its sum is zero', () => {
  const columns = new BucketColumns();
  decodeSeries(encoded([[0, 0, 0, -0]]), 0, FINE.intervalMs, columns);
  assert.ok(Object.is(columns.bucket(0).min, -0));
  assert.ok(Object.is(columns.values('sum')[0], 0));
});

test('bits that end too early, or that are left over, are told by a coded error', () => {
  const bytes = encoded(everyMinute(noise));
  const columns = new BucketColumns();
  for (const damaged of [bytes.subarray(0, bytes.length - 1), bytes.subarray(0, 1), Uint8Array.from([...bytes, 0])])
    assert.throws(() => decodeSeries(damaged, 0, FINE.intervalMs, columns), CodedError);
});
