import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobEventSignal } from '../../../../src/actors/job/behaviour.ts';
import { jobAddress } from '../../../../src/actors/job/messages.ts';
import type { Job, JobEvent } from '../../../../src/protocol/job.ts';
import { afterPrefix, KeyReader } from '../../../../src/store/kv/keys.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { jobIndexPrefix } from '../../../../src/store/records/job-index.ts';
import { encodeNodePrice, oidKey } from '../../../../src/store/records/node-record.ts';
import { hasSeries, QUEUE_METRICS } from '../../../../src/store/series/series-index.ts';
import { event, eventAt, priceOf } from '../../../support/job-events.ts';
import { JobWorld } from '../../../support/job-world.ts';

const HOUR_MS = 3_600_000;
const CREATING = event('08:00:00', 'Job-Creating', { nodeOid: 'i-a', containerId: 'c-1', batchJobId: 'b-1' });
const RUNNING = event('08:00:30', 'Job-Running');
const SUCCEEDED = event('09:00:30', 'Job-Succeeded');
const LIFE = [CREATING, RUNNING, SUCCEEDED] as const;
const END_SAMPLES = ['runtime=3600', 'coreTime=3600', 'jobCost=0', 'onDemandSavings=0'];

function statusOf(world: JobWorld): string | undefined {
  return world.job()?.status;
}

function jobOf(world: JobWorld): Job {
  const job = world.job();
  assert.ok(job, 'the job is not stored');
  return job;
}

/** What a list by creation finds: time and id. */
function created(world: JobWorld): [bigint, string][] {
  return [...world.actors.store.range('jobByCreated')].map(({ key }) => {
    const parts = new KeyReader(key);
    return [parts.ns(), parts.text()];
  });
}

const ENDS = ['Failed', 'Stopped', 'Succeeded'];

/** What retention finds: time of the last update, id and status of ended jobs. */
function ended(world: JobWorld): [bigint, string, string][] {
  return ENDS.flatMap((status) => {
    const start = jobIndexPrefix('statusUpdated', status);
    return [...world.actors.store.range('jobIndex', { start, end: afterPrefix(start) as Uint8Array })].map(
      ({ key }): [bigint, string, string] => {
        const parts = new KeyReader(key.subarray(start.length));
        return [parts.ns(), parts.text(), status];
      },
    );
  });
}

test('an update is answered when it is durable, and not before', () => {
  const world = new JobWorld();
  const answer = world.send([CREATING]);
  world.actors.turn();
  assert.equal(answer.acknowledged, false);
  assert.equal(world.job(), undefined);
  assert.deepEqual(world.samples(), [], 'a sample is not handed over before its event is durable');
  world.actors.commitOne();
  assert.deepEqual(answer, { acknowledged: true, failure: null, reply: { events: 1 } });
  assert.equal(statusOf(world), 'Creating');
  assert.deepEqual(world.samples(), ['jobSubmitted=1']);
});

test('an update that could not be stored is refused, leaves nothing, and counts once when it comes again', () => {
  const world = new JobWorld();
  world.actors.store.fails = () => true;
  const answer = world.send(LIFE);
  world.actors.settle();
  assert.equal(answer.failure?.name, 'storageFull');
  assert.equal(world.rows('job') + world.rows('jobByCreated') + world.rows('series'), 0);
  assert.deepEqual(world.samples(), []);
  world.actors.store.fails = () => false;
  assert.equal(world.update(LIFE), 3);
  assert.deepEqual(world.samples(), ['jobSubmitted=1', ...END_SAMPLES]);
});

test('events of one update are taken in the order of their times, however they stand in it', () => {
  const world = new JobWorld();
  world.update([SUCCEEDED, CREATING, RUNNING]);
  const job = jobOf(world);
  assert.deepEqual(
    job.events.map(({ eventType }) => eventType),
    ['Job-Creating', 'Job-Running', 'Job-Succeeded'],
  );
  assert.deepEqual([job.createdAt, job.updatedAt], [CREATING.timestamp, SUCCEEDED.timestamp]);
  assert.deepEqual(world.samples(), ['jobSubmitted=1', ...END_SAMPLES]);
});

