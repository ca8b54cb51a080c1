import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byShown, type QueueRow } from '../../../../web/src/pages/overview/queue-rows.ts';
import { lateFirst, longSteps, unsavedOf } from '../../../../web/src/pages/queues/unsaved.ts';

function row(phase: string, unsavedSeconds: number | null, lastCheckpointAt: string | null = null) {
  return { id: `${phase}-${unsavedSeconds}`, phase, unsavedSeconds, lastCheckpointAt, spotProtCount: 0 };
}

test('what a queue stands to lose is summed over running and stranded jobs; overdue are those that run', () => {
  const rows = [
    row('running', 3_000),
    row('running', 2_000, '2026-01-01T00:00:00Z'),
    row('running', 100),
    row('stranded', 9_000),
    row('failed', null),
    row('running', null),
  ];
  const most = { id: 'stranded-9000', seconds: 9_000 };
  const all = { most, seconds: 14_100, jobs: 4, neverSaved: 2 };
  assert.deepEqual(unsavedOf(rows, 900), { ...all, overdue: 2, neverSavedLate: 1 });
  assert.deepEqual(unsavedOf(rows, undefined), { ...all, overdue: 0, neverSavedLate: 0 });
});

test('starts and restores that last long are counted apart', () => {
  const at = (phase: string, ms: number, status = '') => ({ phase, status, updatedAt: new Date(ms).toISOString() });
  const rows = [
    at('starting', 1),
    at('starting', 9),
    at('restoring', 1),
    at('restoring', 2),
    at('running', 1),
    at('restoring', 1, 'RestoreFailed'),
  ];
  assert.deepEqual(longSteps(rows, new Date(5).toISOString()), { starting: 1, restoring: 2 });
});

test('of the jobs of a queue, those that are overdue come after what is stuck, and before what is over', () => {
  const saved = '2026-01-01T00:00:00Z';
  const rows = [
    row('stranded', 9_000),
    // Its checkpoint failed.
    row('running', 2_000, saved),
    row('failed', null),
    row('running', 8_000, saved),
    row('running', 7_000),
    row('running', 100),
    row('restoring', null),
  ];
  const order = [0, 4, 3, 1, 2, 5, 6].map((i) => rows[i]);
  assert.deepEqual(lateFirst(rows, 900), order);
  assert.deepEqual(lateFirst(rows, undefined), rows);
});

test('the overview orders queues by what it shows of them: what is stuck, the most unsaved work, what failed', () => {
  const queue = (name: string, unrestored: number, unsavedSeconds: number, failed: number, neverSaved = 0) =>
    ({ name, unrestored, unready: 0, unstarted: 0, failed, neverSaved, atRisk: { unsavedSeconds } }) as QueueRow;
  const rows = [
    queue('a', 0, 5, 0),
    queue('b', 0, 5, 1),
    queue('c', 0, 9, 0),
    queue('d', 1, 0, 0),
    queue('e', 0, 4, 0, 9),
  ];
  assert.deepEqual(
    rows.toSorted(byShown).map(({ name }) => name),
    ['d', 'c', 'b', 'a', 'e'],
  );
});
