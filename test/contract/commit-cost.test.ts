/**
 * What a commit costs after many values have gone. LMDB pays for each free page that it has loaded in each commit; a store that
 * was opened with the library's own bounds is the peer, so that the machine's speed does not matter.
 */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type FreePages, openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import type { Store } from '../../src/store/kv/store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { atEnd } from '../support/at-end.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What lmdb-js takes where it is told nothing. */
const LIBRARY: FreePages = { load: 50_000, retain: 75_000 };
const VALUES = 20_000;
const STEP = 500;
/** Of a page and a half: each frees pages that nothing else of the same value needs. */
const VALUE = new Uint8Array(3_000).fill(7);
const LARGE = new Uint8Array(100_000).fill(7);

interface Cost {
  readonly cpuMs: number;
  readonly fileBytes: number;
}

function key(number: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

/** One of two, and no pattern in it: pages that become free lie between others that do not. */
function goes(number: number): boolean {
  return Math.imul(number + 1, 0x9e3779b1) < 0;
}

/** `change` for so many numbers, some hundred a transaction. */
function inSteps(store: Store, from: number, to: number, change: (batch: WriteBatch, number: number) => void): void {
  for (let first = from; first < to; first += STEP) {
    const batch = new WriteBatch();
    for (let number = first; number < Math.min(to, first + STEP); number++) change(batch, number);
    store.commit([batch.seal()]);
  }
}

async function costAfterRemoval(t: TestContext, freePages?: FreePages): Promise<Cost> {
  const folder = temporaryFolder(t);
  const store = openLmdbStore(folder, freePages);
  atEnd(t, () => store.close());
  const put = (batch: WriteBatch, number: number): void => batch.put('block', key(number), VALUE);
  inSteps(store, 0, VALUES, put);
  inSteps(store, 0, VALUES, (batch, number) => {
    if (goes(number)) batch.remove('block', key(number));
  });
  // A value of many pages looks for as many in a row, through all that is free.
  inSteps(store, 0, 1, (batch) => batch.put('journal', key(0), LARGE));
  const before = process.cpuUsage();
  for (let i = 0; i < 50; i++) inSteps(store, i, i + 1, (batch, number) => batch.put('meta', key(number), key(i)));
  const { user, system } = process.cpuUsage(before);
  inSteps(store, VALUES, (VALUES * 3) / 2, put);
  return { cpuMs: (user + system) / 1_000, fileBytes: statSync(join(folder, 'data.mdb')).size };
}

test('LMDB: a small commit after a mass removal costs a fraction of what it costs by default, and space is used again', async (t) => {
  const peer = await costAfterRemoval(t, LIBRARY);
  const ours = await costAfterRemoval(t);
  assert.ok(ours.cpuMs * 5 < peer.cpuMs, `50 commits took ${ours.cpuMs} ms of CPU, ${peer.cpuMs} by default`);
  assert.ok(
    ours.fileBytes < peer.fileBytes * 1.15,
    `the file has ${ours.fileBytes} bytes, ${peer.fileBytes} by default`,
  );
});
