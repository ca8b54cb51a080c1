/** A thread of the pool that sleeps holds no snapshot: pages that are freed meanwhile can be used again. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { type DatabaseFigures, databaseFigures, openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import type { Store } from '../../src/store/kv/store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { receiveStream } from '../../src/workers/bytes/byte-stream.ts';
import { Pool } from '../../src/workers/pool.ts';
import { atEnd } from '../support/at-end.ts';
import { JobShelf } from '../support/job-shelf.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function storeWithPool(t: TestContext): { readonly store: Store; readonly pool: Pool } {
  const folder = temporaryFolder(t);
  const store = openLmdbStore(folder);
  atEnd(t, () => store.close());
  const times = [new Date(Date.UTC(2026, 0, 1)).toISOString()];
  new JobShelf(store).put({ id: 'job-1', queueName: 'q', name: 'n', times, last: 'Job-Running', node: '' });
  const pool = new Pool({ databaseFolder: folder, isBackground: false }, 1);
  atEnd(t, () => pool.close());
  return { store, pool };
}

/** How many transactions the oldest snapshot is behind, after some more. */
function oldestAfterWrites(store: Store): number {
  for (let i = 0; i < 5; i++) {
    const batch = new WriteBatch();
    batch.put('node', Buffer.from(`node-${i}`), Buffer.from('a'));
    store.commit([batch.seal()]);
  }
  const { readers } = databaseFigures(store) as DatabaseFigures;
  return Math.max(...readers.map(({ behind }) => behind));
}

test('after an answer the thread holds no snapshot', async (t) => {
  const { store, pool } = storeWithPool(t);
  const { queues } = await pool.answer({ type: 'jobFigures', afterKey: null, limit: 10, nowMs: Date.UTC(2026, 0, 2) });
  assert.equal(queues[0]?.running, 1, 'it has read');
  assert.equal(oldestAfterWrites(store), 0);
});

test('after a stream the thread holds no snapshot', async (t) => {
  const { store, pool } = storeWithPool(t);
  const { port1, port2 } = new MessageChannel();
  const isOver = pool.stream({ type: 'jobDetail', id: 'job-1', nowMs: Date.UTC(2026, 0, 2), warnings: [] }, port2);
  const chunks: Buffer[] = [];
  for await (const chunk of receiveStream(port1, new Promise(() => {}))) chunks.push(Buffer.from(chunk));
  await isOver;
  assert.match(Buffer.concat(chunks).toString('utf8'), /"id":"job-1"/, 'it has read');
  assert.equal(oldestAfterWrites(store), 0);
});
