import assert from 'node:assert/strict';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { databaseFigures, openLmdbStore } from '../../../../src/store/kv/lmdb-store.ts';
import type { Store } from '../../../../src/store/kv/store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { atEnd } from '../../../support/at-end.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NUMBER_AT = 8;

function newStore(t: TestContext): { store: Store; lockFile: number } {
  const folder = temporaryFolder(t);
  const store = openLmdbStore(folder);
  const lockFile = openSync(join(folder, 'lock.mdb'), 'r+');
  atEnd(t, async () => {
    await store.close();
    closeSync(lockFile);
  });
  return { store, lockFile };
}

function put(store: Store, key: string): void {
  const batch = new WriteBatch();
  batch.put('job', Buffer.from(key), Buffer.from(`value of ${key}`));
  store.commit([batch.seal()]);
}

function has(store: Store, key: string): boolean {
  store.refresh();
  return store.get('job', Buffer.from(key)) !== undefined;
}

/** As LMDB does in a process that opens the database, and was not quick enough. */
function setBack(lockFile: number, by: number): void {
  const number = new BigUint64Array(1);
  readSync(lockFile, number, 0, 8, NUMBER_AT);
  number[0] = (number[0] as bigint) - BigInt(by);
  writeSync(lockFile, number, 0, 8, NUMBER_AT);
}

for (const by of [1, 2, 3])
  test(`what was committed stays where another process sets LMDB back by ${by}`, (t) => {
    const { store, lockFile } = newStore(t);
    for (const key of ['a', 'b', 'c', 'd']) put(store, key);
    setBack(lockFile, by);
    put(store, 'e');
    put(store, 'f');
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) assert.equal(has(store, key), true, key);
  });

test('the first transaction of a process is looked at as well', async (t) => {
  const folder = temporaryFolder(t);
  const first = openLmdbStore(folder);
  put(first, 'a');
  await first.close();
  const store = openLmdbStore(folder);
  const lockFile = openSync(join(folder, 'lock.mdb'), 'r+');
  atEnd(t, async () => {
    await store.close();
    closeSync(lockFile);
  });
  setBack(lockFile, 1);
  put(store, 'b');
  assert.equal(has(store, 'a'), true);
});

test('a transaction that writes nothing leaves the order as it is', (t) => {
  const { store } = newStore(t);
  put(store, 'a');
  const removal = new WriteBatch();
  removal.remove('nodeLog', Buffer.from('never there'));
  const sealed = removal.seal();
  for (let i = 0; i < 3; i++) {
    store.commit([sealed]);
    put(store, `b${i}`);
  }
  assert.equal(has(store, 'a') && has(store, 'b2'), true);
});

test('two stores of one process write in turn', async (t) => {
  const folder = temporaryFolder(t);
  const [one, other] = [openLmdbStore(folder), openLmdbStore(folder)];
  atEnd(t, async () => {
    await one.close();
    await other.close();
  });
  for (let i = 0; i < 3; i++) {
    put(one, `one ${i}`);
    put(other, `other ${i}`);
  }
  for (let i = 0; i < 3; i++) assert.equal(has(one, `one ${i}`) && has(one, `other ${i}`), true);
});

test('a lock file of an unknown form is not written to', (t) => {
  const { store, lockFile } = newStore(t);
  put(store, 'a');
  put(store, 'b');
  const magic = Buffer.alloc(4);
  readSync(lockFile, magic, 0, 4, 0);
  writeSync(lockFile, Buffer.alloc(4), 0, 4, 0);
  setBack(lockFile, 1);
  assert.throws(() => put(store, 'c'), /unknown form: restart the server/);
  writeSync(lockFile, magic, 0, 4, 0);
  put(store, 'd');
  for (const key of ['a', 'b', 'd']) assert.equal(has(store, key), true, key);
  assert.equal(has(store, 'c'), false);
  assert.ok(databaseFigures(store));
});
