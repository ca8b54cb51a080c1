import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DISK_MIN_BYTES, FileRoom, STEP_BYTES } from '../../../../src/store/kv/file-room.ts';
import { databaseFigures, openLmdbReader, openLmdbStore } from '../../../../src/store/kv/lmdb-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-room-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file of a few bytes, all of them used. */
function newFile(t: TestContext, available = DISK_MIN_BYTES): { path: string; room: FileRoom; size: () => number } {
  const path = join(newFolder(t), 'data.mdb');
  writeFileSync(path, 'pages');
  const room = new FileRoom(path, { usedBytes: () => 5, availableBytes: () => available });
  return { path, room, size: () => statSync(path).size };
}

test('room is made behind what is used when transactions have taken what there was, and not before', (t) => {
  const { path, room, size } = newFile(t);
  room.spent(1_000);
  assert.equal(size(), 5, 'a store with few transactions stays as it is');
  room.spent(STEP_BYTES);
  assert.equal(size(), 5 + STEP_BYTES);
  const bytes = readFileSync(path);
  assert.equal(bytes.toString('latin1', 0, 5), 'pages');
  assert.ok(bytes.subarray(5).every((byte) => byte === 0));
  for (let i = 0; i < 100; i++) room.spent(STEP_BYTES);
  assert.equal(size(), 5 + STEP_BYTES, 'there is room');
});

test('a disk that has little left keeps it', (t) => {
  const { room, size } = newFile(t, DISK_MIN_BYTES - 1);
  for (let i = 0; i < 10; i++) room.spent(STEP_BYTES);
  assert.equal(size(), 5);
});

test('where no room can be made, nothing fails', (t) => {
  const path = join(newFolder(t), 'nowhere', 'data.mdb');
  const room = new FileRoom(path, { usedBytes: () => 5, availableBytes: () => DISK_MIN_BYTES });
  for (let i = 0; i < 10; i++) room.spent(STEP_BYTES);
});

test('a database with room behind its last page is read by every reader, and goes on', async (t) => {
  const folder = newFolder(t);
  const put = (number: number): void => {
    const batch = new WriteBatch();
    batch.put('journal', Buffer.from(`key ${number}`), Buffer.alloc(30_000, number));
    store.commit([batch.seal()]);
  };
  let store = openLmdbStore(folder);
  for (let i = 0; i < 40; i++) put(i);
  const figures = databaseFigures(store);
  assert.ok(statSync(join(folder, 'data.mdb')).size > (figures?.fileBytes ?? 0), 'there is room');
  await store.close();
  store = openLmdbStore(folder);
  for (let i = 40; i < 80; i++) put(i);
  const reader = openLmdbReader(folder);
  for (let i = 0; i < 80; i++)
    assert.deepEqual(Buffer.from(reader.get('journal', Buffer.from(`key ${i}`)) ?? []), Buffer.alloc(30_000, i));
  await reader.close();
  await store.close();
});
