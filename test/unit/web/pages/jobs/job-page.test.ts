/** What the job's page works out: what a job cost, and why it does not get on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobDetail } from '../../../../../src/protocol/job.ts';
import type { WorkerNode } from '../../../../../src/protocol/node.ts';
import { epochNsOfMs } from '../../../../../src/protocol/timestamp.ts';
import { claimsOf } from '../../../../../web/src/api/claims.ts';
import { timeOfLine } from '../../../../../web/src/logs/log-line.ts';
import { type Circumstances, diagnose } from '../../../../../web/src/pages/jobs/diagnosis.ts';
import { costsOf } from '../../../../../web/src/pages/jobs/job-cost.ts';
import { meanSeconds, volumesOf } from '../../../../../web/src/pages/jobs/volumes.ts';
import { boundsOf } from '../../../../../web/src/parts/range.ts';
import { timedEvents } from '../../../../../web/src/parts/timed-events.ts';

const event = (eventType: string, time: string, more: object = {}) => ({
  eventType,
  timestamp: `2026-01-01T${time}Z`,
  ...more,
});

test('cost and savings of the worked example in docs/reference/metrics.md, node by node', () => {
  const events = [
    event('Job-Creating', '08:00:00', { nodeOid: 'i-a' }),
    event('Job-Running', '08:02:00'),
    event('Job-Checkpointing', '08:12:00'),
    event('Job-CheckpointSucceeded', '08:12:30'),
    event('Job-Checkpointing', '08:22:00'),
    event('Job-Restoring', '08:27:00', { nodeOid: 'i-b' }),
    event('Job-RestoreSucceeded', '08:28:30'),
    event('Job-Running', '08:28:40'),
    event('Job-Succeeded', '09:08:30'),
  ];
  const prices = new Map([
    ['i-a', { isSpot: true, price: 0.36, onDemandPrice: 1.2 }],
    ['i-b', { isSpot: true, price: 0.72, onDemandPrice: 1.8 }],
  ]);
  const rounded = costsOf(timedEvents(events), prices, epochNsOfMs(Date.UTC(2026, 5, 1))).map((row) => [
    row.nodeOid,
    row.runSeconds,
    row.cost.toFixed(2),
    row.savedBySpot.toFixed(2),
    row.timeSavedSeconds,
    row.savedByRestore.toFixed(2),
  ]);
  assert.deepEqual(rounded, [
    ['i-a', 1_500, '0.15', '0.35', 0, '0.00'],
    ['i-b', 2_400, '0.48', '0.72', 600, '0.12'],
  ]);
  const unknown = costsOf(timedEvents(events), new Map(), epochNsOfMs(0));
  assert.deepEqual(
    unknown.map(({ price, cost, runSeconds }) => [price, cost, runSeconds]),
    [
      [undefined, 0, 1_500],
      [undefined, 0, 2_400],
    ],
  );
});

test('volumes tell when they were made and attached; attempts, how long they took on average', () => {
  const events = [
    event('Volume-Created', '08:00:00', { volumnId: 'v1' }),
    event('Volume-Attached', '08:00:30', { volumnId: 'v1' }),
    event('Job-Checkpointing', '08:10:00'),
    event('Job-CheckpointSucceeded', '08:10:20'),
    event('Job-Checkpointing', '08:20:00'),
    event('Job-CheckpointFailed', '08:20:40'),
    event('Job-Checkpointing', '08:30:00'),
  ];
  assert.deepEqual(volumesOf({ volumeIds: ['v1', 'v2'], events }), [
    { id: 'v1', createdAt: '2026-01-01T08:00:00Z', attachedAt: '2026-01-01T08:00:30Z' },
    { id: 'v2', createdAt: undefined, attachedAt: undefined },
  ]);
  const outcomes = ['Job-CheckpointSucceeded', 'Job-CheckpointFailed'];
  assert.equal(meanSeconds(events, 'Job-Checkpointing', outcomes), 30);
  assert.equal(meanSeconds(events, 'Job-Restoring', ['Job-RestoreSucceeded']), undefined);
});

const NOW = Date.UTC(2026, 0, 1, 12);
const MINUTE_MS = 60_000;

const nodeOf = (state: string): WorkerNode =>
  ({ id: 'n1', state, lastHeartbeat: new Date(NOW - 10 * MINUTE_MS).toISOString() }) as unknown as WorkerNode;

function circumstances(
  status: string,
  change: Partial<JobDetail> = {},
  others: Partial<Circumstances> = {},
): Circumstances {
  const job = {
    status,
    nodeOid: 'i-1',
    createdAt: new Date(NOW - 60 * MINUTE_MS).toISOString(),
    updatedAt: new Date(NOW - MINUTE_MS).toISOString(),
    events: [],
    checkpoints: { attempts: 0, successes: 0, failures: 0 },
    workAtRisk: null,
    ...change,
  } as unknown as JobDetail;
  return { job, node: nodeOf('alive'), intervalMs: 15 * MINUTE_MS, nowMs: NOW, ...others };
}

const textsOf = (given: Circumstances): string[] => diagnose(given).map(({ tone, text }) => `${tone}: ${text}`);

test('a job that runs and is saved in time has nothing against it', () => {
  assert.deepEqual(textsOf(circumstances('Running', { workAtRisk: 600 })), [
    'good: It runs, and nothing speaks against it.',
  ]);
});

test('what stops a job is told, worst first: its node, its step, what it has at risk', () => {
  const failed = { events: [event('Job-CheckpointFailed', '11:00:00'), event('Job-CheckpointFailed', '11:30:00')] };
  assert.deepEqual(
    textsOf(circumstances('CheckpointFailed', { ...failed, workAtRisk: 3_600 }, { node: nodeOf('late') })),
    [
      'bad: Its last 2 checkpoints failed. It runs on, unsaved.',
      'warn: Its node n1 is late: silent for 10 m.',
      'warn: 1 h of work are at risk, though a checkpoint is due every 15 m.',
    ],
  );
  assert.deepEqual(textsOf(circumstances('CheckpointFailed', failed, { node: nodeOf('lost') })), [
    'bad: Its node n1 is lost: silent for 10 m. Nothing restored the job since.',
  ]);
  assert.match(textsOf(circumstances('Running', {}, { node: null })).join(), /i-1 is not known/);
  assert.match(textsOf(circumstances('Running', {}, { intervalMs: undefined })).join(), /nothing of it is saved/);
  const stuck = { updatedAt: new Date(NOW - 30 * MINUTE_MS).toISOString() };
  const volume = { events: [event('Volume-Created', '11:00:00', { volumnId: 'vol-1' })] };
  assert.deepEqual(textsOf(circumstances('Creating', { ...stuck, ...volume })), [
    'warn: Creating for 30 m, without an outcome. Volume vol-1 was created and never attached.',
  ]);
  assert.deepEqual(textsOf(circumstances('Creating')), ['good: It is on its way.']);
});

test('of a job that ended only the end is told, whatever became of its node', () => {
  assert.deepEqual(textsOf(circumstances('Succeeded', {}, { node: nodeOf('lost') })), [
    'good: It succeeded, 59 m after it was created.',
  ]);
  assert.deepEqual(textsOf(circumstances('Failed')), [
    'bad: It failed, 59 m after it was created. No checkpoint of it succeeded.',
  ]);
});

test('a token tells its owner and his groups; what is no token tells nothing', () => {
  const token = (claims: object): string => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`;
  assert.deepEqual(claimsOf(token({ username: 'zoë', groups: ['a'], exp: 7 }), 'groups'), {
    userName: 'zoë',
    groups: ['a'],
    expiresAt: 7,
  });
  assert.deepEqual(claimsOf(token({ sub: 's', groups: 'a' }), 'groups').groups, ['a']);
  for (const text of ['', 'a', 'a.b.c', 'a.e30', `a.${btoa('null')}.c`])
    assert.deepEqual(claimsOf(text, 'groups').userName, '');
});

test('last month is the calendar’s, also in January; other ranges end with this minute', () => {
  const { startMs, endMs } = boundsOf('month', new Date(2026, 0, 17, 5).getTime());
  assert.deepEqual([startMs, endMs], [new Date(2025, 11, 1).getTime(), new Date(2026, 0, 1).getTime()]);
  assert.deepEqual(boundsOf('1h', 3_600_000 * 5 + 1), { startMs: 3_600_000 * 4, endMs: 3_600_000 * 5 + 60_000 });
});

test('the time of a line is found in JSON and in text, and taken for UTC where it names no zone', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5);
  for (const text of [
    '{"level":"info","time":"2026-01-02T03:04:05Z"}',
    '2026-01-02 03:04:05,000 INFO x',
    '[2026-01-02T04:04:05+01:00] y',
  ])
    assert.equal(timeOfLine(text), at, text);
  assert.equal(timeOfLine('no time at all'), undefined);
});
