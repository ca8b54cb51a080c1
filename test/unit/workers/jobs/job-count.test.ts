/** Counting jobs goes in slices, and counts each once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobCount, JobCountKey, JobFilter } from '../../../../src/protocol/lists/job-query.ts';
import { mustParseTimestamp } from '../../../../src/protocol/timestamp.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import type { Table } from '../../../../src/store/kv/tables.ts';
import { jobCount } from '../../../../src/workers/jobs/job-count.ts';
import { JobShelf } from '../../../support/job-shelf.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString();

async function countOf(store: MemoryStore, by: JobCountKey, filter: JobFilter, slice?: number): Promise<JobCount> {
  let text = '';
  for await (const chunk of jobCount(store, { by, filter }, slice, slice)) text += Buffer.from(chunk).toString('utf8');
  return JSON.parse(text) as JobCount;
}

test('jobs are counted by queue, status and phase, the same in slices of any size', async () => {
  const store = new MemoryStore();
  const shelf = new JobShelf(store);
  assert.deepEqual(await countOf(store, 'phase', {}), { total: 0, counts: {} });
  const lasts = ['Job-Succeeded', 'Job-Failed', 'Job-Running'];
  for (let i = 0; i < 30; i++) {
    const last = lasts[i % 3] as string;
    shelf.put({ id: `j-${i}`, queueName: `q${i % 2}`, times: [at(0), at(i)], last, node: i % 2 === 0 ? '' : 'i-gone' });
  }
  for (const sliceCost of [1, 40, 1_000_000]) {
    assert.deepEqual(await countOf(store, 'queue', {}, sliceCost), { total: 30, counts: { q0: 15, q1: 15 } });
    const statuses = { Failed: 10, Running: 10, Succeeded: 10 };
    assert.deepEqual(await countOf(store, 'status', {}, sliceCost), { total: 30, counts: statuses });
    const createdAfter = mustParseTimestamp('2026-01-31T11:00:00Z');
    assert.deepEqual(await countOf(store, 'status', { createdAfter }, sliceCost), { total: 30, counts: statuses });
    const phases = { failed: 10, running: 5, stranded: 5, succeeded: 10 };
    assert.deepEqual(await countOf(store, 'phase', { createdAfter }, sliceCost), { total: 30, counts: phases });
    assert.deepEqual(await countOf(store, 'phase', {}, sliceCost), { total: 30, counts: phases });
    const updates: JobFilter = { updatedAfter: mustParseTimestamp(at(9)), updatedBefore: mustParseTimestamp(at(13)) };
    const late = { phase: { failed: 1, stranded: 1, succeeded: 1 }, status: { Failed: 1, Running: 1, Succeeded: 1 } };
    for (const by of ['phase', 'status'] as const)
      assert.deepEqual(await countOf(store, by, updates, sliceCost), { total: 3, counts: late[by] });
    assert.deepEqual(await countOf(store, 'queue', { ...updates, statuses: ['Running', 'Failed'] }, sliceCost), {
      total: 2,
      counts: { q0: 1, q1: 1 },
    });
    const filter: JobFilter = { queues: ['q1'], statuses: ['Running', 'Failed'], phases: ['stranded', 'failed'] };
    assert.deepEqual(await countOf(store, 'status', filter, sliceCost), {
      total: 10,
      counts: { Failed: 5, Running: 5 },
    });
  }
});

/** Tells which records are read. */
class WatchedStore extends MemoryStore {
  readonly read: string[] = [];

  override view(table: Table, key: Uint8Array): Uint8Array | undefined {
    if (table === 'job') this.read.push(Buffer.from(key).toString());
    return super.view(table, key);
  }
}

test('by phase, the records of those jobs alone are read whose node is gone while they go on', async () => {
  const store = new WatchedStore();
  const shelf = new JobShelf(store);
  for (const [id, last, node] of [
    ['done', 'Job-Succeeded', 'i-gone'],
    ['broken', 'Job-Failed', 'i-gone'],
    ['halted', 'Job-Stopped', 'i-gone'],
    ['busy', 'Job-Running', ''],
    ['left', 'Job-Running', 'i-gone'],
  ] as const)
    shelf.put({ id, queueName: 'q', times: [at(0), at(1)], last, node });
  store.read.length = 0;
  const counts = { failed: 1, running: 1, stopped: 1, stranded: 1, succeeded: 1 };
  assert.deepEqual(await countOf(store, 'phase', {}), { total: 5, counts });
  assert.deepEqual(store.read, ['left']);
});

test('by phase and time, and by phase and text, no record is read to count a job that has ended', async () => {
  const store = new WatchedStore();
  const shelf = new JobShelf(store);
  shelf.put({ id: 'done', queueName: 'q', times: [at(1), at(2)], last: 'Job-Succeeded', node: '' });
  shelf.put({ id: 'busy', queueName: 'q', times: [at(1), at(2)], last: 'Job-Running', node: '' });
  const reads = (id: string): number => store.read.filter((one) => one === id).length;
  const after = mustParseTimestamp(at(0));
  for (const filter of [{ createdAfter: after }, { updatedAfter: after }]) {
    store.read.length = 0;
    assert.deepEqual(await countOf(store, 'phase', filter), { total: 2, counts: { running: 1, succeeded: 1 } });
    assert.equal(reads('done'), 0);
    assert.ok(reads('busy') > 0);
  }
  store.read.length = 0;
  // To look for the text may take a look at each.
  assert.deepEqual(await countOf(store, 'phase', { q: 'q' }), { total: 2, counts: { running: 1, succeeded: 1 } });
  assert.equal(reads('busy') - reads('done'), 1);
});

test('no job lies between two times the wrong way round', async () => {
  const store = new MemoryStore();
  new JobShelf(store).put({ id: 'j', queueName: 'q', times: [at(1), at(5)], last: 'Job-Succeeded', node: '' });
  const filter = { updatedAfter: mustParseTimestamp(at(9)), updatedBefore: mustParseTimestamp(at(3)) };
  assert.deepEqual(await countOf(store, 'queue', filter), { total: 0, counts: {} });
});
