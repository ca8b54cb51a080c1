import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reclaimPlan } from '../../../../agent/jobs/reclaim.ts';
import { awsLook, azureLook, googleLook } from '../../../../agent/notice/notices.ts';

const ok = (value: unknown) => ({ status: 200, text: typeof value === 'string' ? value : JSON.stringify(value) });
const missing = { status: 404, text: '' };

test('AWS names action and time; without them there is nothing, or a recommendation', () => {
  const time = '2026-01-01T00:02:00Z';
  assert.deepEqual(awsLook(ok({ action: 'terminate', time }), missing), {
    kind: 'notice',
    notice: { action: 'terminate', timeMs: Date.parse(time) },
  });
  assert.deepEqual(awsLook(missing, missing), { kind: 'nothing' });
  assert.deepEqual(awsLook(missing, ok({ noticeTime: time })), { kind: 'rebalance', id: time });
  assert.deepEqual(awsLook(null, null), { kind: 'silence' });
  assert.deepEqual(awsLook(ok('<html>'), missing), { kind: 'nothing' });
  for (const status of [401, 429, 503]) assert.deepEqual(awsLook({ status, text: '' }, missing), { kind: 'silence' });
});

test('Google gives thirty seconds from when the notice was first seen', () => {
  assert.deepEqual(googleLook(ok('FALSE'), null, 5_000), { kind: 'nothing' });
  assert.deepEqual(googleLook(ok('TRUE\n'), null, 5_000), {
    kind: 'notice',
    notice: { action: 'preempt', timeMs: 35_000 },
  });
  const later = googleLook(ok('TRUE'), 5_000, 9_000);
  assert.ok(later.kind === 'notice' && later.notice.timeMs === 35_000);
  assert.deepEqual(googleLook(missing, null, 0), { kind: 'silence' });
});

test('Azure tells by an event that takes the machine; others do not', () => {
  const event = (EventType: string, NotBefore: string) => ok({ Events: [{ EventType, NotBefore }] });
  assert.deepEqual(azureLook(event('Reboot', ''), 0), { kind: 'nothing' });
  assert.deepEqual(azureLook(event('Preempt', 'Thu, 01 Jan 1970 00:00:40 GMT'), 0), {
    kind: 'notice',
    notice: { action: 'preempt', timeMs: 40_000 },
  });
  const begun = azureLook(event('Preempt', ''), 7_000);
  assert.ok(begun.kind === 'notice' && begun.notice.timeMs === 7_000);
});

test('the jobs are stopped before the time, with room for the logs and for leaving', () => {
  const long = reclaimPlan(1_000, 120_000);
  assert.deepEqual(long, { saveByMs: 115_000, stopByMs: 116_000, leaveByMs: 118_500, shipByMs: 119_750 });
  const short = reclaimPlan(0, 10_000);
  assert.ok(short.saveByMs < short.stopByMs && short.stopByMs === 8_000);
  assert.deepEqual(reclaimPlan(500, -1), { saveByMs: 500, stopByMs: 500, leaveByMs: 500, shipByMs: 500 });
});
