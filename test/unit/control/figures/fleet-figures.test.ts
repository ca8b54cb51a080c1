/** Jobs and nodes in /metrics (contract section 13), from records as the actors write them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexedJobOf, jobOf } from '../../../../src/actors/job/derive.ts';
import { JobTotals, OTHER_QUEUES } from '../../../../src/actors/job/job-totals.ts';
import { ManualClock } from '../../../../src/base/clock.ts';
import { type MetricSnapshot, renderPrometheus } from '../../../../src/base/metrics.ts';
import { FleetFigures } from '../../../../src/control/figures/fleet-figures.ts';
import { PacedReading } from '../../../../src/control/figures/paced-reading.ts';
import { QueueNames } from '../../../../src/control/figures/queue-names.ts';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import type { Table } from '../../../../src/store/kv/tables.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { jobIndexWrites } from '../../../../src/store/records/job-index.ts';
import { encodeJobRecord } from '../../../../src/store/records/job-record.ts';
import { encodeNodeRecord, endedKey, type NodeRecord } from '../../../../src/store/records/node-record.ts';
import { jobFigures } from '../../../../src/workers/jobs/job-figures.ts';
import { endedNodeFigures } from '../../../../src/workers/rows/ended-node-figures.ts';
import type { JobFigures } from '../../../../src/workers/task/figures-task.ts';
import type { AnswerTask } from '../../../../src/workers/task/task.ts';
import { eventAt, jobWith } from '../../../support/job-events.ts';
import { JobShelf } from '../../../support/job-shelf.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const at = (second: number): string => new Date(NOON + second * 1000).toISOString();

function world(named = 200) {
  const store = new MemoryStore();
  const clock = new ManualClock(NOON + 100_000);
  const asked: AnswerTask[] = [];
  const host = {
    reader: store,
    clock,
    answer: async (task: AnswerTask) => {
      asked.push(task);
      if (task.type === 'jobFigures') return jobFigures(store, { ...task, limit: 2 }) as never;
      if (task.type === 'endedNodeFigures') return endedNodeFigures(store, { ...task, limit: 2 }) as never;
      throw new Error(task.type);
    },
  };
  return { store, clock, asked, shelf: new JobShelf(store), figures: new FleetFigures(host, new QueueNames(named)) };
}

/** A job with these events from noon on, ten seconds apart. */
function putJob(store: MemoryStore, types: readonly string[]): void {
  const state = jobWith(types.map((type, i) => eventAt(43_200 + 10 * i, `Job-${type}`)));
  const job = jobOf(state);
  const batch = new WriteBatch();
  batch.put('job', textKey(job.id), encodeJobRecord({ receivedAtMs: 0, counted: null, folded: null }, job));
  for (const { table, key, value } of jobIndexWrites(null, indexedJobOf(state)))
    if (value) batch.put(table, key, value);
  store.commit([batch.seal()]);
}

function linesOf(snapshots: readonly MetricSnapshot[], name: string): string[] {
  const lines = renderPrometheus(snapshots).split('\n');
  return lines
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) => line.slice(name.length))
    .sort();
}

function job(id: string, queueName: string, last: string, second = 0) {
  return { id, queueName, times: [at(second), at(second + 10)], last, node: 'i-1' };
}

test('jobs are counted by status and queue, and what running ones would lose grows with time', async () => {
  const { clock, shelf, figures } = world();
  shelf.put(
    job('a', 'q', 'Job-Running'),
    job('b', 'q', 'Job-Running', 20),
    job('c', 'q', 'Job-Succeeded'),
    job('d', 'r "1"', 'Job-Failed'),
    job('e', 'r "1"', 'Job-Running', 50),
  );
  const first = await figures.snapshots([]);
  assert.deepEqual(linesOf(first, 'cairn_jobs'), [
    '{status="Failed",queue="r \\"1\\""} 1',
    '{status="Running",queue="q"} 2',
    '{status="Running",queue="r \\"1\\""} 1',
    '{status="Succeeded",queue="q"} 1',
  ]);
  assert.deepEqual(linesOf(first, 'cairn_work_at_risk_seconds'), ['{queue="q"} 160', '{queue="r \\"1\\""} 40']);
  assert.deepEqual(linesOf(first, 'cairn_oldest_checkpoint_seconds'), ['{queue="q"} 90', '{queue="r \\"1\\""} 40']);
  clock.advance(5_000);
  const later = await figures.snapshots([]);
  assert.deepEqual(linesOf(later, 'cairn_work_at_risk_seconds'), ['{queue="q"} 170', '{queue="r \\"1\\""} 45']);
  assert.deepEqual(linesOf(later, 'cairn_oldest_checkpoint_seconds'), ['{queue="q"} 95', '{queue="r \\"1\\""} 45']);
});

