/** Counts and the list of queues are made from rows of indexes; they say what all records say, one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../src/protocol/job.ts';
import { JOB_COUNT_KEYS, type JobCount, type JobCountKey, type JobFilter } from '../../src/protocol/lists/job-query.ts';
import { PHASES, type Phase, phaseOf } from '../../src/protocol/phase.ts';
import type { Queue } from '../../src/protocol/queue.ts';
import { type EpochNs, mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { textKey } from '../../src/store/kv/keys.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { encodeNodePrice, encodeNodeRecord, type NodeRecord, oidKey } from '../../src/store/records/node-record.ts';
import { jobCount } from '../../src/workers/jobs/job-count.ts';
import { queueList } from '../../src/workers/jobs/queue-list.ts';
import { priceOf } from '../support/job-events.ts';
import { JobShelf, type ShelfJob } from '../support/job-shelf.ts';
import fc from '../support/laws/fast-check.ts';

const STATES = { 'i-alive': 'alive', 'i-lost': 'lost', 'i-left': 'deregistered' } as const;
const GONE = ['i-lost', 'i-left', 'i-never', 'i-\0'];
const QUEUES = ['q', 'qq', 'a/b', 'other one'];
const STATUSES = ['Creating', 'Running', 'Restoring', 'Succeeded', 'Failed', 'Stopped'];
/** The same moment in two ways, among others. */
const TIMES = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', '2026-01-01T00:00:01.0Z', '2026-01-01T00:00:02Z'];

const shelfJobs: fc.Arbitrary<ShelfJob[]> = fc
  .array(
    fc.record({
      queueName: fc.constantFrom(...QUEUES),
      last: fc.constantFrom(...STATUSES.map((status) => `Job-${status}`)),
      node: fc.constantFrom('', ...Object.keys(STATES), ...GONE),
      times: fc.tuple(fc.constantFrom(...TIMES), fc.constantFrom(...TIMES)).map((times) => times.sort(byTime)),
    }),
    { maxLength: 40 },
  )
  .map((jobs) => jobs.map((job, i) => ({ ...job, id: `job-${(i * 7) % 41}` })));

const time = fc.constantFrom(...TIMES).map(mustParseTimestamp);
const groups: fc.Arbitrary<JobFilter> = fc.record(
  {
    queues: fc.subarray([...QUEUES, 'nobody’s']),
    statuses: fc.subarray(STATUSES),
    phases: fc.subarray([...PHASES]),
  },
  { requiredKeys: [] },
);
const updates: fc.Arbitrary<JobFilter> = fc.record({ updatedAfter: time, updatedBefore: time }, { requiredKeys: [] });
const creations: fc.Arbitrary<JobFilter> = fc.record({ createdAfter: time, createdBefore: time }, { requiredKeys: [] });
const allOf = (...some: fc.Arbitrary<JobFilter>[]): fc.Arbitrary<JobFilter> =>
  fc.tuple(...some).map((filters) => Object.assign({}, ...filters) as JobFilter);
/** Most filters of all kinds leave no job, so each kind comes by itself as well. */
const filter = fc.oneof(groups, updates, creations, allOf(groups, updates), allOf(groups, creations, updates));
const turnRows = fc.constantFrom(1, 500, 1_000_000);

function shelfOf(jobs: readonly ShelfJob[]): JobShelf {
  const store = new MemoryStore();
  const batch = new WriteBatch();
  for (const [oid, state] of Object.entries(STATES)) {
    const id = oid.slice(2);
    const ended = { factsJson: '{}', registeredAtMs: 0, endedAtMs: null, lastBeatWallMs: 0 };
    batch.put('node', textKey(id), encodeNodeRecord({ ...ended, state: state satisfies NodeRecord['state'] }));
    batch.put('nodeByOid', oidKey(oid), encodeNodePrice(priceOf(id, true, 1, 1)));
  }
  store.commit([batch.seal()]);
  const shelf = new JobShelf(store);
  shelf.put(...jobs);
  return shelf;
}

function byTime(a: string, b: string): number {
  return Number(mustParseTimestamp(a) - mustParseTimestamp(b));
}

function phaseBy(job: Job): Phase {
  return phaseOf(job.status, () => GONE.includes(job.nodeOid));
}

async function jsonOf<T>(chunks: AsyncIterable<Uint8Array>): Promise<T> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString('utf8');
  return JSON.parse(text) as T;
}

function isWithin(at: string, after: EpochNs | undefined, before: EpochNs | undefined): boolean {
  const ns = mustParseTimestamp(at);
  return (after === undefined || ns > after) && (before === undefined || ns < before);
}

function countsOf(jobs: readonly Job[], by: JobCountKey, asked: JobFilter): JobCount {
  const { queues, statuses, phases } = asked;
  const counts: Record<string, number> = {};
  let total = 0;
  for (const job of jobs) {
    if (!isWithin(job.createdAt, asked.createdAfter, asked.createdBefore)) continue;
    if (!isWithin(job.updatedAt, asked.updatedAfter, asked.updatedBefore)) continue;
    if (queues && !queues.includes(job.queueName)) continue;
    if (statuses && !statuses.includes(job.status)) continue;
    if (phases && !phases.includes(phaseBy(job))) continue;
    const name = by === 'phase' ? phaseBy(job) : by === 'status' ? job.status : job.queueName;
    counts[name] = (counts[name] ?? 0) + 1;
    total++;
  }
  return { total, counts };
}

function queuesOf(jobs: readonly Job[], seen: readonly string[] | null): Queue[] {
  const names = [...new Set(jobs.map(({ queueName }) => queueName))].sort();
  return names
    .filter((name) => !seen || seen.includes(name))
    .map((name) => {
      const own = jobs.filter(({ queueName }) => queueName === name).sort((a, b) => (a.id < b.id ? -1 : 1));
      const phases = Object.fromEntries(PHASES.map((phase) => [phase, 0])) as Record<Phase, number>;
      let newest = own[0] as Job;
      for (const job of own) {
        phases[phaseBy(job)]++;
        if (mustParseTimestamp(job.updatedAt) > mustParseTimestamp(newest.updatedAt)) newest = job;
      }
      return { name, total: own.length, phases, updatedAt: newest.updatedAt };
    });
}

test('jobs are counted by phase, status and queue, with any filter of these and of times, as their records say', async () => {
  await fc.assert(
    fc.asyncProperty(shelfJobs, fc.constantFrom(...JOB_COUNT_KEYS), filter, turnRows, async (jobs, by, asked, rows) => {
      const shelf = shelfOf(jobs);
      const counted = await jsonOf<JobCount>(jobCount(shelf.store, { by, filter: asked }, undefined, rows));
      assert.deepEqual(counted, countsOf(shelf.jobs, by, asked));
    }),
    { numRuns: 600 },
  );
});

test('the list of queues says of each what the records of its jobs say, to everybody who sees it', async () => {
  const seen = fc.option(fc.subarray(QUEUES), { nil: null });
  await fc.assert(
    fc.asyncProperty(shelfJobs, seen, turnRows, async (jobs, queues, rows) => {
      const shelf = shelfOf(jobs);
      assert.deepEqual(await jsonOf(queueList(shelf.store, queues, rows)), queuesOf(shelf.jobs, queues));
    }),
    { numRuns: 200 },
  );
});
