/** The comparison's own tools: that they find what differs is what makes a run without differences worth something. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesBetween } from '../../../../fleet/model/differences.ts';
import { planJob } from '../../../../fleet/plan/job-plan.ts';
import { Comparison, eachOf } from '../../../../fleet/verify/comparison.ts';
import { expectedJobSeries, queueObject, replay, SYSTEM_TOTAL } from '../../../../fleet/verify/expectation.ts';
import { smallWorld } from '../small-world.ts';

test('differences name the place and both values; what nobody expects is passed over at the top only', () => {
  const expected = { id: 'a', events: [{ t: 1 }, { t: 2 }], n: { x: 1 } };
  assert.deepEqual(differencesBetween(expected, { ...expected, more: true }), []);
  assert.deepEqual(differencesBetween(expected, { ...expected, events: [{ t: 1 }, { t: 3 }] }), [
    'events[1].t: expected 2, got 3',
  ]);
  assert.deepEqual(differencesBetween(expected, { ...expected, events: [{ t: 1 }] }), [
    'events.length: expected 2, got 1',
    'events[1]: expected {"t":2}, got nothing',
  ]);
  assert.deepEqual(differencesBetween(expected, { ...expected, n: { x: 1, y: 2 } }), ['n.y: expected nothing, got 2']);
  assert.equal(differencesBetween(expected, 'nonsense').length, 1);
});

test('neighbouring doubles are different', () => {
  assert.deepEqual(differencesBetween({ value: 0.3 }, { value: 0.1 + 0.2 }), [
    'value: expected 0.3, got 0.30000000000000004',
  ]);
});

test('what is right at a second look is no difference, but is told', async () => {
  const comparison = new Comparison(0, 0);
  let looks = 0;
  await comparison.check('thing', async () => ({ compared: 3, differences: ++looks < 2 ? ['not yet'] : [] }));
  assert.deepEqual(comparison.lines, [{ what: 'thing', compared: 3, differences: 0, late: 1 }]);
  assert.equal(comparison.differences, 0);
});

test('what stays different counts, and so does a look that fails', async () => {
  const comparison = new Comparison(0, 0);
  await comparison.check('thing', async () => ({ compared: 2, differences: ['a', 'b'] }));
  await comparison.check('thing', async () => {
    throw new Error('gone');
  });
  assert.deepEqual(comparison.lines, [{ what: 'thing', compared: 2, differences: 3, late: 0 }]);
  assert.deepEqual(comparison.shown, ['thing: a', 'thing: b', 'thing: cannot be read: gone']);
});

test('every item is worked on once, however few at a time', async () => {
  for (const atATime of [1, 3, 100]) {
    const seen: number[] = [];
    await eachOf([1, 2, 3, 4, 5], atATime, async (item) => void seen.push(item));
    assert.deepEqual(seen.sort(), [1, 2, 3, 4, 5]);
  }
});

test('only acknowledged calls are expected, and the queues add up to the system total', () => {
  const world = smallWorld();
  const acknowledged = Uint16Array.from({ length: world.jobs }, (_, index) =>
    Math.ceil(planJob(world, index).calls.length / 2),
  );
  acknowledged[3] = 0;
  assert.equal(
    replay(world, 3, 0, () => assert.fail('no sample of what was never sent')),
    undefined,
  );
  const objects = expectedJobSeries(world, acknowledged);
  const countOf = (objectId: string): number =>
    objects.get(objectId)?.get('jobSubmitted')?.total('count', 0, Number.MAX_SAFE_INTEGER)?.value ?? 0;
  const submitted = world.queueNames.reduce((sum, name) => sum + countOf(queueObject(name)), 0);
  const begun = acknowledged.filter((calls, index) =>
    planJob(world, index)
      .calls.slice(0, calls)
      .some(({ events }) => events.length > 0),
  );
  assert.equal(submitted, begun.length);
  assert.equal(countOf(SYSTEM_TOTAL), submitted);
});
