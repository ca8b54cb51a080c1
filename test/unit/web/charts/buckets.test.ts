/** Buckets at the edge of a range: what they have of another time is no part of its bars. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clipped, withValueAt } from '../../../../web/src/charts/buckets.ts';

const point = (ms: number, value: number) => ({ time: new Date(ms).toISOString(), value });
const POINTS = [point(3_000, 4), point(2_000, 5), point(1_000, 10)];

test('the first bucket of a range has what is left of the sum, and no less than nothing', () => {
  const { points, over } = clipped(POINTS, 12, 1_000);
  assert.deepEqual([points.map(({ value }) => value), over], [[4, 5, 3], 7]);
  assert.deepEqual(clipped(POINTS, 8, 1_000).over, 10);
  assert.deepEqual(
    clipped(POINTS, 8, 1_000).points.map(({ value }) => value),
    [4, 5, 0],
  );
});

test('a range that begins with a bucket, or without a point, keeps what it has', () => {
  assert.deepEqual(clipped(POINTS, 19, 1_000), { points: POINTS, over: 0 });
  // Sums of money are not exact.
  assert.deepEqual(clipped(POINTS, 19 - 1e-9, 1_000), { points: POINTS, over: 0 });
  assert.deepEqual(clipped(POINTS, 25, 1_000), { points: POINTS, over: 0 });
  assert.deepEqual(clipped(POINTS, 3, 500), { points: POINTS, over: 0 });
  const none = [point(1_000, 0)];
  assert.deepEqual(clipped(none, 0, 1_000), { points: none, over: 0 });
});

test('the bucket at the other edge has the rest, and is left out where there is none', () => {
  assert.deepEqual(withValueAt(POINTS, 3_000, 1), [point(3_000, 1), ...POINTS.slice(1)]);
  assert.deepEqual(withValueAt(POINTS, 3_000, 0), POINTS.slice(1));
  assert.deepEqual(withValueAt(POINTS, 9_000, 7), POINTS);
});