test('a checkpoint that succeeded is what age and work at risk count from; one that did not is not', async () => {
  const { store } = world();
  const types = ['Running', 'Checkpointing', 'CheckpointSucceeded', 'Checkpointing', 'CheckpointFailed'];
  putJob(store, types);
  const found = await jobFigures(store, { type: 'jobFigures', afterKey: null, limit: 9, nowMs: NOON + 100_000 });
  assert.deepEqual(found.queues, [
    {
      queue: 'q',
      statuses: [['CheckpointFailed', 1]],
      running: 1,
      growing: 1,
      atRiskSeconds: 90,
      unsavedSeconds: 90,
      unsavedGrowing: 1,
      oldestMs: NOON + 10_000,
    },
  ]);
});

test('a job that ended before the outcome of its last checkpoint came loses no more as time passes', async () => {
  const { store, clock, figures } = world();
  putJob(store, ['Running', 'Checkpointing', 'Succeeded', 'CheckpointSucceeded']);
  const atRisk = async () => linesOf(await figures.snapshots([]), 'cairn_work_at_risk_seconds');
  assert.deepEqual(await atRisk(), ['{queue="q"} 10']);
  clock.advance(5_000);
  assert.deepEqual(await atRisk(), ['{queue="q"} 10']);
});

test('running jobs of every status are looked at, each once, and no record of an ended one', async () => {
  const read: string[] = [];
  class WatchedStore extends MemoryStore {
    override view(table: Table, key: Uint8Array): Uint8Array | undefined {
      if (table === 'job') read.push(Buffer.from(key).toString());
      return super.view(table, key);
    }
  }
  const store = new WatchedStore();
  const shelf = new JobShelf(store);
  const lasts = ['Running', 'Checkpointing', 'CheckpointSucceeded', 'CheckpointFailed', 'RestoreSucceeded'];
  for (const [i, last] of [...lasts, ...lasts, 'Succeeded', 'Restoring', 'Created'].entries())
    shelf.put(job(`j-${i}`, 'q', `Job-${last}`));
  for (const limit of [1, 2, 3, 10, 11]) {
    read.length = 0;
    let running = 0;
    let counted = 0;
    for (let afterKey: Uint8Array | null = null, more = true; more; more = afterKey !== null) {
      const found: JobFigures = await jobFigures(store, { type: 'jobFigures', afterKey, limit, nowMs: NOON });
      for (const queue of found.queues) {
        running += queue.running;
        for (const [, count] of queue.statuses) counted += count;
      }
      afterKey = found.nextKey;
    }
    assert.deepEqual([running, counted], [10, 13], `in stretches of ${limit}`);
    assert.deepEqual(read.sort(), ['j-0', 'j-1', 'j-2', 'j-3', 'j-4', 'j-5', 'j-6', 'j-7', 'j-8', 'j-9']);
  }
});

test('nothing is read again while no job has changed', async () => {
  const { shelf, figures, asked } = world();
  shelf.put(job('a', 'q', 'Job-Running'));
  await figures.snapshots([]);
  const reads = asked.length;
  await figures.snapshots([]);
  assert.equal(asked.length, reads);
  shelf.put(job('b', 'q', 'Job-Running'));
  assert.deepEqual(linesOf(await figures.snapshots([]), 'cairn_jobs'), ['{status="Running",queue="q"} 2']);
});

test('live nodes are those of the shards, ended ones those of the store', async () => {
  const { store, figures } = world();
  const batch = new WriteBatch();
  const put = (id: string, state: NodeRecord['state'], payType: string): void => {
    const factsJson = JSON.stringify({ id, hostName: 'says "payType":"x"', instance: { payType } });
    const record = { factsJson, state, registeredAtMs: 0, endedAtMs: 1, lastBeatWallMs: 0 };
    batch.put('node', textKey(id), encodeNodeRecord(record));
    batch.put('nodeEnded', endedKey(1, id), new Uint8Array(0));
  };
  for (const id of ['a', 'b', 'c']) put(id, 'lost', 'Spot');
  put('d', 'deregistered', 'On "Demand"');
  store.commit([batch.seal()]);
  const shards = [
    { nodes: [['alive', 'Spot', 4] as const], jobTotals: [] },
    { nodes: [['alive', 'Spot', 1] as const, ['late', '', 2] as const], jobTotals: [] },
  ];
  const lines = linesOf(await figures.snapshots(shards), 'cairn_nodes');
  assert.deepEqual(
    lines.filter((line) => !line.endsWith(' 0')),
    [
      '{state="alive",pay_type="Spot"} 5',
      '{state="deregistered",pay_type="On \\"Demand\\""} 1',
      '{state="late",pay_type=""} 2',
      '{state="lost",pay_type="Spot"} 3',
    ],
  );
  // An increase of lost nodes shows only to who has seen a 0.
  assert.equal(lines.length, 4 * 3, 'each pay type has all states');
  assert.ok(lines.includes('{state="lost",pay_type=""} 0'));
});

