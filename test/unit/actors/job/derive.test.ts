import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createdAtNs, jobOf, statusOf, updatedAtNs } from '../../../../src/actors/job/derive.ts';
import { type JobState, newJobState } from '../../../../src/actors/job/job-state.ts';
import { jobDetailSchema, jobSchema } from '../../../../src/protocol/job.ts';
import { detailOf, event, eventAt, jobWith } from '../../../support/job-events.ts';

const RECEIVED_MS = Date.UTC(2026, 0, 31, 7);

function wallMs(clock: string): number {
  return Date.parse(`2026-01-31T${clock}Z`);
}

function riskOf(state: JobState, nowMs: number): number | null {
  return detailOf(state, nowMs).workAtRisk;
}

/** The life that interface.md shows, in its order. */
const SHOWN_LIFE = [
  event('08:00:00', 'Job-Creating', { nodeOid: 'i-a', containerId: 'c-1', batchJobId: 'b-1' }),
  event('08:00:10', 'Volume-Created', { volumnId: 'vol-1' }),
  event('08:00:20', 'Volume-Attached', { volumnId: 'vol-1' }),
  event('08:01:00', 'Job-Created'),
  event('08:02:00', 'Job-Running'),
  event('08:12:00', 'Job-Checkpointing'),
  event('08:12:30', 'Job-CheckpointSucceeded'),
  event('08:27:00', 'Job-Restoring', { nodeOid: 'i-b', containerId: 'c-2' }),
  event('08:28:30', 'Job-RestoreSucceeded'),
  event('08:28:40', 'Job-Running'),
  event('09:08:30.123456789', 'Job-Succeeded'),
] as const;

/** Event type → status of a job whose latest event it is, after a Job-Running (contract section 5). */
const STATUS_AFTER_RUNNING: Readonly<Record<string, string>> = {
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
  'Volume-Created': 'Running',
  'Volume-Attached': 'Running',
  'Volume-Detached': 'Running',
  'Job-Levitating': 'Running',
  'something else': 'Running',
};

for (const [type, status] of Object.entries(STATUS_AFTER_RUNNING)) {
  test(`a running job that hears ${type} is ${status}`, () => {
    const job = jobOf(jobWith([event('08:00:00', 'Job-Running'), event('08:00:01', type)]));
    assert.equal(job.status, status);
    assert.equal(job.events.at(-1)?.eventType, type, 'the event is kept and shown, also one that nobody knows');
  });
}

test('every step of the shown life has the status of its latest status-bearing event', () => {
  const statuses = SHOWN_LIFE.map((_, i) => statusOf(jobWith(SHOWN_LIFE.slice(0, i + 1))));
  assert.deepEqual(statuses, [
    'Creating',
    'Creating',
    'Creating',
    'Created',
    'Running',
    'Checkpointing',
    'CheckpointSucceeded',
    'Restoring',
    'RestoreSucceeded',
    'Running',
    'Succeeded',
  ]);
});

test('a job with events of which none bears a status is Unknown, like one without events', () => {
  assert.equal(statusOf(jobWith([])), 'Unknown');
  assert.equal(
    statusOf(jobWith([event('08:00:00', 'Volume-Created'), event('08:00:01', 'Job-Levitating')])),
    'Unknown',
  );
});

