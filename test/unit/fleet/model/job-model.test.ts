import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobModel } from '../../../../fleet/model/job-model.ts';
import { planJob } from '../../../../fleet/plan/job-plan.ts';
import type { JobEvent } from '../../../../src/protocol/job.ts';
import { mustParseTimestamp } from '../../../../src/protocol/timestamp.ts';
import { smallWorld } from '../small-world.ts';

function event(clock: string, eventType: string, fields: Partial<JobEvent> = {}): JobEvent {
  return { timestamp: `2026-01-31T${clock}Z`, eventType, ...fields };
}

function modelWith(...events: JobEvent[]): JobModel {
  const model = new JobModel('job', 'queue', new Map());
  model.apply({}, events);
  return model;
}

test('applying every call twice gives the same job and the same samples as applying it once', () => {
  const world = smallWorld();
  for (let index = 0; index < world.jobs; index++) {
    const { id, queueName, calls } = planJob(world, index);
    const once = new JobModel(id, queueName, world.prices);
    const twice = new JobModel(id, queueName, world.prices);
    for (const { fields, events } of calls) {
      const made = once.apply(fields, events);
      assert.deepEqual(twice.apply(fields, events), made, id);
      assert.deepEqual(twice.apply(fields, events), [], id);
    }
    assert.deepEqual(twice.expectedDetail(), once.expectedDetail());
  }
});

test('the job shows its first and last times digit for digit, its latest place, and unions in order of first sight', () => {
  const model = modelWith(
    event('08:00:00.000000001', 'Job-Creating', { nodeOid: 'i-a', containerId: 'c-1', batchJobId: 'b-1' }),
    event('08:00:03', 'Volume-Created', { volumnId: 'vol-2' }),
    event('08:00:01.50', 'Volume-Created', { volumnId: 'vol-1' }),
    event('08:00:09.9', 'Job-Restoring', { nodeOid: 'i-b', containerId: 'c-2' }),
  );
  const { events, ...rest } = model.expected();
  assert.equal((events as JobEvent[])[1]?.timestamp, '2026-01-31T08:00:01.50Z');
  assert.deepEqual(rest, {
    id: 'job',
    queueName: 'queue',
    createdAt: '2026-01-31T08:00:00.000000001Z',
    updatedAt: '2026-01-31T08:00:09.9Z',
    status: 'Restoring',
    nodeOid: 'i-b',
    containerId: 'c-2',
    spotProtCount: 0,
    batchJobIds: ['b-1'],
    volumeIds: ['vol-1', 'vol-2'],
  });
});

test('the status is that of the latest event that bears one', () => {
  assert.equal(modelWith().status, 'Unknown');
  assert.equal(modelWith(event('08:00:00', 'Volume-Unready')).status, 'VolumeUnready');
  assert.equal(modelWith(event('08:00:00', 'Volume-RestoreUnready')).status, 'RestoreVolumeUnready');
  const told = [
    event('08:00:05', 'Job-CheckpointFailed'),
    event('08:00:06', 'Volume-Attached'),
    event('08:00:07', 'Job-Archived'),
  ];
  assert.equal(modelWith(...told).status, 'CheckpointFailed');
  assert.equal(modelWith(event('08:00:05', 'Job-Failed'), event('08:00:01', 'Job-Running')).status, 'Failed');
});

test('attempts and outcomes are counted apart', () => {
  const model = modelWith(
    event('08:00:00', 'Job-Checkpointing'),
    event('08:00:01', 'Job-CheckpointSucceeded'),
    event('08:00:02', 'Job-Checkpointing'),
    event('08:00:03', 'Job-CheckpointFailed'),
    event('08:00:04', 'Job-Restoring'),
    event('08:00:05', 'Job-RestoreFailed'),
  );
  const { checkpoints, restores } = model.expectedDetail();
  assert.deepEqual(checkpoints, { attempts: 2, successes: 1, failures: 1 });
  assert.deepEqual(restores, { attempts: 1, successes: 0, failures: 1 });
});

test('work at risk is the run time since the last good checkpoint, and null unless the job is at work', () => {
  const nowNs = mustParseTimestamp('2026-01-31T08:01:00Z');
  const begun = [event('08:00:00', 'Job-Creating'), event('08:00:10', 'Job-Running')];
  assert.equal(modelWith(...begun).workAtRisk(nowNs), 50);
  const saved = [...begun, event('08:00:40', 'Job-Checkpointing'), event('08:00:45', 'Job-CheckpointSucceeded')];
  assert.equal(modelWith(...saved).workAtRisk(nowNs), 20);
  assert.equal(modelWith(...saved, event('08:00:50', 'Job-Restoring')).workAtRisk(nowNs), null);
});