test('of two status-bearing events of one time, the one that arrived later gives the status', () => {
  for (const [first, second] of [
    ['Job-Failed', 'Job-Running'],
    ['Job-Running', 'Job-Failed'],
  ] as const) {
    const together = new JobWorld();
    together.update([event('08:00:00', first), event('08:00:00', second)]);
    assert.equal(`Job-${statusOf(together)}`, second);
    const apart = new JobWorld();
    apart.update([event('08:00:00', first)]);
    apart.update([event('08:00:00', second)]);
    assert.equal(`Job-${statusOf(apart)}`, second);
  }
});

test('an event that comes late stands at its time and changes no later status', () => {
  const world = new JobWorld();
  world.update([CREATING, SUCCEEDED]);
  assert.equal(world.update([RUNNING]), 1);
  const job = jobOf(world);
  assert.equal(job.status, 'Succeeded');
  assert.deepEqual(job.events, LIFE);
});

test('a duplicate is stored once, makes no sample and no signal, also within one update', () => {
  const world = new JobWorld();
  assert.equal(world.update([CREATING, CREATING]), 1);
  assert.deepEqual(world.samples(), ['jobSubmitted=1']);
  assert.equal(world.update([CREATING, RUNNING]), 1);
  assert.deepEqual(world.samples(), []);
  assert.equal(jobOf(world).events.length, 2);
  const heard = world.actors.signals
    .filter(({ type }) => type === 'job.event')
    .map((signal) => (signal as JobEventSignal).event);
  assert.deepEqual(heard, [CREATING, RUNNING]);
});

test('samples go to the queue and to the system total, with their nanoseconds', () => {
  const world = new JobWorld();
  world.update([{ ...CREATING, timestamp: '2026-01-31T08:00:00.123456789Z' }]);
  const timeMs = Date.UTC(2026, 0, 31, 8, 0, 0, 123);
  assert.deepEqual(world.env.delivered, [
    { to: 'system-total', sample: ['jobSubmitted', timeMs, 456_789, 1] },
    { to: 'queue-q', sample: ['jobSubmitted', timeMs, 456_789, 1] },
  ]);
});

test('an event that no level can hold is kept, and not counted', () => {
  const world = new JobWorld();
  const now = '2026-01-31T12:00:00Z';
  const old: JobEvent = { timestamp: '2026-01-20T08:00:00Z', eventType: 'Job-Creating' };
  const ahead: JobEvent = { timestamp: '2026-02-02T08:00:00Z', eventType: 'Job-Checkpointing' };
  assert.equal(world.update([old, { timestamp: now, eventType: 'Job-Checkpointing' }, ahead]), 3);
  assert.equal(jobOf(world).events.length, 3);
  assert.deepEqual(world.samples(), ['checkpointAttempt=1']);
});

test('the prices are those of the nodes that the job’s events name, also the events of earlier updates', () => {
  const world = new JobWorld();
  const batch = new WriteBatch();
  batch.put('nodeByOid', oidKey('i-a'), encodeNodePrice(priceOf('n-1', true, 0.5, 2)));
  world.actors.store.commit([batch.seal()]);
  world.update([CREATING]);
  world.update([RUNNING]);
  world.samples();
  world.update([SUCCEEDED], { cpus: 8 });
  assert.deepEqual(world.samples(), ['runtime=3600', 'coreTime=28800', 'jobCost=0.5', 'onDemandSavings=1.5']);
});

test('a job that is opened again adds at its next end what the first did not count', () => {
  const world = new JobWorld();
  world.update(LIFE);
  assert.equal(statusOf(world), 'Succeeded');
  world.samples();
  world.update([event('10:00:00', 'Job-Running')]);
  assert.equal(statusOf(world), 'Running');
  world.update([event('10:10:00', 'Job-Failed')]);
  assert.equal(statusOf(world), 'Failed');
  // 10:10:00 − 08:00:30 is 7770 s, of which 3600 were counted; 600 s more were run.
  assert.deepEqual(world.samples(), ['runtime=4170', 'coreTime=600']);
});

