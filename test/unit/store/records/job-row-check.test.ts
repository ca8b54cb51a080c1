import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import type { Table } from '../../../../src/store/kv/tables.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { jobEventKey } from '../../../../src/store/records/job-event-row.ts';
import { damagedJobs, jobRowFindings } from '../../../../src/store/records/job-row-check.ts';
import { JobShelf } from '../../../support/job-shelf.ts';

/** More than a slice. */
const JOBS = 2_100;

function shelfOf(count: number): MemoryStore {
  const store = new MemoryStore();
  const shelf = new JobShelf(store);
  shelf.put(
    ...Array.from({ length: count }, (_, i) => ({
      id: `job-${i}`,
      queueName: i % 2 === 0 ? 'q' : 'other one',
      name: `name ${i % 7}`,
      // Times in whose keys there are zero bytes, and none.
      times: [new Date(Date.UTC(2026, 0, 1) + 65_536 * i).toISOString()],
      last: i % 3 === 0 ? 'Job-Succeeded' : 'Job-Running',
      node: i % 5 === 0 ? '' : `i-${i % 5}`,
    })),
  );
  return store;
}

function findings(store: MemoryStore): string[] {
  return [...jobRowFindings(store)]
    .flat()
    .map(({ table, job, value }) => `${table} ${job} ${value ? 'missing' : 'too many'}`)
    .sort();
}

function change(store: MemoryStore, run: (batch: WriteBatch) => void): void {
  const batch = new WriteBatch();
  run(batch);
  store.commit([batch.seal()]);
}

/** Every row of every kind that the store holds of a job. */
function rowsOf(store: MemoryStore, id: string): [Table, Uint8Array][] {
  const tables: Table[] = ['jobByCreated', 'jobIndex'];
  return tables.flatMap((table) =>
    [...store.range(table)]
      .filter(({ key }) => Buffer.from(key).includes(`${id}\0`))
      .map(({ key }) => [table, key] as [Table, Uint8Array]),
  );
}

test('rows that jobs wrote fit the jobs, however many there are', () => {
  assert.deepEqual(findings(shelfOf(JOBS)), []);
  assert.deepEqual(findings(new MemoryStore()), []);
});

test('a row that is missing, and one that no job has, are found in each order; what mends them mends them', () => {
  const store = shelfOf(20);
  const rows = rowsOf(store, 'job-7');
  assert.equal(rows.length, 17);
  for (const [table, key] of rows) {
    change(store, (batch) => batch.remove(table, key));
    const other = key.slice();
    const at = Buffer.from(key).indexOf('job-7\0');
    other[at] = 'k'.charCodeAt(0);
    change(store, (batch) => batch.put(table, other, Buffer.from('x')));
    assert.deepEqual(findings(store), [`${table} job-7 missing`, `${table} kob-7 too many`]);
    for (const found of jobRowFindings(store))
      change(store, (batch) => {
        for (const { value, ...row } of found)
          if (value) batch.put(row.table, row.key, value);
          else batch.remove(row.table, row.key);
      });
    assert.deepEqual(findings(store), []);
  }
});

test('what is left of a damaged job goes, and of no other', () => {
  const store = shelfOf(20);
  assert.deepEqual([...damagedJobs(store)], []);
  change(store, (batch) => {
    batch.put('job', textKey('job-7'), Buffer.from([0xc1]));
    batch.put('jobEvent', jobEventKey('job-7', 0), Buffer.from('x'));
    batch.put('jobEvent', jobEventKey('job-70', 0), Buffer.from('x'));
  });
  assert.deepEqual(findings(store), [], 'its rows are left alone as long as it is there');
  const removed: string[] = [];
  for (const { jobs, batch } of damagedJobs(store)) {
    removed.push(...jobs);
    store.commit([batch.seal()]);
  }
  assert.deepEqual(removed, ['job-7']);
  assert.equal(store.get('job', textKey('job-7')), undefined);
  assert.deepEqual(rowsOf(store, 'job-7'), []);
  assert.equal(store.count('jobEvent'), 1);
  assert.deepEqual([store.count('job'), findings(store)], [19, []]);
});
