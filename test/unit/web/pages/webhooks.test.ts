/** Webhooks in words: their targets without secrets, and what the audit log tells of their events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathHint } from '../../../../web/src/pages/settings/access/webhook-target.ts';
import { changeText, detailParts } from '../../../../web/src/pages/settings/records/audit-text.ts';

test('targets of one host are told apart by what is no secret of their paths', () => {
  const hints = [
    ['https://hooks.example.com', ''],
    ['https://hooks.example.com/cairn', '/cairn'],
    ['https://hooks.slack.com/services/T0001/B0001/abcdefghXYZ1', '/…XYZ1'],
    ['https://hooks.slack.com/services/T0001/B0002/abcdefghQRS7', '/…QRS7'],
    // One segment may be a secret, and so may a query.
    ['https://hooks.example.com/9f8e7d6c5b4a', '/…5b4a'],
    ['https://hooks.example.com/cairn?sig=abcdef1234', '/…1234'],
  ] as const;
  for (const [url, hint] of hints) assert.equal(pathHint(url), hint, url);
});

test('the audit log says which job events a webhook hears of', () => {
  const made = { change: 'made', types: 'job.event node.lost', eventTypes: 'Job-Failed Job-Stopped' };
  assert.deepEqual(detailParts(made), ['events: Job event: Failed or Stopped, Node lost']);
  assert.deepEqual(detailParts({ types: 'job.event' }), ['events: Job event']);
  assert.deepEqual(changeText('eventTypes', { old: '', new: 'Job-CheckpointFailed' }), [
    'Job events',
    '–',
    'Checkpoint failed',
  ]);
});
