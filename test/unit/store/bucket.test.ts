import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addBucket,
  type Bucket,
  bucketOfSample,
  bucketValue,
  coarsen,
  mergeBuckets,
  startOf,
} from '../../../src/store/bucket.ts';

const MINUTE = 60_000;

function bucketOf(...samples: readonly (readonly [timeMs: number, value: number, subNs?: number])[]): Bucket {
  const buckets = samples.map(([timeMs, value, subNs = 0]) =>
    bucketOfSample(startOf(timeMs, MINUTE), timeMs, subNs, value),
  );
  return buckets.reduce(mergeBuckets);
}

test('a bucket tells count, sum, average, least, greatest and last', () => {
  const bucket = bucketOf([10, 3], [30, -1], [20, 0.5]);
  assert.equal(bucket.count, 3);
  assert.equal(bucketValue(bucket, 'count'), 3);
  assert.equal(bucketValue(bucket, 'sum'), 2.5);
  assert.equal(bucketValue(bucket, 'avg'), 2.5 / 3);
  assert.equal(bucketValue(bucket, 'min'), -1);
  assert.equal(bucketValue(bucket, 'max'), 3);
  assert.equal(bucketValue(bucket, 'last'), -1);
});

test('the last sample is that of the latest time, to the nanosecond, and of one time that which arrived later', () => {
  assert.equal(bucketOf([30, 1], [20, 2]).last, 1);
  assert.equal(bucketOf([30, 1, 5], [30, 2, 4]).last, 1);
  assert.equal(bucketOf([30, 1, 5], [30, 2, 6]).last, 2);
  assert.equal(bucketOf([30, 1, 5], [30, 2, 5]).last, 2);
});

test('a bucket begins at a whole interval, also before 1970', () => {
  assert.equal(startOf(MINUTE - 1, MINUTE), 0);
  assert.equal(startOf(MINUTE, MINUTE), MINUTE);
  assert.equal(startOf(-1, MINUTE), -MINUTE);
});

test('a coarser level holds the same samples', () => {
  const buckets = new Map<number, Bucket>();
  for (const [timeMs, value] of [
    [0, 1],
    [29 * MINUTE, 2],
    [30 * MINUTE, 4],
    [59 * MINUTE, 8],
  ] as const)
    addBucket(buckets, bucketOf([timeMs, value]));
  const coarse = coarsen(buckets.values(), 30 * MINUTE);
  assert.deepEqual(
    [...coarse.values()].map((bucket) => [bucket.startMs, bucket.count, bucketValue(bucket, 'sum'), bucket.last]),
    [
      [0, 2, 3, 2],
      [30 * MINUTE, 2, 12, 8],
    ],
  );
});

test('a bucket that is merged is not changed', () => {
  const bucket = Object.freeze(bucketOf([0, 1]));
  mergeBuckets(bucket, bucketOf([1, 5]));
  assert.equal(bucket.count, 1);
  assert.equal(bucketValue(bucket, 'sum'), 1);
});
