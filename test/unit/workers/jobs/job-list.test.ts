import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { jobList } from '../../../../src/workers/jobs/job-list.ts';
import type { JobListTask } from '../../../../src/workers/task/task.ts';
import { JobShelf } from '../../../support/job-shelf.ts';

function storeOf(count: number): MemoryStore {
  const store = new MemoryStore();
  const jobs = Array.from({ length: count }, (_, i) => ({
    id: `j-${String(i).padStart(4, '0')}`,
    queueName: 'q',
    times: ['2026-01-31T08:00:00Z'],
    last: 'Job-Running',
    node: 'i-1',
  }));
  new JobShelf(store).put(...jobs);
  return store;
}

/** The chunks behind the head, but for those that are empty. */
async function chunksOf(store: MemoryStore, format: 'json' | 'ndjson' | 'csv'): Promise<string[]> {
  const query = { by: 'createdAt', descending: false, filter: {} } as const;
  const style = { format, fields: null } as const;
  const task: JobListTask = { type: 'jobList', query, after: null, limit: null, style, isBound: false, nowMs: 0 };
  const chunks: string[] = [];
  for await (const chunk of jobList(store, task)) chunks.push(Buffer.from(chunk).toString('utf8'));
  return chunks.slice(1).filter((chunk) => chunk !== '');
}

test('a whole list begins with a few rows, which do not wait for the others', async () => {
  const [first = '', ...rest] = await chunksOf(storeOf(60), 'json');
  const few = (JSON.parse(`${first}]`) as unknown[]).length;
  assert.ok(few > 0 && few < 60, `${few} rows in the first chunk`);
  const ids = (JSON.parse(first + rest.join('')) as { id: string }[]).map(({ id }) => id);
  assert.deepEqual(
    ids,
    Array.from({ length: 60 }, (_, i) => `j-${String(i).padStart(4, '0')}`),
  );
});

test('a list of no jobs, and of fewer than begin it, is whole in each format', async () => {
  assert.deepEqual((await chunksOf(storeOf(0), 'json')).join(''), '[]');
  assert.equal((await chunksOf(storeOf(0), 'ndjson')).join(''), '');
  assert.equal((JSON.parse((await chunksOf(storeOf(3), 'json')).join('')) as unknown[]).length, 3);
  assert.equal((await chunksOf(storeOf(20), 'ndjson')).join('').trimEnd().split('\n').length, 20);
  assert.equal((await chunksOf(storeOf(20), 'csv')).join('').trimEnd().split('\n').length, 21);
});

class CountedStore extends MemoryStore {
  refreshes = 0;

  override refresh(): void {
    this.refreshes++;
    super.refresh();
  }
}

test('a page of jobs that are long lets others have the thread, however little of them is chosen', async () => {
  const turnsOf = async (nameLength: number): Promise<number> => {
    const store = new CountedStore();
    const jobs = Array.from({ length: 600 }, (_, i) => ({
      id: `j-${i}`,
      queueName: 'q',
      name: 'n'.repeat(nameLength),
      times: ['2026-01-31T08:00:00Z'],
      last: 'Job-Running',
      node: 'i-1',
    }));
    new JobShelf(store).put(...jobs);
    const query = { by: 'createdAt', descending: false, filter: {} } as const;
    const style = { format: 'json', fields: ['id', 'unsavedSeconds'] } as const;
    const task: JobListTask = { type: 'jobList', query, after: null, limit: 1_000, style, isBound: false, nowMs: 0 };
    store.refreshes = 0;
    for await (const _ of jobList(store, task));
    return store.refreshes;
  };
  assert.equal(await turnsOf(20_000), (await turnsOf(1)) + 1);
});
