/** Prices of run segments are found by when a segment begins, and on which node. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SegmentPrice, SegmentPrices } from '../../../../src/actors/job/segment-price-table.ts';

const price = (start: bigint, nodeOid: string, usd: number): SegmentPrice => {
  return { start, nodeOid, spot: true, price: usd, onDemandPrice: 9 };
};
const usdOf = (prices: SegmentPrices, start: bigint, nodeOid: string): number | undefined =>
  prices.of({ start, nodeOid })?.price;

test('segments that begin at one time on several nodes have a price each', () => {
  const prices = new SegmentPrices([price(1n, 'a', 1), price(1n, 'b', 2), price(1n, 'c', 3), price(2n, 'a', 4)]);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((nodeOid) => usdOf(prices, 1n, nodeOid)),
    [1, 2, 3, undefined],
  );
  assert.equal(usdOf(prices, 2n, 'a'), 4);
  assert.equal(usdOf(prices, 2n, 'b'), undefined);
  assert.equal(usdOf(prices, 3n, 'a'), undefined);
  assert.equal(prices.size, 4);
});

test('a price that is told again stands in the place of the one before', () => {
  const prices = new SegmentPrices([price(2n, 'a', 1), price(2n, 'b', 2), price(1n, 'a', 3)]);
  prices.add(price(2n, 'b', 5));
  prices.add(price(2n, 'a', 4));
  assert.deepEqual(
    prices.all.map(({ start, nodeOid, price: usd }) => `${start} ${nodeOid} ${usd}`),
    ['2 a 4', '2 b 5', '1 a 3'],
  );
});

test('times are told apart to the nanosecond', () => {
  const at = 1_800_000_000_000_000_001n;
  const prices = new SegmentPrices([price(at, 'a', 1), price(at + 1n, 'a', 2)]);
  assert.deepEqual([usdOf(prices, at, 'a'), usdOf(prices, at + 1n, 'a'), prices.size], [1, 2, 2]);
});
