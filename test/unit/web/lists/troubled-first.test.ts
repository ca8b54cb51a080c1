/** The order in which the page of a queue names its jobs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { troubledFirst } from '../../../../web/src/lists/troubled-first.ts';

test('every job in trouble comes before those that go on, and each part stays in its order', () => {
  const open = [
    { id: 'runs-long', phase: 'running', status: 'Running' },
    { id: 'unsaved', phase: 'running', status: 'CheckpointFailed' },
    { id: 'saved', phase: 'running', status: 'CheckpointSucceeded' },
    { id: 'stranded', phase: 'stranded', status: 'Running' },
    { id: 'restoring', phase: 'restoring', status: 'Restoring' },
    { id: 'unrestored', phase: 'restoring', status: 'RestoreFailed' },
    { id: 'waits', phase: 'starting', status: 'VolumeUnready' },
    // Its node is gone, whatever came last.
    { id: 'stranded-unsaved', phase: 'stranded', status: 'CheckpointFailed' },
  ] as const;
  const failed = [{ id: 'failed', phase: 'failed', status: 'Failed' }] as const;
  assert.deepEqual(
    troubledFirst<(typeof open | typeof failed)[number]>(open, failed).map(({ id }) => id),
    ['stranded', 'unrestored', 'waits', 'stranded-unsaved', 'unsaved', 'failed', 'runs-long', 'saved', 'restoring'],
  );
});
