/** Folders of earlier versions are taken over as they stand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { JOB_INDEX_KINDS } from '../../../../src/store/records/job-index.ts';
import { queueStatusRows } from '../../../../src/store/records/migrations.ts';
import { JobShelf } from '../../../support/job-shelf.ts';

const NEW_KINDS: ReadonlySet<number> = new Set([JOB_INDEX_KINDS.queueStatus, JOB_INDEX_KINDS.queueStatusUpdated]);

function rowsOf(store: MemoryStore): string[] {
  return [...store.range('jobIndex')].map(({ key }) => Buffer.from(key).toString('hex'));
}

function commit(store: MemoryStore, batches: Iterable<WriteBatch>): void {
  for (const batch of batches) store.commit([batch.seal()]);
}

/** A folder with jobs, as a server wrote it that knew no rows by queue and status. */
function folder(count: number): { readonly store: MemoryStore; readonly expected: string[] } {
  const store = new MemoryStore();
  const shelf = new JobShelf(store);
  for (let i = 0; i < count; i++) {
    const times = [`2026-01-31T08:0${i % 10}:00Z`, `2026-01-31T09:0${i % 7}:00.5Z`];
    shelf.put({
      id: `j-${i}`,
      queueName: `q ${i % 3}/x`,
      times,
      last: i % 2 === 0 ? 'Job-Failed' : 'Job-Running',
      node: '',
    });
  }
  const expected = rowsOf(store);
  const batch = new WriteBatch();
  for (const { key } of store.range('jobIndex')) if (NEW_KINDS.has(key[0] as number)) batch.remove('jobIndex', key);
  store.commit([batch.seal()]);
  return { store, expected };
}

test('jobs of an earlier version get the rows by queue and status that they would have today, in slices', () => {
  const { store, expected } = folder(25);
  assert.ok(rowsOf(store).length < expected.length);
  commit(store, queueStatusRows(store, 4));
  assert.deepEqual(rowsOf(store), expected);
});

test('an attempt that was cut short leaves nothing behind, and a job that cannot be read keeps no other one out', () => {
  const { store, expected } = folder(9);
  const batch = new WriteBatch();
  batch.put('jobIndex', Uint8Array.of(JOB_INDEX_KINDS.queueStatus, 1, 2, 3), new Uint8Array(0));
  batch.put('job', textKey('broken'), Uint8Array.of(9, 9, 9));
  store.commit([batch.seal()]);
  commit(store, queueStatusRows(store, 4));
  assert.deepEqual(rowsOf(store), expected);
});
