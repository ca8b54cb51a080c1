/** Orders of jobs that the browser makes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSortedHere, sortedHere } from '../../../../web/src/lists/job-orders.ts';

const at = (hour: number): string => new Date(Date.UTC(2026, 0, 31, hour)).toISOString();
const job = (id: string, hour: number, more: object = {}) => ({
  ...{ id, createdAt: at(hour), lastCheckpointAt: null, spotProtCount: 0, workAtRisk: null },
  ...more,
});
const jobs = [
  job('never', 5, { workAtRisk: 10 }),
  job('saved', 3, { lastCheckpointAt: at(9), workAtRisk: 30 }),
  job('long-ago', 4, { lastCheckpointAt: at(6), workAtRisk: 30, spotProtCount: 2 }),
  // It was saved, and nobody knows when.
  job('restored', 1, { spotProtCount: 1 }),
];
const order = (sort: string): string =>
  sortedHere(jobs, sort)
    .map(({ id }) => id)
    .join(' ');

test('jobs are sorted by what they show, those without a figure last, and equals by id', () => {
  assert.equal(order('-unsaved'), 'long-ago saved never restored');
  assert.equal(order('unsaved'), 'never long-ago saved restored');
  assert.equal(order('-restores'), 'long-ago restored never saved');
  // The one that was created first has gone on for longest.
  assert.equal(order('-duration'), 'restored saved long-ago never');
});

test('by the last checkpoint those that were never saved come first, and those of which it is not told when come last', () => {
  assert.equal(order('lastCheckpoint'), 'never long-ago saved restored');
  assert.equal(order('-lastCheckpoint'), 'saved long-ago never restored');
});

test('the server sorts by all else', () => {
  assert.equal(isSortedHere('-lastCheckpoint'), true);
  assert.equal(isSortedHere('-updatedAt'), false);
  assert.equal(isSortedHere(undefined), false);
});
