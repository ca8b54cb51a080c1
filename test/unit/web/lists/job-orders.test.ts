/** Orders of jobs that the browser makes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSortedHere, sortedHere } from '../../../../web/src/lists/job-orders.ts';

const at = (hour: number): string => new Date(Date.UTC(2026, 0, 31, hour)).toISOString();
const job = (id: string, hour: number, more: object = {}) => ({
  ...{
    id,
    phase: 'running',
    nodeOid: '',
    createdAt: at(hour),
    updatedAt: at(10),
    lastCheckpointAt: null,
    spotProtCount: 0,
    unsavedSeconds: null,
  },
  ...more,
});
const jobs = [
  job('never', 5, { unsavedSeconds: 10 }),
  job('saved', 3, { lastCheckpointAt: at(9), unsavedSeconds: 30 }),
  job('long-ago', 4, { lastCheckpointAt: at(6), unsavedSeconds: 30, spotProtCount: 2 }),
  // It was saved, and nobody knows when.
  job('restored', 1, { spotProtCount: 1 }),
];
/** Until when nodes were there. */
const GONE = new Map([
  ['i-left', Date.parse(at(10))],
  ['i-gone', Date.parse(at(11))],
]);
const NODES = new Map([
  ['i-2', 'n2.lab'],
  ['n2.lab', 'n2.lab'],
  ['i-1', 'n19.lab'],
]);
const order = (sort: string, all = jobs): string =>
  sortedHere(all, sort, {
    nowMs: Date.parse(at(12)),
    goneMsOf: (oid) => GONE.get(oid),
    nameOf: (oid) => NODES.get(oid),
  })
    .map(({ id }) => id)
    .join(' ');

test('jobs are sorted by what they show, those without a figure last, and equals by id', () => {
  assert.equal(order('-unsaved'), 'long-ago saved never restored');
  assert.equal(order('unsaved'), 'never long-ago saved restored');
  assert.equal(order('-restores'), 'long-ago restored never saved');
});

test('by duration those that go on are compared with those that have ended, until now and until their end', () => {
  const mixed = [
    job('runs', 8),
    job('ended-long', 2, { phase: 'failed', statusSince: at(9) }),
    job('ended-soon', 1, { phase: 'succeeded', statusSince: at(2) }),
    job('left', 5, { phase: 'stranded', nodeOid: 'i-left' }),
    job('waits', 6, { phase: 'starting' }),
    // Nobody knows its node: as its row, until its last event.
    job('unknown', 9, { phase: 'stranded', nodeOid: 'i-unknown' }),
    // It was heard of after its node.
    job('left-late', 4, { phase: 'stranded', nodeOid: 'i-left', updatedAt: at(13) }),
    // Its node was there after its last event.
    job('left-later', 3.5, { phase: 'stranded', nodeOid: 'i-gone' }),
  ];
  assert.equal(order('-duration', mixed), 'left-late left-later ended-long waits left runs ended-soon unknown');
  assert.equal(order('duration', mixed), 'ended-soon unknown runs left waits ended-long left-later left-late');
});

test('by the last checkpoint those that were never saved come first, and those of which it is not told when come last', () => {
  const ended = job('ended', 2, { phase: 'succeeded' });
  const runs = job('restored-runs', 2, { spotProtCount: 1, unsavedSeconds: 5 });
  assert.equal(order('lastCheckpoint', [ended, runs, ...jobs]), 'never long-ago saved ended restored restored-runs');
  assert.equal(order('lastCheckpoint'), 'never long-ago saved restored');
  assert.equal(order('-lastCheckpoint'), 'saved long-ago never restored');
});

test('the server sorts by all else', () => {
  assert.equal(isSortedHere('-lastCheckpoint'), true);
  assert.equal(isSortedHere('-updatedAt'), false);
  assert.equal(isSortedHere(undefined), false);
});

test('by node the jobs of one node stand together, whichever of its ids they have, in the order of names; those without one last', () => {
  const placed = [
    job('waits', 1),
    job('by-instance', 1, { nodeOid: 'i-2' }),
    job('later-node', 1, { nodeOid: 'i-1' }),
    job('unknown-node', 1, { nodeOid: 'i-0' }),
    job('by-id', 1, { nodeOid: 'n2.lab' }),
  ];
  assert.equal(order('nodeOid', placed), 'unknown-node by-id by-instance later-node waits');
  assert.equal(order('-nodeOid', placed), 'later-node by-id by-instance unknown-node waits');
});
