import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { applyLogChange } from '../../../../src/store/logs/log-changes.ts';
import {
  fill,
  isEmptied,
  logsOf,
  type Slice,
  seederIn,
  seederOf,
  seedOf,
  setAside,
} from '../../../../src/store/replica/whole-database.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const SELF = { id: 'a', url: 'http://a', fingerprint: null };

function storeWith(nodes: number): MemoryStore {
  const store = new MemoryStore();
  const batch = new WriteBatch();
  for (let i = 0; i < nodes; i++) batch.put('node', textKey(`node-${i}`), textKey(`facts of ${i}`));
  store.commit([batch.seal()]);
  return store;
}

async function slicesOf(store: MemoryStore): Promise<Slice[]> {
  const slices: Slice[] = [];
  for await (const slice of seedOf(store, noLogs(), SELF)) slices.push(slice);
  return slices;
}

async function* noLogs(): AsyncIterable<never> {}

test('what a cluster begins with is marked from its first message to its last', async () => {
  const slices = await slicesOf(storeWith(3));
  const other = new MemoryStore();
  for (const [i, { payload }] of slices.entries()) {
    other.commit([payload]);
    const isLast = i === slices.length - 1;
    assert.deepEqual(seederOf(other), isLast ? null : SELF);
    assert.deepEqual(seederIn(payload), i === 0 ? SELF : null);
  }
  assert.equal(other.count('node'), 3);
});

test('the mark itself is no part of it: published again from the front, it ends all the same', async () => {
  const store = storeWith(1);
  const [mark] = (await slicesOf(store)) as [Slice];
  store.commit([mark.payload]);
  for (const { payload } of await slicesOf(store)) store.commit([payload]);
  assert.equal(seederOf(store), null);
});

test('a server without data begins a cluster without a mark', async () => {
  for (const { payload } of await slicesOf(storeWith(0))) assert.equal(seederIn(payload), null);
});

test('logs of any size come in slices', async (t) => {
  const [from, to] = [temporaryFolder(t), temporaryFolder(t)];
  mkdirSync(join(from, 'nodes/n/var'), { recursive: true });
  const text = 'a line of a log\n'.repeat(40_000);
  writeFileSync(join(from, 'nodes/n/var/job.log'), text);
  let slices = 0;
  for await (const { payload } of logsOf(from)) {
    slices++;
    await applyLogChange(to, payload);
  }
  assert.equal(readFileSync(join(to, 'nodes/n/var/job.log'), 'utf8'), text);
  assert.ok(slices > 1);
});

test('a database counts as empty until the last row of a snapshot is in it', async (t) => {
  const store = new FaultyStore();
  const folder = temporaryFolder(t);
  await setAside(store, { database: join(folder, 'db'), data: folder, log: folder }, 'now');
  assert.equal(isEmptied(store), true);
  const position = { sequence: 7, digest: new Uint8Array(32), term: 1 };
  const snapshot = storeWith(3);
  const before = store.commits;
  store.fails = () => store.commits > before + 1;
  await assert.rejects(fill(store, snapshot, position));
  assert.equal(store.count('node'), 3, 'a part is there');
  assert.equal(isEmptied(store), true);
  store.fails = () => false;
  await fill(store, snapshot, position);
  assert.equal(isEmptied(store), false);
});
