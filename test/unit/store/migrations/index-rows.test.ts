/** Folders of earlier versions are taken over as they stand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { migrate } from '../../../../src/store/kv/schema.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { IN_EVERY_ORDER, indexRows, QUEUE_AND_STATUS } from '../../../../src/store/migrations/index-rows.ts';
import { MIGRATIONS } from '../../../../src/store/migrations/migrations.ts';
import { JOB_INDEX_KINDS, type JobIndexKind } from '../../../../src/store/records/job-index.ts';
import { JobShelf } from '../../../support/job-shelf.ts';

/** What a server of schema 3 did not know, and what one of schema 4 did not. */
const ADDED = { 'queue and status': QUEUE_AND_STATUS, 'queue and outcome in every order': IN_EVERY_ORDER } as const;

function rowsOf(store: MemoryStore): string[] {
  return [...store.range('jobIndex')].map(({ key }) => Buffer.from(key).toString('hex'));
}

function commit(store: MemoryStore, batches: Iterable<WriteBatch>): void {
  for (const batch of batches) store.commit([batch.seal()]);
}

/** A folder with jobs, as a server wrote it that knew no rows of these kinds. */
function folder(
  count: number,
  kinds: readonly JobIndexKind[],
): { readonly store: MemoryStore; readonly expected: string[] } {
  const store = new MemoryStore();
  const shelf = new JobShelf(store);
  for (let i = 0; i < count; i++) {
    const times = [`2026-01-31T08:0${i % 10}:00Z`, `2026-01-31T09:0${i % 7}:00.5Z`];
    shelf.put({
      id: `j-${i}`,
      queueName: `q ${i % 3}/x`,
      times,
      last: i % 2 === 0 ? 'Job-Failed' : 'Job-Running',
      node: i % 4 === 0 ? '' : `i-${i % 4}`,
      ...(i % 3 === 0 ? { name: `Train é ${i % 2}` } : {}),
    });
  }
  const expected = rowsOf(store);
  const batch = new WriteBatch();
  const numbers = new Set<number>(kinds.map((kind) => JOB_INDEX_KINDS[kind]));
  for (const { key } of store.range('jobIndex')) if (numbers.has(key[0] as number)) batch.remove('jobIndex', key);
  store.commit([batch.seal()]);
  return { store, expected };
}

for (const [name, kinds] of Object.entries(ADDED)) {
  test(`jobs of an earlier version get the rows by ${name} that they would have today, in slices`, () => {
    const { store, expected } = folder(25, kinds);
    assert.equal(rowsOf(store).length, expected.length - 25 * kinds.length);
    commit(store, indexRows(store, kinds, 4));
    assert.deepEqual(rowsOf(store), expected);
  });

  test(`an attempt at rows by ${name} that was cut short leaves nothing behind, and a broken job keeps no other out`, () => {
    const { store, expected } = folder(9, kinds);
    const batch = new WriteBatch();
    for (const kind of kinds) batch.put('jobIndex', Uint8Array.of(JOB_INDEX_KINDS[kind], 1, 2, 3), new Uint8Array(0));
    batch.put('job', textKey('broken'), Uint8Array.of(9, 9, 9));
    store.commit([batch.seal()]);
    commit(store, indexRows(store, kinds, 4));
    assert.deepEqual(rowsOf(store), expected);
  });
}

test('a folder of any schema that was released comes to all rows that jobs have today', () => {
  for (const from of [2, 3, 4, 5]) {
    const { store, expected } = folder(7, from >= 4 ? IN_EVERY_ORDER : [...QUEUE_AND_STATUS, ...IN_EVERY_ORDER]);
    const batch = new WriteBatch();
    batch.put('meta', textKey('schema'), textKey(String(from)));
    store.commit([batch.seal()]);
    assert.equal(migrate(store, MIGRATIONS), from);
    assert.deepEqual(rowsOf(store), expected);
  }
});