test('the job resource of the shown life is that of the interface, in the order of its fields', () => {
  const state = jobWith(SHOWN_LIFE, { cpus: 4, batchJobIds: ['b-1'], volumeIds: ['vol-1'], receivedAtMs: RECEIVED_MS });
  const job = jobOf(state);
  assert.deepEqual(job, {
    id: 'j-1',
    queueName: 'q',
    cpus: 4,
    createdAt: '2026-01-31T08:00:00Z',
    updatedAt: '2026-01-31T09:08:30.123456789Z',
    status: 'Succeeded',
    nodeOid: 'i-b',
    containerId: 'c-2',
    spotProtCount: 1,
    batchJobIds: ['b-1'],
    volumeIds: ['vol-1'],
    events: [...SHOWN_LIFE],
  });
  const inInterface = [
    'id',
    'queueName',
    'createdAt',
    'updatedAt',
    'status',
    'nodeOid',
    'containerId',
    'spotProtCount',
  ];
  assert.deepEqual(
    Object.keys(job).filter((name) => inInterface.includes(name)),
    inInterface,
  );
  assert.ok(jobSchema.safeParse(job).success);
  assert.equal(createdAtNs(state), 1_769_846_400_000_000_000n);
  assert.equal(updatedAtNs(state), 1_769_850_510_123_456_789n);
});

test('a job without events was created and updated when it was first heard of', () => {
  const state = jobWith([], { receivedAtMs: RECEIVED_MS + 0.75 });
  const job = jobOf(state);
  assert.deepEqual([job.createdAt, job.updatedAt], ['2026-01-31T07:00:00.000Z', '2026-01-31T07:00:00.000Z']);
  assert.deepEqual([job.nodeOid, job.containerId, job.events], ['', '', []]);
  assert.ok(jobSchema.safeParse(job).success);
});

test('node and container are those of the latest Job-Creating or Job-Restoring, and of no other event', () => {
  const creating = event('08:00:00', 'Job-Creating', { nodeOid: 'i-a', containerId: 'c-a' });
  const running = event('08:01:00', 'Job-Running', { nodeOid: 'i-x', containerId: 'c-x' });
  const restoring = event('08:02:00', 'Job-Restoring', { nodeOid: 'i-b', containerId: 'c-b' });
  const failed = event('08:03:00', 'Job-RestoreFailed', { nodeOid: 'i-y', containerId: 'c-y' });
  const placeAfter = (...events: (typeof creating)[]): string[] => {
    const { nodeOid, containerId } = jobOf(jobWith(events));
    return [nodeOid, containerId];
  };
  assert.deepEqual(placeAfter(running), ['', '']);
  assert.deepEqual(placeAfter(creating, running), ['i-a', 'c-a']);
  assert.deepEqual(placeAfter(creating, running, restoring, failed), ['i-b', 'c-b']);
  assert.deepEqual(placeAfter(restoring, event('08:05:00', 'Job-Creating', { nodeOid: 'i-c' })), ['i-c', '']);
});

test('spotProtCount counts the restores that succeeded, and nothing else', () => {
  const restores = ['Job-Restoring', 'Job-RestoreFailed', 'Job-Restoring', 'Job-RestoreSucceeded', 'Job-Restoring'];
  const events = [...restores, 'Job-RestoreSucceeded'].map((type, i) => eventAt(30_000 + i, type));
  assert.equal(jobOf(jobWith(events)).spotProtCount, 2);
});

test('attempts, successes and failures of checkpoints and restores are counted each for itself', () => {
  const types = [
    'Job-Running',
    'Job-Checkpointing',
    'Job-CheckpointSucceeded',
    'Job-Checkpointing',
    'Job-CheckpointFailed',
    'Job-Checkpointing',
    'Job-Restoring',
    'Job-RestoreFailed',
    'Job-Restoring',
    'Job-RestoreSucceeded',
    'Job-Checkpointing',
    'Job-CheckpointSucceeded',
  ];
  const state = jobWith(types.map((type, i) => eventAt(30_000 + i, type)));
  const detail = detailOf(state, RECEIVED_MS);
  assert.deepEqual(detail.checkpoints, { attempts: 4, successes: 2, failures: 1 });
  assert.deepEqual(detail.restores, { attempts: 2, successes: 1, failures: 1 });
  assert.ok(!('foldedCheckpoints' in detail));
  assert.ok(jobDetailSchema.safeParse(detail).success);
});