test('a finished job is forgotten soon, and read again with everything it had counted', () => {
  const world = new JobWorld();
  world.update(LIFE, { cpus: 2 });
  world.samples();
  world.actors.pass(31_000);
  assert.equal(world.actors.system.countOf('job'), 0);
  assert.equal(world.update(LIFE), 0);
  assert.deepEqual(world.samples(), []);
  world.update([event('10:00:00', 'Job-Running'), event('10:10:00', 'Job-Stopped')]);
  assert.deepEqual(world.samples(), ['runtime=4170', 'coreTime=1200'], 'cpus and what was counted were read again');
});

test('a job leaves memory some seconds after its last update, whether it runs or has ended', () => {
  const world = new JobWorld();
  world.update([CREATING]);
  world.actors.pass(4_000);
  assert.equal(world.actors.system.countOf('job'), 1);
  world.actors.pass(2_000);
  assert.equal(world.actors.system.countOf('job'), 0);
  assert.equal(statusOf(world), 'Creating');
});

test('after a restart nothing is lost and nothing is counted twice', () => {
  const world = new JobWorld();
  world.update([CREATING, RUNNING]);
  const before = world.job();
  world.samples();
  world.restart();
  assert.equal(world.update([CREATING, RUNNING]), 0);
  assert.deepEqual(world.job(), before);
  assert.deepEqual(world.samples(), []);
  world.update([SUCCEEDED]);
  assert.deepEqual(world.samples(), END_SAMPLES);
});

test('what an update does not mention stays, and null mentions nothing', () => {
  const world = new JobWorld();
  world.update([], { name: 'first', cpus: 2, memoryInMB: 512, maxRootFSUsageMB: 10, batchJobIds: ['b-2', 'b-1'] });
  world.update([], { name: null, cpus: null, memoryInMB: null, maxRootFSUsageMB: null, batchJobIds: null });
  world.update([CREATING], { memoryInMB: 0, batchJobIds: ['b-3', 'b-2'] });
  const { name, cpus, memoryInMB, maxRootFSUsageMB, batchJobIds } = jobOf(world);
  assert.deepEqual([name, cpus, memoryInMB, maxRootFSUsageMB], ['first', 2, 0, 10]);
  assert.deepEqual(
    batchJobIds,
    ['b-2', 'b-1', 'b-3'],
    'a union in the order of first sight; b-1 of the event is known',
  );
});

test('volumes and batch ids of events join the union in the order of their times', () => {
  const world = new JobWorld();
  world.update([
    event('08:00:20', 'Volume-Created', { volumnId: 'vol-2' }),
    event('08:00:10', 'Volume-Created', { volumnId: 'vol-1' }),
    event('08:00:30', 'Job-Creating', { batchJobId: 'b-9' }),
  ]);
  world.update([event('08:00:05', 'Volume-Created', { volumnId: 'vol-0' })]);
  assert.deepEqual(jobOf(world).volumeIds, ['vol-1', 'vol-2', 'vol-0']);
  assert.deepEqual(jobOf(world).batchJobIds, ['b-9']);
});

test('a job without events is stored as Unknown, and its times are those of its arrival', () => {
  const world = new JobWorld();
  const received = new Date(world.actors.clock.wallMs()).toISOString();
  world.update([]);
  world.actors.clock.advance(HOUR_MS);
  world.update([], { name: 'later' });
  const job = jobOf(world);
  assert.deepEqual([job.status, job.createdAt, job.updatedAt], ['Unknown', received, received]);
  assert.deepEqual(world.samples(), []);
  assert.equal(world.rows('series'), 0, 'no sample, no series');
});

test('a queue’s first sample makes its series known, once', () => {
  const world = new JobWorld();
  world.update([CREATING]);
  assert.equal(world.env.series, QUEUE_METRICS.length);
  assert.ok(QUEUE_METRICS.every((metric) => hasSeries(world.actors.store, 'queue-q', metric)));
  world.update([CREATING], { id: 'j-2' });
  assert.equal(world.env.series, QUEUE_METRICS.length);
  world.update([CREATING], { id: 'j-3', queueName: 'night/long' });
  assert.equal(world.env.series, 2 * QUEUE_METRICS.length);
});

