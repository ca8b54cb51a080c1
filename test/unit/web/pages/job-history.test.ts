/** What the page of a job makes of its events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticksOf } from '../../../../web/src/charts/timeline-ticks.ts';
import { countWithin, eventRows } from '../../../../web/src/pages/jobs/event-rows.ts';
import { marksOf } from '../../../../web/src/pages/jobs/marks.ts';

const event = (eventType: string, second: number, more: object = {}) => ({
  eventType,
  timestamp: new Date(second * 1000).toISOString(),
  ...more,
});
const life = [
  event('Job-Creating', 0, { nodeOid: 'a' }),
  event('Volume-Created', 1, { volumnId: 'v' }),
  event('Job-Running', 2),
  event('Job-Checkpointing', 10),
  event('Job-CheckpointSucceeded', 11),
  event('Job-Checkpointing', 20),
  event('Job-CheckpointSucceeded', 21),
  event('Job-Checkpointing', 30),
  event('Job-CheckpointFailed', 31, { detail: 'no-space' }),
  event('Job-Restoring', 40, { nodeOid: 'b' }),
  event('Job-RestoreSucceeded', 45),
  event('Job-Checkpointing', 50),
  event('Job-CheckpointSucceeded', 51, { detail: 'slow: it took 200 s' }),
  event('Job-Failed', 60),
];

test('marks tell where a job moved, and what failed, on the node where it was', () => {
  assert.deepEqual(
    marksOf(life).map(({ kind, nodeOid, index, label }) => [kind, nodeOid, index, label]),
    [
      ['failed-step', 'a', 8, 'Checkpoint failed'],
      ['reclaim', 'a', 9, 'Moved to another node'],
      ['end', 'b', 13, 'Job failed'],
    ],
  );
});

test('checkpoints that went well are one row; one that failed or says something is not hidden in it', () => {
  const rows = eventRows(life, undefined, true);
  assert.deepEqual(
    rows.map(({ event: { eventType }, checkpoints }) => (checkpoints > 0 ? checkpoints : eventType)),
    [
      'Job-Failed',
      'Job-CheckpointSucceeded',
      'Job-Checkpointing',
      'Job-RestoreSucceeded',
      'Job-Restoring',
      'Job-CheckpointFailed',
      'Job-Checkpointing',
      2,
      'Job-Running',
      'Volume-Created',
      'Job-Creating',
    ],
  );
  assert.equal(rows.find(({ checkpoints }) => checkpoints === 2)?.since, life[3]?.timestamp);
  assert.equal(eventRows(life, undefined, false).length, life.length);
  const kinds = (kind: 'problems' | 'volumes' | 'restores') =>
    eventRows(life, kind, true).map(({ event: { eventType } }) => eventType);
  assert.deepEqual(kinds('problems'), ['Job-Failed', 'Job-CheckpointFailed']);
  assert.deepEqual(kinds('volumes'), ['Volume-Created']);
  assert.deepEqual(kinds('restores'), ['Job-RestoreSucceeded', 'Job-Restoring']);
  const sight = { startMs: 9_000, endMs: 21_000 };
  assert.deepEqual(
    eventRows(life, undefined, false, sight).map(({ index }) => index),
    [6, 5, 4, 3],
  );
  assert.equal(countWithin(life, sight), 4);
});

test('ticks are round in the reader’s zone, and not more than asked for', () => {
  const HOUR_MS = 3_600_000;
  const start = Date.UTC(2026, 0, 1, 9, 40);
  const { stepMs, at } = ticksOf(start, start + 9.6 * HOUR_MS, 8, HOUR_MS / 2);
  assert.equal(stepMs, 2 * HOUR_MS);
  // Even hours of a zone that is half an hour ahead.
  assert.deepEqual(
    at.map((ms) => new Date(ms).toISOString().slice(11, 16)),
    ['11:30', '13:30', '15:30', '17:30'],
  );
  assert.ok(ticksOf(start, start, 8, 0).at.length <= 8);
});
