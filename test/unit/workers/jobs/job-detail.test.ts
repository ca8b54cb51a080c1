/** A long job is read in slices, and is one job all the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import type { JobDetail, JobEvent } from '../../../../src/protocol/job.ts';
import { statusOfEvent } from '../../../../src/protocol/names/job-status.ts';
import { textKey } from '../../../../src/store/kv/keys.ts';
import type { Reader } from '../../../../src/store/kv/store.ts';
import { type PackedWrites, WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { jobEventKey } from '../../../../src/store/records/job-event-row.ts';
import { decodeJobRecord, type JobRecord } from '../../../../src/store/records/job-record.ts';
import {
  encodeNodePrice,
  encodeNodeRecord,
  type NodeRecord,
  oidKey,
} from '../../../../src/store/records/node-record.ts';
import { eventFactsOf, isSmallJob, jobDetail } from '../../../../src/workers/jobs/job-detail.ts';
import { jobFigures } from '../../../../src/workers/jobs/job-figures.ts';
import { jobList } from '../../../../src/workers/jobs/job-list.ts';
import { eventAt, priceOf } from '../../../support/job-events.ts';
import { JobWorld } from '../../../support/job-world.ts';

const EVENTS = Array.from({ length: 9_500 }, (_, i) => eventAt(i, 'Job-Created', { detail: `number ${i}` }));

/** What the pool sends; `between` runs wherever it lets others have the thread. */
async function read(reader: Reader, id: string, between: () => void = () => {}, nowMs = 0): Promise<JobDetail> {
  const chunks: Buffer[] = [];
  for await (const chunk of jobDetail(reader, { type: 'jobDetail', id, nowMs, warnings: [] })) {
    if (chunk.byteLength === 0) between();
    else chunks.push(Buffer.from(chunk));
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JobDetail;
}

/** On a node that is there. */
const here = (nowMs: number) => ({ fateOf: () => ({ isGone: false, lastSignMs: null }), nowMs });

test('a job that gets events while it is read is the job as it was', async () => {
  const world = new JobWorld();
  for (let i = 0; i < 9_000; i += 500) world.update(EVENTS.slice(i, i + 500));
  const { store } = world.actors;
  assert.ok(!isSmallJob(store.get('job', textKey('j-1')) as Uint8Array));
  let next = 9_000;
  // Some of these go to the last row, others to new ones.
  const job = await read(store, 'j-1', () => world.update(EVENTS.slice(next, ++next)));
  assert.ok(next > 9_001, 'it was read in slices');
  assert.deepEqual(job.events, EVENTS.slice(0, 9_000));
  assert.deepEqual((await read(store, 'j-1')).events, EVENTS.slice(0, next));
});

test('a job that is removed before it is read is not found', async () => {
  await assert.rejects(
    read(new JobWorld().actors.store, 'j-1'),
    (error: unknown) => error instanceof CodedError && error.name === 'notFound',
  );
});

/** A job that was saved ten times, and has had so many events since that none of the saves is in its record. */
function savedLongAgo(eventsSince: number): {
  readonly reader: Reader & JobWorld['actors']['store'];
  readonly record: JobRecord;
} {
  const world = new JobWorld();
  world.update([eventAt(0, 'Job-Running')]);
  for (let i = 1; i <= 20; i += 2)
    world.update([eventAt(i, 'Job-Checkpointing'), eventAt(i + 1, 'Job-CheckpointSucceeded')]);
  for (let i = 21; i < 21 + eventsSince; i++) world.update([eventAt(i, 'Job-Created', { detail: `number ${i}` })]);
  const reader = world.actors.store;
  const record = decodeJobRecord(reader.get('job', textKey('j-1')) as Uint8Array);
  assert.ok(!record.job.events.some(({ eventType }) => eventType === 'Job-CheckpointSucceeded'));
  return { reader, record };
}

test('the last checkpoint is told although its event has left the record', () => {
  const { reader, record } = savedLongAgo(40);
  assert.equal(
    eventFactsOf(reader, 'j-1', record, here(0)).lastCheckpointAt,
    eventAt(20, 'Job-CheckpointSucceeded').timestamp,
  );
});

test('the last checkpoint is told however many events came after it, but for one of a run that is over', () => {
  const { reader, record } = savedLongAgo(400);
  const of = (more: readonly JobEvent[] = []): string | null | undefined => {
    const job = { ...record.job, events: [...record.job.events, ...more] };
    return eventFactsOf(reader, 'j-1', { ...record, job }, here(0)).lastCheckpointAt;
  };
  assert.equal(Date.parse(of() ?? ''), Date.parse(eventAt(20, 'Job-CheckpointSucceeded').timestamp));
  assert.equal(of([eventAt(500, 'Job-Failed'), eventAt(501, 'Job-Creating')]), null);
});

test('the last checkpoint of a run that is over is not told of the next run', () => {
  const { reader, record } = savedLongAgo(40);
  const of = (status: string, ...types: string[]): unknown => {
    const events = types.map((type, i) => eventAt(70 + i, type));
    return eventFactsOf(reader, 'j-1', { ...record, job: { ...record.job, status, events } }, here(0)).lastCheckpointAt;
  };
  for (const end of ['Failed', 'Succeeded']) {
    const first = ['Job-Checkpointing', 'Job-CheckpointSucceeded', `Job-${end}`];
    assert.equal(of(end, ...first), eventAt(71, 'Job-CheckpointSucceeded').timestamp);
    assert.equal(of('Running', ...first, 'Job-Creating', 'Job-Running'), null, end);
    const again = [...first, 'Job-Running', 'Job-Checkpointing', 'Job-CheckpointSucceeded'];
    assert.equal(of('CheckpointSucceeded', ...again), eventAt(75, 'Job-CheckpointSucceeded').timestamp);
    assert.equal(
      of('Succeeded', ...first, 'Job-Creating', 'Job-Running', 'Job-Succeeded'),
      null,
      'nothing of this run',
    );
    assert.equal(of('Failed', ...again, 'Job-Failed'), eventAt(75, 'Job-CheckpointSucceeded').timestamp);
    // A stop ends no run for good: what counts is the end before it.
    assert.equal(of('Stopped', ...first, 'Job-Creating', 'Job-Running', 'Job-Stopped'), null);
    assert.equal(of('Stopped', ...again, 'Job-Stopped'), eventAt(75, 'Job-CheckpointSucceeded').timestamp);
  }
});

test('the reason and the time of the event that the status comes from are told, and no reason where it has none', () => {
  const { reader, record } = savedLongAgo(40);
  assert.equal(eventFactsOf(reader, 'j-1', record, here(0)).lastEventDetail, 'number 60');
  const job = { ...record.job, status: 'Running', events: [...record.job.events, eventAt(70, 'Job-Running')] };
  assert.equal(eventFactsOf(reader, 'j-1', { ...record, job }, here(0)).lastEventDetail, null);
  // A job is archived long after it failed.
  const failed = eventAt(71, 'Job-Failed', { detail: 'exit 3' });
  const archived = { ...job, status: 'Failed', events: [...job.events, failed, eventAt(90, 'Job-Archived')] };
  const told = eventFactsOf(reader, 'j-1', { ...record, job: archived }, here(0));
  assert.deepEqual([told.statusSince, told.lastEventDetail], [failed.timestamp, 'exit 3']);
});

test('a volume that is not ready is named as the reason where the event tells no other', () => {
  const { reader, record } = savedLongAgo(40);
  const of = (event: JobEvent): unknown => {
    const status = statusOfEvent(event.eventType) ?? 'Running';
    const job = { ...record.job, status, events: [...record.job.events, eventAt(69, 'Job-Running'), event] };
    return eventFactsOf(reader, 'j-1', { ...record, job }, here(0)).lastEventDetail;
  };
  const named = { volumnId: 'vol-7' };
  assert.equal(of(eventAt(70, 'Volume-Unready', named)), 'volume vol-7 is not ready');
  assert.equal(of(eventAt(70, 'Volume-RestoreUnready', named)), 'volume vol-7 is not ready');
  assert.equal(of(eventAt(70, 'Volume-RestoreUnready', { ...named, detail: 'no such volume' })), 'no such volume');
  assert.equal(of(eventAt(70, 'Volume-Attached', named)), null);
  assert.equal(of(eventAt(70, 'Volume-Unready')), null);
});

test('the reason is told although all events have left the record', () => {
  const world = new JobWorld();
  world.update(Array.from({ length: 60 }, (_, i) => eventAt(i, 'Job-Created', { detail: `number ${i}` })));
  const reader = world.actors.store;
  const record = decodeJobRecord(reader.get('job', textKey('j-1')) as Uint8Array);
  assert.deepEqual(record.job.events, []);
  const told = eventFactsOf(reader, 'j-1', record, here(0));
  assert.deepEqual([told.statusSince, told.lastEventDetail], [eventAt(59, 'Job-Created').timestamp, 'number 59']);
});

test('a damaged row of events costs neither the job nor the time of its last checkpoint', () => {
  const { reader, record } = savedLongAgo(40);
  const batch = new WriteBatch();
  for (let row = 0; row < (record.meta.sealed?.next ?? 0); row++)
    batch.put('jobEvent', jobEventKey('j-1', row), Uint8Array.of(9));
  reader.commit([batch.seal()]);
  assert.equal(eventFactsOf(reader, 'j-1', record, here(0)).lastCheckpointAt, '2026-01-31T00:00:20.000Z');
});

test('a node that is gone runs nothing: unsaved work ends with its last sign, and on an unknown one with what was told last', async () => {
  const beganMs = Date.parse(eventAt(0, 'Job-Running').timestamp);
  const nowMs = beganMs + 3_600_000;
  /** Work at risk and unsaved in the job, as in a row of a list, and in the figures. */
  const unsaved = async (node: Partial<NodeRecord> | null, more: readonly JobEvent[] = []): Promise<unknown[]> => {
    const world = new JobWorld();
    world.update([
      eventAt(0, 'Job-Creating', { nodeOid: 'i-a' }),
      eventAt(0, 'Job-Running', { nodeOid: 'i-a' }),
      ...more,
    ]);
    const { store } = world.actors;
    if (node) store.commit([nodeRows(node)]);
    const { workAtRisk, unsavedSeconds, phase } = await read(store, 'j-1', undefined, nowMs);
    const style = { format: 'json', fields: ['workAtRisk', 'unsavedSeconds', 'phase'] } as const;
    const query = { by: 'updatedAt', descending: true, filter: {} } as const;
    const chunks: Uint8Array[] = [];
    const task = { type: 'jobList', query, after: null, limit: 1, style, nowMs, isBound: false } as const;
    for await (const chunk of jobList(store, task)) chunks.push(Uint8Array.from(chunk));
    const row = JSON.stringify({ workAtRisk, unsavedSeconds, phase });
    assert.ok(Buffer.concat(chunks).toString().includes(row), 'the row of a list');
    const figuresAt = async (atMs: number) =>
      (await jobFigures(store, { type: 'jobFigures', afterKey: null, limit: 9, nowMs: atMs })).queues[0];
    const figures = await figuresAt(nowMs);
    assert.deepEqual([figures?.atRiskSeconds, figures?.unsavedSeconds], [workAtRisk, unsavedSeconds]);
    const aSecondLater = await figuresAt(nowMs + 1_000);
    assert.equal(figures?.growing, (aSecondLater?.atRiskSeconds ?? 0) - (figures?.atRiskSeconds ?? 0));
    assert.equal(figures?.unsavedGrowing, (aSecondLater?.unsavedSeconds ?? 0) - (figures?.unsavedSeconds ?? 0));
    return [workAtRisk, unsavedSeconds, phase];
  };
  const lost = { state: 'lost', endedAtMs: beganMs + 900_000, lastBeatWallMs: beganMs + 600_000 } as const;
  assert.deepEqual(await unsaved({}), [3_600, 3_600, 'running']);
  assert.deepEqual(await unsaved(null), [3_600, 0, 'stranded']);
  assert.deepEqual(await unsaved(null, [eventAt(60, 'Job-Checkpointing')]), [3_600, 60, 'stranded']);
  assert.deepEqual(await unsaved(lost), [600, 600, 'stranded']);
  assert.deepEqual(await unsaved({ ...lost, state: 'deregistered' }), [900, 900, 'stranded']);
  assert.deepEqual(
    await unsaved(lost, [eventAt(1_200, 'Job-CheckpointFailed')]),
    [1_200, 1_200, 'stranded'],
    'it was heard of later',
  );
  assert.deepEqual(
    await unsaved({ ...lost, lastBeatWallMs: nowMs + 5_000 }),
    [3_600, 3_600, 'stranded'],
    'never later than now',
  );
});

test('a node whose record cannot be read is taken to be there, and costs neither job nor figures', async () => {
  const world = new JobWorld();
  world.update([eventAt(0, 'Job-Creating', { nodeOid: 'i-a' }), eventAt(0, 'Job-Running', { nodeOid: 'i-a' })]);
  const { store } = world.actors;
  const batch = new WriteBatch();
  batch.put('node', textKey('n-a'), Uint8Array.of(0x91, 9));
  batch.put('nodeByOid', oidKey('i-a'), encodeNodePrice(priceOf('n-a', true, 1, 2)));
  store.commit([batch.seal()]);
  assert.equal((await read(store, 'j-1')).phase, 'running');
  assert.equal(
    (await jobFigures(store, { type: 'jobFigures', afterKey: null, limit: 9, nowMs: 0 })).queues[0]?.running,
    1,
  );
});

function nodeRows(node: Partial<NodeRecord>): PackedWrites {
  const batch = new WriteBatch();
  const record: NodeRecord = {
    factsJson: '{}',
    state: 'alive',
    registeredAtMs: 0,
    endedAtMs: null,
    lastBeatWallMs: 0,
    ...node,
  };
  batch.put('node', textKey('n-a'), encodeNodeRecord(record));
  batch.put('nodeByOid', oidKey('i-a'), encodeNodePrice(priceOf('n-a', true, 1, 2)));
  return batch.seal();
}