test('the totals of all shards are added up, of sums only, by the plain name of the metric', async () => {
  const { figures } = world();
  const shard = (value: number) => {
    const totals = new JobTotals();
    const samples = [
      { metric: 'runtime', at: 0n, value },
      { metric: 'checkpointTime', at: 0n, value },
    ];
    totals.add({ type: 'job.samples', queue: 'q', samples } as never);
    totals.add({ type: 'job.samples', queue: 'q', samples } as never);
    totals.add({ type: 'job.event', queue: 'q', samples } as never);
    return { nodes: [], jobTotals: totals.totals() };
  };
  const lines = linesOf(await figures.snapshots([shard(1.5), shard(4)]), 'cairn_job_metric_total');
  assert.deepEqual(
    lines.filter((line) => !line.endsWith(' 0')),
    ['{definition="runtime",queue="q"} 11'],
  );
  assert.ok(!lines.some((line) => line.includes('checkpointTime')), 'a mean');
});

test('every sum of a queue with running jobs begins with 0, before its first event', async () => {
  const { shelf, figures } = world();
  shelf.put(job('a', 'busy', 'Job-Running'), job('b', 'idle', 'Job-Succeeded'));
  const lines = linesOf(await figures.snapshots([]), 'cairn_job_metric_total');
  assert.ok(lines.includes('{definition="checkpointFailure",queue="busy"} 0'));
  assert.ok(
    lines.every((line) => line.endsWith('queue="busy"} 0')),
    lines.join(),
  );
});

test('queues beyond the bound are one, the largest are named first, and a name stays', async () => {
  const { clock, shelf, figures } = world(2);
  shelf.put(job('a', 'x', 'Job-Running'), job('b', 'y', 'Job-Running'), job('c', 'y', 'Job-Running'));
  shelf.put(job('d', 'z', 'Job-Running'), job('e', 'z', 'Job-Running'), job('f', 'w', 'Job-Running'));
  const jobs = async () => {
    clock.advance(1_000);
    return linesOf(await figures.snapshots([]), 'cairn_jobs');
  };
  assert.deepEqual(await jobs(), [
    '{status="Running",queue="_other"} 2',
    '{status="Running",queue="y"} 2',
    '{status="Running",queue="z"} 2',
  ]);
  for (const id of ['b', 'c']) shelf.remove(id);
  shelf.put(job('g', 'w', 'Job-Running'), job('h', 'w', 'Job-Running'));
  assert.deepEqual(await jobs(), ['{status="Running",queue="_other"} 4', '{status="Running",queue="z"} 2']);
  shelf.put(job('i', 'y', 'Job-Running'));
  assert.ok((await jobs()).includes('{status="Running",queue="y"} 1'));
});

test('a queue without a name among 10,000 counts as another', () => {
  const names = new QueueNames();
  for (let i = 0; i < 250; i++) names.labelOf(`q${i}`);
  assert.equal(names.labelOf('q199'), 'q199');
  assert.equal(names.labelOf('q200'), '_other');
  assert.equal(names.labelOf(OTHER_QUEUES), '_other');
});

/** A reading of so many tasks, each of which waits for a busy machine. */
function paced(tasks: number) {
  const clock = new ManualClock();
  const changed = { version: 0 };
  let reads = 0;
  const reading = new PacedReading(
    clock,
    () => changed.version,
    async () => {
      clock.advance(3_000);
      return { value: ++reads, tasks };
    },
  );
  return { clock, changed, reading };
}

test('a reading of many tasks is made again only when twenty times the time of all but one has passed', async () => {
  const { clock, changed, reading } = paced(21);
  assert.equal(await reading.get(), 1);
  changed.version++;
  clock.advance(1_999);
  assert.equal(await reading.get(), 1);
  clock.advance(1);
  assert.deepEqual(await Promise.all([reading.get(), reading.get()]), [2, 2]);
});

test('what one task reads is as it is now, however long the task waited', async () => {
  const { changed, reading } = paced(1);
  assert.equal(await reading.get(), 1);
  changed.version++;
  assert.equal(await reading.get(), 2);
  assert.equal(await reading.get(), 2, 'nothing has changed');
});
