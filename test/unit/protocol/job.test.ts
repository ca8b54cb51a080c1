import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRunning, isTerminal, jobEventSchema, jobUpdateSchema, statusOfEvent } from '../../../src/protocol/job.ts';

/** Contract section 5, by hand. */
const STATUS: Readonly<Record<string, string | undefined>> = {
  'Job-Creating': 'Creating',
  'Job-Created': 'Created',
  'Job-Running': 'Running',
  'Job-Checkpointing': 'Checkpointing',
  'Job-CheckpointSucceeded': 'CheckpointSucceeded',
  'Job-CheckpointFailed': 'CheckpointFailed',
  'Job-Restoring': 'Restoring',
  'Job-RestoreSucceeded': 'RestoreSucceeded',
  'Job-RestoreFailed': 'RestoreFailed',
  'Job-Stopped': 'Stopped',
  'Job-Succeeded': 'Succeeded',
  'Job-Failed': 'Failed',
  'Volume-Unready': 'VolumeUnready',
  'Volume-RestoreUnready': 'RestoreVolumeUnready',
  'Volume-Created': undefined,
  'Volume-Attached': undefined,
  'Volume-Detached': undefined,
  'Job-Levitating': undefined,
  'job-running': undefined,
  Running: undefined,
  constructor: undefined,
  '': undefined,
};

test('each event type gives the status of the contract, or none', () => {
  for (const [type, status] of Object.entries(STATUS)) assert.equal(statusOfEvent(type), status, type);
});

test('three statuses are terminal, five are running, no status is both', () => {
  const statuses = [...Object.values(STATUS).filter((status) => status !== undefined), 'Unknown'];
  assert.deepEqual(statuses.filter(isTerminal).sort(), ['Failed', 'Stopped', 'Succeeded']);
  assert.deepEqual(statuses.filter(isRunning).sort(), [
    'CheckpointFailed',
    'CheckpointSucceeded',
    'Checkpointing',
    'RestoreSucceeded',
    'Running',
  ]);
});

const EVENT = { timestamp: '2026-01-31T08:15:00.123456789Z', eventType: 'Job-Creating' };

test('an event keeps its digits and loses what nobody knows', () => {
  const sent = { ...EVENT, nodeOid: 'i-1', containerId: null, volumnId: 'vol-1', extra: 1 };
  assert.deepEqual(jobEventSchema.parse(sent), { ...EVENT, nodeOid: 'i-1', containerId: null, volumnId: 'vol-1' });
});

test('an event of a type that nobody knows is taken, also a long one', () => {
  assert.ok(jobEventSchema.safeParse({ ...EVENT, eventType: 'Job-Levitating' }).success);
  assert.ok(jobEventSchema.safeParse({ ...EVENT, eventType: 'x'.repeat(1_024) }).success);
});

test('an event needs a timestamp in UTC and a type', () => {
  for (const change of [
    { timestamp: '2026-01-31 08:15:00' },
    { timestamp: '2026-01-31T08:15:00+02:00' },
    { timestamp: 1_769_847_300 },
    { timestamp: null },
    { eventType: '' },
    { eventType: undefined },
    { nodeOid: 7 },
  ]) {
    assert.ok(!jobEventSchema.safeParse({ ...EVENT, ...change }).success, JSON.stringify(change));
  }
});

test('an update needs an id and a queue; everything else may be absent or null', () => {
  const update = { id: 'j-1', queueName: 'night/long runs' };
  assert.ok(jobUpdateSchema.safeParse(update).success);
  const nulls = { name: null, cpus: null, memoryInMB: null, batchJobIds: null, maxRootFSUsageMB: null, events: null };
  assert.ok(jobUpdateSchema.safeParse({ ...update, ...nulls }).success);
  for (const change of [
    { id: undefined },
    { id: 'a b' },
    { queueName: undefined },
    { queueName: '' },
    { cpus: 0 },
    { cpus: -1 },
    { cpus: '4' },
    { memoryInMB: -1 },
    { batchJobIds: 'b-1' },
    { events: EVENT },
    { events: new Array(10_001).fill(EVENT) },
  ]) {
    assert.ok(!jobUpdateSchema.safeParse({ ...update, ...change }).success, JSON.stringify(change).slice(0, 80));
  }
  assert.ok(jobUpdateSchema.safeParse({ ...update, cpus: 0.5, events: [] }).success);
});
