/** Pages that a shard makes itself are those of the pool, and those that may take long are left to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_SORTS, type JobQuery } from '../../../../src/protocol/lists/job-query.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { jobList, shortPage } from '../../../../src/workers/jobs/job-list.ts';
import type { JobListTask } from '../../../../src/workers/task/task.ts';
import { JobShelf } from '../../../support/job-shelf.ts';

const JSON_STYLE = { format: 'json', fields: null } as const;

function shelfOf(count: number, name = 'n'): MemoryStore {
  const store = new MemoryStore();
  const shelf = new JobShelf(store);
  const jobs = Array.from({ length: count }, (_, i) => ({
    id: `j-${String(i).padStart(4, '0')}`,
    queueName: `q-${i % 3}`,
    name,
    times: ['2026-01-31T08:00:00Z', new Date(Date.UTC(2026, 0, 31, 9) + ((i * 7) % 50) * 1_000).toISOString()],
    last: i % 2 === 0 ? 'Job-Running' : 'Job-Failed',
    node: `i-${i % 5}`,
  }));
  shelf.put(...jobs);
  return store;
}

function taskOf(more: Partial<JobQuery> = {}, task: Partial<JobListTask> = {}): JobListTask {
  const query: JobQuery = { by: 'updatedAt', descending: true, filter: {}, ...more };
  return {
    type: 'jobList',
    query,
    after: null,
    limit: 10,
    style: JSON_STYLE,
    nowMs: Date.UTC(2026, 0, 31, 10),
    ...task,
  } as JobListTask;
}

async function fromPool(store: MemoryStore, task: JobListTask): Promise<{ next: string | null; text: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of jobList(store, task)) chunks.push(Buffer.from(chunk));
  const { next } = JSON.parse((chunks.shift() as Buffer).toString('utf8')) as { next: string | null };
  return { next, text: Buffer.concat(chunks).toString('utf8') };
}

test('a short page is the page of the pool, byte for byte, and names the same next one', async () => {
  const store = shelfOf(60);
  const filters: JobQuery['filter'][] = [
    {},
    { queues: ['q-1'] },
    { statuses: ['Failed'] },
    { queues: ['q-2'], statuses: ['Running', 'Failed'] },
    { queues: ['q-0'], statuses: ['Running'], nodes: ['i-1', 'i-2'] },
    { queues: ['nobody’s'] },
  ];
  for (const filter of filters) {
    for (const by of JOB_SORTS) {
      const task = taskOf({ by, filter, descending: by === 'updatedAt' });
      const short = shortPage(store, task);
      assert.ok(short);
      const pool = await fromPool(store, task);
      assert.equal(Buffer.from(short.bytes).toString('utf8'), pool.text);
      assert.equal(short.next && Buffer.from(short.next).toString('base64url'), pool.next);
    }
  }
});

test('what may take long is left to the pool: many rows, long jobs, a search, times in another order', () => {
  const store = shelfOf(60);
  assert.equal(shortPage(store, taskOf({}, { limit: null })), undefined);
  assert.equal(shortPage(store, taskOf({}, { limit: 201 })), undefined);
  assert.equal(shortPage(store, taskOf({ filter: { q: 'j-0001' } })), undefined);
  assert.equal(shortPage(store, taskOf({ by: 'name', filter: { createdAfter: 1n } })), undefined);
  assert.ok(shortPage(store, taskOf({}, { limit: 60 })));
  assert.equal(shortPage(shelfOf(60, 'x'.repeat(10_000)), taskOf({}, { limit: 60 })), undefined);
});

test('a page whose search takes long is left to the pool', () => {
  const store = shelfOf(300);
  // Whether a job is stranded depends on its node: each one must be looked at, and none is of the other phase.
  assert.equal(shortPage(store, taskOf({ filter: { phases: ['succeeded'] } })), undefined);
  assert.ok(shortPage(store, taskOf({ filter: { phases: ['stranded'] } })));
});

test('what a job stands to lose, when it was saved, when and why it ended, is told on request, and never from the short page', async () => {
  const store = shelfOf(4);
  const style = {
    format: 'json',
    fields: ['id', 'status', 'workAtRisk', 'lastCheckpointAt', 'statusSince', 'lastEventDetail', 'phase'],
  } as const;
  const task = taskOf({ by: 'createdAt', descending: false }, { style, limit: 2 });
  assert.equal(shortPage(store, task), undefined);
  const { text } = await fromPool(store, task);
  assert.deepEqual(JSON.parse(text), [
    {
      id: 'j-0000',
      status: 'Running',
      workAtRisk: 3_600,
      lastCheckpointAt: null,
      statusSince: '2026-01-31T09:00:00.000Z',
      lastEventDetail: null,
      phase: 'stranded',
    },
    {
      id: 'j-0001',
      status: 'Failed',
      workAtRisk: null,
      lastCheckpointAt: null,
      statusSince: '2026-01-31T09:00:07.000Z',
      lastEventDetail: null,
      phase: 'failed',
    },
  ]);
});
