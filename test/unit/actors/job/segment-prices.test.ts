/** What a run segment costs is acknowledged when it begins. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SegmentPrices } from '../../../../src/actors/job/segment-price-table.ts';
import { type Prices, priceSegments } from '../../../../src/actors/job/segment-prices.ts';
import type { JobEvent } from '../../../../src/protocol/job.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { encodeNodePrice, oidKey } from '../../../../src/store/records/node-record.ts';
import { event, priceOf, timed } from '../../../support/job-events.ts';
import { JobWorld } from '../../../support/job-world.ts';

const on = (nodeOid: string): Partial<JobEvent> => ({ nodeOid });
const pricesOf = (...told: readonly (readonly [oid: string, price: number])[]): Prices =>
  new Map(told.map(([oid, price]) => [oid, priceOf('n', true, price, 9)]));

/** Prices of the segments in the order of time. */
function shown(prices: SegmentPrices): number[] {
  return prices.all.map(({ price }) => price);
}

const CREATING = event('08:00:00', 'Job-Creating', on('i-a'));
const RUNNING = event('08:01:00', 'Job-Running');
const RESTORING = event('09:01:00', 'Job-Restoring', on('i-b'));
const RESTORED = event('09:02:00', 'Job-RestoreSucceeded');
const SUCCEEDED = event('10:02:00', 'Job-Succeeded');
const LIFE = [CREATING, RUNNING, RESTORING, RESTORED, SUCCEEDED];

test('a segment keeps the price that its node had when it began', () => {
  const first = priceSegments([CREATING, RUNNING].map(timed), new SegmentPrices(), pricesOf(['i-a', 1]));
  assert.deepEqual(shown(first), [1]);
  const later = priceSegments(LIFE.map(timed), first, pricesOf(['i-a', 5], ['i-b', 2]));
  assert.deepEqual(shown(later), [1, 2]);
  assert.deepEqual(
    shown(priceSegments(LIFE.map(timed), later, new Map())),
    [1, 2],
    'also when no node is known any more',
  );
});

test('a price that was not known when the segment began is taken when it is', () => {
  const first = priceSegments([CREATING, RUNNING].map(timed), new SegmentPrices(), new Map());
  assert.deepEqual(shown(first), []);
  assert.deepEqual(shown(priceSegments(LIFE.map(timed), first, pricesOf(['i-a', 3]))), [3]);
});

test('a late event that moves the beginning of a segment leaves its price', () => {
  const first = priceSegments([CREATING, RUNNING].map(timed), new SegmentPrices(), pricesOf(['i-a', 1]));
  const earlier = [CREATING, event('08:00:30', 'Job-Running'), RUNNING].map(timed);
  assert.deepEqual(shown(priceSegments(earlier, first, pricesOf(['i-a', 5]))), [1]);
});

test('a segment that a late end has split costs on both sides what it did where its node is not known any more', () => {
  const first = priceSegments([CREATING, RUNNING].map(timed), new SegmentPrices(), pricesOf(['i-a', 1]));
  const split = [CREATING, RUNNING, event('08:10:00', 'Job-Stopped'), event('08:20:00', 'Job-Running')].map(timed);
  assert.deepEqual(shown(priceSegments(split, first, new Map())), [1, 1]);
  assert.deepEqual(shown(priceSegments(split, first, pricesOf(['i-a', 5]))), [1, 5], 'a new segment, a new price');
});

function tell(world: JobWorld, price: number | null): void {
  const batch = new WriteBatch();
  if (price === null) batch.remove('nodeByOid', oidKey('i-a'));
  else batch.put('nodeByOid', oidKey('i-a'), encodeNodePrice(priceOf('n-1', true, price, 2)));
  world.actors.store.commit([batch.seal()]);
}

for (const restarted of [false, true]) {
  test(`a job that outlives its node costs what the node cost${restarted ? ', also after a restart' : ''}`, () => {
    const world = new JobWorld();
    tell(world, 0.5);
    world.update([CREATING, RUNNING]);
    tell(world, null);
    if (restarted) world.restart();
    world.samples();
    world.update([event('09:01:00', 'Job-Succeeded')]);
    assert.deepEqual(world.samples(), ['runtime=3600', 'coreTime=3600', 'jobCost=0.5', 'onDemandSavings=1.5']);
  });
}

test('a segment that goes on when the events before it leave the record keeps its price', () => {
  const world = new JobWorld();
  tell(world, 0.5);
  const more = Array.from({ length: 40 }, (_, i) => event(`08:02:${String(i).padStart(2, '0')}`, 'Job-Checkpointing'));
  world.update([CREATING, RUNNING, ...more]);
  assert.equal(world.rows('jobEvent'), 1);
  tell(world, 7);
  world.samples();
  world.update([event('09:01:00', 'Job-Succeeded')]);
  assert.deepEqual(world.samples().slice(-2), ['jobCost=0.5', 'onDemandSavings=1.5']);
});

test('a node that registers again with another price changes nothing of what runs already, and counts from the next segment', () => {
  const world = new JobWorld();
  tell(world, 0.5);
  world.update([CREATING, RUNNING]);
  tell(world, 1);
  world.samples();
  world.update([event('09:01:00', 'Job-Restoring', on('i-a')), RESTORED, SUCCEEDED]);
  // One hour at 0.50 and one at 1.00; against 2.00 on demand.
  assert.deepEqual(world.samples().slice(-2), ['jobCost=1.5', 'onDemandSavings=2.5']);
});
