import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditDetailOf } from '../../../../src/control/webhooks/webhook-audit.ts';

type Facts = Parameters<typeof auditDetailOf>[0];

const hook: Facts = {
  url: 'https://hooks.example.com/secret-path',
  types: ['node.lost'],
  queue: null,
  job: null,
  node: null,
  eventTypes: null,
  format: 'cairn',
  secret: 's1',
  isPaused: false,
};

test('the audit log tells whether a webhook was made, paused, resumed or changed', () => {
  const target = 'https://hooks.example.com';
  assert.deepEqual(auditDetailOf(hook, undefined), { change: 'made', target, types: 'node.lost' });
  const ofKinds = { ...hook, types: ['job.event' as const], eventTypes: ['Job-Failed', 'Job-Stopped'] };
  assert.equal(auditDetailOf(ofKinds, undefined)['eventTypes'], 'Job-Failed Job-Stopped');
  const narrow = auditDetailOf({ ...hook, queue: 'night', node: 'n1', format: 'slack' }, undefined);
  assert.deepEqual(narrow, { change: 'made', target, types: 'node.lost', queue: 'night', node: 'n1', format: 'slack' });
  const paused = { ...hook, isPaused: true };
  assert.deepEqual(auditDetailOf(paused, undefined), { change: 'made', target, types: 'node.lost', paused: 'true' });
  assert.deepEqual(auditDetailOf(paused, hook), { change: 'paused' });
  assert.deepEqual(auditDetailOf(hook, paused), { change: 'resumed' });
  assert.deepEqual(auditDetailOf(hook, hook), { change: 'changed' });
  const turned = { ...hook, types: ['node.lost' as const, 'job.event' as const] };
  assert.deepEqual(auditDetailOf({ ...turned, types: turned.types.toReversed() }, turned), { change: 'changed' });
});

test('what was changed is told from what to what, but for what may be a secret', () => {
  const other: Facts = { ...hook, types: ['node.lost', 'job.event'], queue: 'night', eventTypes: ['Job-Failed'] };
  assert.deepEqual(auditDetailOf({ ...other, isPaused: true }, hook), {
    change: 'changed',
    paused: 'true',
    changes: {
      types: { old: 'node.lost', new: 'job.event node.lost' },
      queue: { old: '', new: 'night' },
      eventTypes: { old: '', new: 'Job-Failed' },
    },
  });
  const moved = { ...hook, url: 'https://hooks.example.com/other-path', secret: 's2' };
  assert.deepEqual(auditDetailOf(moved, hook), { change: 'changed', path: 'another', secret: 'another' });
  assert.deepEqual(auditDetailOf({ ...hook, url: 'https://b.example.com/x' }, hook)['changes'], {
    target: { old: 'https://hooks.example.com', new: 'https://b.example.com' },
  });
});

test('a record is short enough to be kept, however many kinds of job events were chosen', () => {
  const eventTypes = Array.from({ length: 64 }, (_, i) => `Job-${'x'.repeat(60)}${i}`);
  for (const known of [hook, undefined]) {
    const record = JSON.stringify(auditDetailOf({ ...hook, eventTypes }, known));
    assert.ok(record.length < 1_000, `${record.length} characters`);
    assert.match(record, /…/);
  }
});