test('the index by creation follows an earlier first event, and the index of ended jobs follows the status', () => {
  const world = new JobWorld();
  const at = (clock: string): bigint => BigInt(Date.parse(`2026-01-31T${clock}Z`)) * 1_000_000n;
  world.update([RUNNING]);
  assert.deepEqual(created(world), [[at('08:00:30'), 'j-1']]);
  world.update([CREATING]);
  assert.deepEqual(created(world), [[at('08:00:00'), 'j-1']]);
  assert.deepEqual(ended(world), []);
  world.update([SUCCEEDED]);
  assert.deepEqual(ended(world), [[at('09:00:30'), 'j-1', 'Succeeded']]);
  world.update([event('09:30:00', 'Volume-Detached')]);
  assert.deepEqual(ended(world), [[at('09:30:00'), 'j-1', 'Succeeded']]);
  world.update([event('10:00:00', 'Job-Running')]);
  assert.deepEqual(ended(world), [], 'it was opened again');
  assert.deepEqual(created(world), [[at('08:00:00'), 'j-1']]);
});

/** `count` events of one second each that no folding can take away. */
function unfoldable(from: number, count: number): JobEvent[] {
  return Array.from({ length: count }, (_, i) => eventAt(from + i, 'Volume-Created', { volumnId: 'v' }));
}

test('events beyond ten thousand that cannot be folded are refused, and nothing of the update is taken', () => {
  const world = new JobWorld();
  assert.equal(world.update(unfoldable(0, 10_000)), 10_000);
  const answer = world.send(unfoldable(10_000, 1), { name: 'changed' });
  world.actors.settle();
  assert.equal(answer.failure?.name, 'invalid');
  assert.deepEqual(Object.keys(answer.failure?.fields ?? {}), ['events']);
  const job = jobOf(world);
  assert.deepEqual([job.name, job.events.length], [undefined, 10_000]);
  assert.equal(world.update(unfoldable(0, 1), { name: 'known events are no growth' }), 0);
});

test('a job that has as many events as it may can still end, a bounded number of times', () => {
  const world = new JobWorld();
  world.update(unfoldable(0, 10_000));
  assert.equal(world.update([eventAt(10_000, 'Job-Succeeded')]), 1);
  assert.deepEqual([jobOf(world).status, jobOf(world).events.length], ['Succeeded', 10_001]);
  for (let i = 1; i < 100; i++) world.update([eventAt(10_000 + i, 'Job-Failed')]);
  assert.equal(jobOf(world).events.length, 10_100);
  const answer = world.send([eventAt(10_100, 'Job-Failed')]);
  world.actors.settle();
  assert.equal(answer.failure?.name, 'invalid');
});

test('beyond ten thousand the oldest checkpoint pairs are folded, and come again in vain', () => {
  const world = new JobWorld();
  const pairs = Array.from({ length: 5_001 }, (_, i) => [
    eventAt(2 * i, 'Job-Checkpointing'),
    eventAt(2 * i + 1, 'Job-CheckpointSucceeded'),
  ]).flat();
  world.update([...pairs.slice(0, 10_000)]);
  world.samples();
  world.update(pairs.slice(10_000));
  assert.equal(jobOf(world).events.length, 10_000);
  assert.deepEqual(world.samples(), ['checkpointAttempt=1', 'checkpointSuccess=1', 'checkpointTime=1']);
  world.restart();
  assert.equal(world.update(pairs.slice(0, 20)), 0, 'what was folded is known, also after a restart');
  assert.deepEqual(world.samples(), []);
});

test('a checkpoint pair that is folded leaves the row that it is in', () => {
  const world = new JobWorld();
  const pairs = Array.from({ length: 5_001 }, (_, i) => [
    eventAt(2 * i, 'Job-Checkpointing'),
    eventAt(2 * i + 1, 'Job-CheckpointSucceeded'),
  ]).flat();
  for (let i = 0; i < 10_000; i += 500) world.update(pairs.slice(i, i + 500));
  const rows = world.rows('jobEvent');
  world.update(pairs.slice(10_000));
  assert.deepEqual(jobOf(world).events, [...pairs.slice(0, 2), ...pairs.slice(4)]);
  assert.equal(world.rows('jobEvent'), rows);
});

