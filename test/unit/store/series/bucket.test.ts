import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Bucket,
  bucketValue,
  coarsen,
  mergeBuckets,
  mergeLists,
  startOf,
} from '../../../../src/store/series/bucket.ts';

const MINUTE = 60_000;

function sampleBucket(timeMs: number, value: number, subNs = 0): Bucket {
  const sum = value === 0 ? [] : [value];
  return {
    startMs: startOf(timeMs, MINUTE),
    count: 1,
    sum,
    min: value,
    max: value,
    last: value,
    lastMs: timeMs,
    lastNs: subNs,
  };
}

function bucketOf(...samples: readonly (readonly [timeMs: number, value: number, subNs?: number])[]): Bucket {
  return samples.map(([timeMs, value, subNs]) => sampleBucket(timeMs, value, subNs)).reduce(mergeBuckets);
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
  const buckets = (
    [
      [0, 1],
      [29 * MINUTE, 2],
      [30 * MINUTE, 4],
      [59 * MINUTE, 8],
    ] as const
  ).map(([timeMs, value]) => bucketOf([timeMs, value]));
  assert.deepEqual(
    coarsen(buckets, 30 * MINUTE).map((bucket) => [
      bucket.startMs,
      bucket.count,
      bucketValue(bucket, 'sum'),
      bucket.last,
    ]),
    [
      [0, 2, 3, 2],
      [30 * MINUTE, 2, 12, 8],
    ],
  );
});

test('two lists become one in order of start, and what begins together is one bucket', () => {
  const earlier = [bucketOf([0, 1]), bucketOf([2 * MINUTE, 2]), bucketOf([5 * MINUTE, 3])];
  const later = [bucketOf([MINUTE, 10]), bucketOf([2 * MINUTE, 20])];
  const starts = (list: readonly Bucket[]): [number, number][] =>
    list.map((bucket) => [bucket.startMs / MINUTE, bucketValue(bucket, 'sum')]);
  assert.deepEqual(starts(mergeLists(earlier, later)), [
    [0, 1],
    [1, 10],
    [2, 22],
    [5, 3],
  ]);
  assert.deepEqual(starts(mergeLists(earlier, [])), starts(earlier));
  assert.deepEqual(starts(mergeLists([], later)), starts(later));
  assert.equal(mergeLists(earlier, later)[2]?.last, 20);
});
