/** The store contract, held by both stores. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { databaseFigures, openLmdbReader, openLmdbStore, pinDatabase } from '../../src/store/kv/lmdb-store.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import type { PackedWrites } from '../../src/store/kv/write-batch.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { atEnd } from '../support/at-end.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { storeSuite } from './store-suite.ts';

storeSuite({
  name: 'memory',
  open: async () => {
    const store = new MemoryStore();
    return { store, commitElsewhere: async (batches) => store.commit(batches) };
  },
  openSmall: async () => new MemoryStore({ bytesMax: 8_000_000 }),
});

storeSuite({
  name: 'LMDB',
  open: async (t) => {
    const folder = temporaryFolder(t);
    const store = openLmdbStore(folder);
    atEnd(t, () => store.close());
    return { store, commitElsewhere: (batches) => commitInThread(folder, batches) };
  },
  openSmall: async (t) => {
    const folder = temporaryFolder(t);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
    if (mounted.status !== 0) {
      t.skip('no small file system can be mounted here: that takes root');
      return null;
    }
    atEnd(t, () => spawnSync('umount', [folder]));
    const store = openLmdbStore(folder);
    atEnd(t, () => store.close());
    return store;
  },
});

async function commitInThread(folder: string, batches: readonly PackedWrites[]): Promise<void> {
  const worker = new Worker(new URL('./committing-thread.js', import.meta.url), { workerData: { folder, batches } });
  // Both are listened to at once: the exit may come in the very turn that brings the message.
  await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
}

test('LMDB: what was committed is there when the folder is opened again', async (t: TestContext) => {
  const folder = temporaryFolder(t);
  const batch = new WriteBatch();
  batch.put('job', Buffer.from('a'), Buffer.from('kept'));
  const first = openLmdbStore(folder);
  first.commit([batch.seal()]);
  await first.close();
  const reader = openLmdbReader(folder);
  atEnd(t, () => reader.close());
  assert.equal(Buffer.from(reader.get('job', Buffer.from('a')) ?? []).toString(), 'kept');
});

/** A store and a reader beside it. Both are closed at the end of the test. */
function openedWithReader(t: TestContext) {
  const folder = temporaryFolder(t);
  const store = openLmdbStore(folder);
  const reader = openLmdbReader(folder);
  atEnd(t, async () => {
    await reader.close();
    await store.close();
  });
  return { folder, store, reader };
}

test('LMDB: a pinned state stays readable until it is let go, whatever its reader reads meanwhile', async (t: TestContext) => {
  const { store, reader } = openedWithReader(t);
  const write = (value: string): void => {
    const batch = new WriteBatch();
    batch.put('job', Buffer.from('a'), Buffer.from(value));
    store.commit([batch.seal()]);
  };
  const farthest = (): number => Math.max(...(databaseFigures(store)?.readers ?? []).map(({ behind }) => behind));
  write('0');
  const letGo = pinDatabase(reader);
  for (let i = 1; i <= 5; i++) {
    write(String(i));
    reader.refresh();
    assert.equal(Buffer.from(reader.get('job', Buffer.from('a')) ?? []).toString(), String(i));
  }
  assert.equal(farthest(), 5);
  letGo();
  reader.refresh();
  write('6');
  assert.ok(farthest() <= 1);
});

test('LMDB: the file is mapped once, however long it becomes', async (t: TestContext) => {
  const { folder, store, reader } = openedWithReader(t);
  const value = new Uint8Array(65_536);
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
    const batch = new WriteBatch();
    batch.put('job', Buffer.from(key), value);
    store.commit([batch.seal()]);
    reader.refresh();
    assert.equal(reader.get('job', Buffer.from(key))?.length, value.length);
  }
  const maps = readFileSync('/proc/self/maps', 'utf8').split('\n');
  assert.equal(maps.filter((line) => line.endsWith(join(folder, 'data.mdb'))).length, 1);
});

test('LMDB: a process of little address space has the map grow with the file', (t: TestContext) => {
  const folder = temporaryFolder(t);
  const program = fileURLToPath(new URL('./filling-process.js', import.meta.url));
  const limited = ['-c', 'ulimit -v 33554432; exec "$0" "$@"', process.execPath, program, folder];
  const { stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8' });
  assert.equal(`${stdout}${stderr}`, '8388608\n');
});