const expire = (succeededBeforeMs: number, failedBeforeMs: number) => ({
  type: 'expire' as const,
  succeededBeforeMs,
  failedBeforeMs,
});
const ENDED_MS = Date.parse('2026-01-31T09:00:30Z');

test('an ended job whose time is up goes with the rows of its events', () => {
  const world = new JobWorld();
  world.update(unfoldable(0, 200));
  world.update([event('09:00:30', 'Job-Failed')]);
  assert.ok(world.rows('jobEvent') > 0);
  assert.deepEqual(world.actors.reply(jobAddress('j-1'), expire(0, ENDED_MS + 1)), { removed: true });
  assert.equal(world.rows('jobEvent'), 0);
  assert.equal(world.update([event('10:00:00', 'Job-Running')]), 1);
  assert.deepEqual(jobOf(world).events, [event('10:00:00', 'Job-Running')]);
});

test('what an update of a long job writes does not grow with the job', () => {
  const world = new JobWorld();
  const writtenBy = (from: number): number => {
    world.send(unfoldable(from, 1));
    const { unflushedBytes } = world.actors.system;
    world.actors.settle();
    return unflushedBytes;
  };
  world.update(unfoldable(0, 1_000));
  const early = writtenBy(1_000);
  world.update(unfoldable(1_001, 8_000));
  const late = writtenBy(9_001);
  assert.ok(late < early + 100, `${late} bytes with 9,000 events, ${early} with 1,000`);
});

test('an ended job whose time is up goes with its index rows, and says so', () => {
  const world = new JobWorld();
  world.update(LIFE);
  const address = jobAddress('j-1');
  assert.deepEqual(world.actors.reply(address, expire(ENDED_MS, ENDED_MS + HOUR_MS)), { removed: false });
  assert.deepEqual(world.actors.reply(address, expire(ENDED_MS + 1, 0)), { removed: true });
  assert.equal(world.rows('job') + world.rows('jobByCreated') + world.rows('jobIndex'), 0);
  assert.deepEqual(world.actors.signals.at(-1), { type: 'job.removed', job: 'j-1', queue: 'q' });
  assert.deepEqual(world.actors.reply(address, expire(ENDED_MS + 1, 0)), { removed: false }, 'it is gone already');
});

test('failed and stopped jobs have a time of their own', () => {
  for (const end of ['Job-Failed', 'Job-Stopped']) {
    const world = new JobWorld();
    world.update([RUNNING, event('09:00:30', end)]);
    assert.deepEqual(world.actors.reply(jobAddress('j-1'), expire(ENDED_MS + 1, ENDED_MS)), { removed: false });
    assert.deepEqual(world.actors.reply(jobAddress('j-1'), expire(0, ENDED_MS + 1)), { removed: true });
  }
});

test('a job that has not ended, or was opened again, is never removed', () => {
  const far = ENDED_MS + 1_000 * HOUR_MS;
  for (const last of ['Job-Running', 'Job-RestoreFailed', 'Volume-Unready', 'Job-Creating']) {
    const world = new JobWorld();
    world.update([...LIFE, event('10:00:00', last)]);
    assert.deepEqual(world.actors.reply(jobAddress('j-1'), expire(far, far)), { removed: false }, last);
    assert.equal(world.rows('job'), 1);
  }
});

test('a job that was removed and is heard of again is a new one', () => {
  const world = new JobWorld();
  world.update(LIFE, { cpus: 4 });
  world.actors.reply(jobAddress('j-1'), expire(ENDED_MS + 1, 0));
  world.samples();
  assert.equal(world.update([CREATING]), 1);
  assert.deepEqual(world.samples(), ['jobSubmitted=1']);
  assert.equal(jobOf(world).cpus, undefined);
});

test('large updates of many jobs are not handled in one turn, however they come', () => {
  const world = new JobWorld();
  const events = Array.from({ length: 200 }, (_, i) => eventAt(i, 'Job-Running'));
  for (let i = 0; i < 10; i++) world.send(events, { id: `j-${i}` });
  world.actors.turn();
  world.actors.commitOne();
  const first = world.rows('job');
  assert.ok(first > 0 && first < 10, `${first} jobs in the first turn`);
  world.actors.settle();
  assert.equal(world.rows('job'), 10);
});
