/** A thread of the pool makes its index of texts though nobody waits for it, and follows what is written afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { receiveStream } from '../../src/workers/bytes/byte-stream.ts';
import type { JobListHead } from '../../src/workers/jobs/job-list.ts';
import { Pool } from '../../src/workers/pool.ts';
import type { JobListTask } from '../../src/workers/task/task.ts';
import { atEnd } from '../support/at-end.ts';
import { JobShelf, type ShelfJob } from '../support/job-shelf.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** So many that a search without the index is cut before it has looked at all of them. */
const JOBS = 10_500;

function jobAt(i: number, name: string): ShelfJob {
  const second = new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString();
  return { id: `job-${i}`, queueName: 'q', name, times: [second], last: 'Job-Running', node: '' };
}

/** Ids of the first page with the text, and whether there is another; when the thread has no more to do for it. */
async function pageOf(pool: Pool, q: string): Promise<{ readonly ids: readonly string[]; readonly isAll: boolean }> {
  const query = { by: 'createdAt', descending: false, filter: { q } } as const;
  const style = { format: 'json', fields: ['id'] } as const;
  const task: JobListTask = { type: 'jobList', query, after: null, limit: 100, style, isBound: false, nowMs: 0 };
  const { port1, port2 } = new MessageChannel();
  const isOver = pool.stream(task, port2);
  const chunks: Buffer[] = [];
  for await (const chunk of receiveStream(port1, new Promise(() => {}))) chunks.push(Buffer.from(chunk));
  await isOver;
  const [head, ...rows] = chunks;
  const { next } = JSON.parse(String(head)) as JobListHead;
  const jobs = JSON.parse(Buffer.concat(rows).toString('utf8')) as { readonly id: string }[];
  return { ids: jobs.map(({ id }) => id), isAll: next === null };
}

test('the first search for a text makes the index, and the next ones are whole, with what was written meanwhile', async (t) => {
  const folder = temporaryFolder(t);
  const store = openLmdbStore(folder);
  atEnd(t, () => store.close());
  const shelf = new JobShelf(store);
  const names = new Map([
    [10, 'needle'],
    [JOBS - 10, 'needle'],
  ]);
  shelf.put(...Array.from({ length: JOBS }, (_, i) => jobAt(i, names.get(i) ?? `hay ${i}`)));
  const pool = new Pool({ databaseFolder: folder, isBackground: false }, 1);
  atEnd(t, () => pool.close());
  assert.deepEqual(await pageOf(pool, 'needle'), { ids: ['job-10'], isAll: false }, 'cut short without an index');
  assert.deepEqual(await pageOf(pool, 'needle'), { ids: ['job-10', `job-${JOBS - 10}`], isAll: true });
  shelf.put(jobAt(5_000, 'another needle'));
  shelf.remove('job-10');
  assert.deepEqual(await pageOf(pool, 'needle'), { ids: ['job-5000', `job-${JOBS - 10}`], isAll: true });
});
