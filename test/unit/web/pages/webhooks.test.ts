/** Webhooks in words: their targets without secrets, and what the audit log tells of their events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_TYPES } from '../../../../src/protocol/event.ts';
import type { Webhook } from '../../../../src/protocol/webhook.ts';
import { happeningText, sentText, unsentText } from '../../../../web/src/pages/settings/access/webhook-events.ts';
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

test('a webhook says what it sends, and what its filters keep from being sent at all', () => {
  const of = (more: object): [string, string] => {
    const webhook = { types: EVENT_TYPES, ...more } as unknown as Webhook;
    return [sentText(webhook), unsentText(webhook)];
  };
  assert.deepEqual(of({}), ['All events', '']);
  assert.deepEqual(of({ queue: 'night' }), [
    'Job event, Job removed, queue night',
    'Not sent: events of nodes and settings (they have no queue)',
  ]);
  const kinds = { eventTypes: ['Job-Failed', 'Job-CheckpointFailed'] };
  assert.match(of(kinds)[0], /Job event: failed or checkpoint failed, Job removed, Settings changed$/);
  assert.deepEqual(of({ ...kinds, types: ['job.event', 'node.lost'], job: 'j1' }), [
    'Job event: failed or checkpoint failed, job j1',
    'Not sent: Node lost (it has no job)',
  ]);
  // A job event names its node.
  assert.deepEqual(of({ types: ['job.event', 'job.removed', 'node.late', 'config.changed'], node: 'n1' }), [
    'Job event, Node late, node n1',
    'Not sent: Job removed, Settings changed (they have no node)',
  ]);
  assert.deepEqual(of({ types: ['node.lost', 'job.removed'], queue: 'night', node: 'n1' }), [
    'No events, queue night, node n1',
    'Not sent: Node lost (it has no queue); Job removed (it has no node)',
  ]);
});

test('a delivery tells what happened to a job in words that are not about the delivery', () => {
  const texts = [
    ['Job-Failed', 'Job failed'],
    ['Job-Succeeded', 'Job succeeded'],
    ['Job-Stopped', 'Job stopped'],
    ['Job-CheckpointFailed', 'Checkpoint failed'],
  ] as const;
  for (const [eventType, text] of texts) assert.equal(happeningText({ type: 'job.event', eventType }), text);
  assert.equal(happeningText({ type: 'node.lost', eventType: null }), 'Node lost');
  assert.equal(happeningText({ type: 'webhook.test', eventType: null }), 'Test');
});
