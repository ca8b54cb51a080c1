import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { openLmdbStore } from '../../../../src/store/kv/lmdb-store.ts';
import { checkPages, databaseFault } from '../../../../src/store/kv/page-check.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const PAGE = 4_096;
const JOBS = 300;

/** Jobs on pages of their own, large values, and free pages, also at the end of the file. */
async function soundDatabase(t: TestContext): Promise<Buffer> {
  const folder = temporaryFolder(t);
  const store = openLmdbStore(folder);
  const jobs = new WriteBatch();
  for (let i = 0; i < JOBS; i++) jobs.put('job', textKey(`job-${i}`), Buffer.alloc(60 + ((i * 7) % 200), 'x'));
  jobs.put('chunk', textKey('kept'), Buffer.alloc(30_000, 'y'));
  store.commit([jobs.seal()]);
  const large = new WriteBatch();
  large.put('chunk', textKey('gone'), Buffer.alloc(200_000, 'z'));
  store.commit([large.seal()]);
  const removed = new WriteBatch();
  removed.remove('chunk', textKey('gone'));
  store.commit([removed.seal()]);
  // Every page that is written again moves into the gap.
  for (let i = 0; i < 4; i++) {
    const small = new WriteBatch();
    small.put('chunk', textKey('small'), Buffer.from(`${i}`));
    store.commit([small.seal()]);
  }
  await store.close();
  return readFileSync(join(folder, 'data.mdb'));
}

function databaseOf(bytes: Buffer, t: TestContext): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'data.mdb'), bytes);
  return folder;
}

async function jobsIn(folder: string): Promise<number> {
  const store = openLmdbStore(folder);
  try {
    let count = 0;
    for (const { value } of store.range('job')) if (value.byteLength >= 60) count++;
    return count + (store.get('chunk', textKey('kept'))?.byteLength === 30_000 ? 1 : 0);
  } finally {
    await store.close();
  }
}

test('a database is refused if a page that it uses was cut off, and not if the pages that are missing are free', async (t) => {
  const original = await soundDatabase(t);
  const whole = databaseOf(original, t);
  assert.equal(checkPages(whole).fault, null);
  assert.equal(databaseFault(whole, false), null);
  assert.equal(databaseFault(temporaryFolder(t), false), null, 'no database yet');
  let isRefused = false;
  let free = 0;
  for (let size = original.byteLength - PAGE; size >= 2 * PAGE; size -= PAGE) {
    const folder = databaseOf(original.subarray(0, size), t);
    const fault = databaseFault(folder, false);
    if (isRefused) assert.match(fault ?? '', /lies behind the end of the file/);
    isRefused = fault !== null;
    if (isRefused) continue;
    free++;
    // LMDB itself says that nothing is missing.
    if (free % 8 === 1) assert.equal(await jobsIn(folder), JOBS + 1);
  }
  assert.ok(free >= 40 && isRefused, `${free} free pages at the end`);
});

test('a file that is empty, or no database, is refused; an empty one of a new folder is not', async (t) => {
  const folder = databaseOf((await soundDatabase(t)).subarray(0, 100), t);
  assert.match(databaseFault(folder, false) ?? '', /not those of a database/);
  truncateSync(join(folder, 'data.mdb'), 0);
  assert.match(databaseFault(folder, false) ?? '', /is empty, though a server has worked/);
  assert.equal(databaseFault(folder, true), null);
});

test('a flipped bit in number or kind of a page is found on every page that is used, and never fails the check', async (t) => {
  const original = await soundDatabase(t);
  const folder = databaseOf(original, t);
  const file = join(folder, 'data.mdb');
  const { pages } = checkPages(folder);
  let found = 0;
  for (let page = 2; page < original.byteLength / PAGE; page++) {
    const faults = [0, 18].map((at) => {
      const bytes = Buffer.from(original);
      bytes[page * PAGE + at] = (bytes[page * PAGE + at] as number) ^ 0x07;
      writeFileSync(file, bytes);
      return checkPages(folder).fault;
    });
    assert.equal(faults[0] === null, faults[1] === null, `page ${page}`);
    if (faults[0] !== null) found++;
  }
  // The meta pages, and the pages of the large value behind its first, have no such head.
  assert.equal(found, pages - 2 - 7);
  for (let i = 0; i < 200; i++) {
    const bytes = Buffer.from(original);
    const place = 2 * PAGE + ((i * 7_919_131) % (bytes.byteLength - 2 * PAGE));
    bytes[place] = (bytes[place] as number) ^ (1 << (i & 7));
    writeFileSync(file, bytes);
    checkPages(folder);
  }
});