test('folded pairs still count as attempts and successes', () => {
  const events = [event('08:00:00', 'Job-Running'), event('08:10:00', 'Job-Checkpointing')];
  const detail = detailOf(jobWith(events, { folded: { pairs: 7, through: 0n } }), RECEIVED_MS);
  assert.deepEqual(detail.checkpoints, { attempts: 8, successes: 7, failures: 0 });
  assert.equal(detail.foldedCheckpoints, 7);
});

test('work at risk is null unless the job is running', () => {
  const running = event('08:00:00', 'Job-Running');
  for (const [type, status] of Object.entries(STATUS_AFTER_RUNNING)) {
    const atRisk = riskOf(jobWith([running, event('08:00:01', type)]), wallMs('08:10:00'));
    const expected = ['Running', 'Checkpointing', 'CheckpointSucceeded', 'CheckpointFailed', 'RestoreSucceeded'];
    assert.equal(atRisk !== null, expected.includes(status), type);
  }
  assert.equal(riskOf(newJobState('j-1'), wallMs('08:10:00')), null);
});

test('without a good checkpoint, everything since the start is at risk', () => {
  const events = [event('08:00:00', 'Job-Creating'), event('08:01:00', 'Job-Running')];
  assert.equal(riskOf(jobWith(events), wallMs('08:11:00')), 600);
  const failed = [...events, event('08:05:00', 'Job-Checkpointing'), event('08:06:00', 'Job-CheckpointFailed')];
  assert.equal(riskOf(jobWith(failed), wallMs('08:11:00')), 600);
});

test('a good checkpoint holds the work up to its attempt, not up to its success', () => {
  const events = [
    event('08:00:00', 'Job-Running'),
    event('08:05:00', 'Job-Checkpointing'),
    event('08:05:40', 'Job-CheckpointSucceeded'),
  ];
  // 08:05:00 to 08:06:40 are 100 s.
  assert.equal(riskOf(jobWith(events), wallMs('08:06:40')), 100);
});

test('time in which the job did not run is not at risk', () => {
  const events = [
    event('08:00:00', 'Job-Running'),
    event('08:05:00', 'Job-Checkpointing'),
    event('08:05:40', 'Job-CheckpointSucceeded'),
    event('08:10:00', 'Job-Restoring', { nodeOid: 'i-b' }),
    event('08:20:00', 'Job-RestoreSucceeded'),
  ];
  // 08:05 to 08:10 ran on the lost node, 08:20 to 08:21 on the new one: 300 s + 60 s.
  assert.equal(riskOf(jobWith(events), wallMs('08:21:00')), 360);
  // The loss of the new one costs what ran there, as far as it is told: nobody knows that node.
  const told = [...events, event('08:21:00', 'Job-Checkpointing')];
  assert.equal(detailOf(jobWith(told), wallMs('08:30:00')).unsavedSeconds, 60);
});

test('a clock behind the worker’s makes no negative work', () => {
  assert.equal(riskOf(jobWith([event('08:00:00', 'Job-Running')]), wallMs('07:59:00')), 0);
});

test('the last good checkpoint is the attempt of the latest success, whatever failed since', () => {
  const types = [
    'Job-Running',
    'Job-Checkpointing',
    'Job-CheckpointSucceeded',
    'Job-Checkpointing',
    'Job-CheckpointFailed',
    'Job-Checkpointing',
  ];
  const events = types.map((type, i) => eventAt(i, type));
  const risk = (count: number): number | null => riskOf(jobWith(events.slice(0, count)), wallMs('00:00:10'));
  assert.deepEqual([1, 2, 3, 4, 5, 6].map(risk), [10, 10, 9, 9, 9, 9]);
  const orphan = ['Job-Running', 'Job-CheckpointSucceeded'].map((type, i) => eventAt(i, type));
  assert.equal(
    riskOf(jobWith(orphan), wallMs('00:00:10')),
    10,
    'a success without an attempt holds a time that nobody knows',
  );
});
