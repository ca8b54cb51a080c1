/**
 * `cairn verify`: every page, every record and every row of the lists of jobs of a data folder's database. Reads only, unless
 * it is told to repair; the server may run while it reads.
 */
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CommandInput } from '../base/command-input.ts';
import { UsageError } from '../base/usage-error.ts';
import { DataDirectoryLock, sendCommand } from '../store/files/data-directory-lock.ts';
import { LiveView } from '../store/files/live-view.ts';
import { keyText } from '../store/kv/damage.ts';
import { openLmdbReader, openLmdbStore } from '../store/kv/lmdb-store.ts';
import { checkPages } from '../store/kv/page-check.ts';
import type { Reader, Store } from '../store/kv/store.ts';
import { WriteBatch } from '../store/kv/write-batch.ts';
import { damagedJobs, jobRowFindings } from '../store/records/job-row-check.ts';
import { damagedRecords } from '../store/records/verify-records.ts';
import { positionOf } from '../store/replica/history.ts';
import { dataFolderOf } from './data-folder.ts';

const REMEDY =
  'check the disk (smartctl -a, dmesg), stop the server, and restore the last backup with cairn restore into empty folders';
const ROWS_REMEDY =
  'stop the server and run cairn verify --repair, which makes the rows again from the records of the jobs';

export async function verifyDatabase({ values }: CommandInput): Promise<number> {
  const dataFolder = resolve(dataFolderOf(values));
  const folder = join(dataFolder, 'db');
  await access(join(folder, 'data.mdb')).catch(() => {
    throw new UsageError(`--data-dir ${dataFolder}: there is no Cairn database in it`);
  });
  if (!values['repair']) return verifyView(dataFolder);
  const isRunning = (await sendCommand(dataFolder, { command: 'ping' })) !== undefined;
  if (isRunning) throw new UsageError(`cannot repair ${folder}: the server is running; stop it first`);
  const lock = await DataDirectoryLock.take(dataFolder);
  try {
    const pages = checkPages(folder);
    if (pages.fault !== null) throw new UsageError(`cannot repair ${folder}: ${pages.fault}; ${REMEDY}`);
    await repair(folder);
    return await verify(folder);
  } finally {
    await lock.release();
  }
}

async function verifyView(dataFolder: string): Promise<number> {
  const view = await LiveView.open(dataFolder);
  try {
    return await verify(join(dataFolder, 'db'), view);
  } finally {
    await view.close();
  }
}

/** `folder` is what it is called. */
async function verify(folder: string, view?: LiveView): Promise<number> {
  // The pages of a running server change while they are read, and LMDB follows them for itself.
  const pages = view?.isLive ? null : checkPages(folder);
  if (pages?.fault) {
    process.stdout.write(`${folder} is damaged: ${pages.fault}\n${REMEDY}\n`);
    return 1;
  }
  const reader = openLmdbReader(view?.folder ?? folder);
  let count = 0;
  let damaged = 0;
  let rows = 0;
  try {
    for (const found of damagedRecords(reader, (records) => {
      count += records;
    })) {
      damaged++;
      process.stdout.write(`table ${found.table}: the record ${found.key} is damaged: ${found.reason}\n`);
    }
    rows = tellOfRows(reader);
    await view?.mustHold();
  } finally {
    await reader.close();
  }
  const checked = `${count} records${pages ? ` in ${pages.pages} pages` : ''}`;
  if (damaged > 0)
    process.stdout.write(`${folder}: ${damaged} of ${checked} are damaged; the others are not affected\n${REMEDY}\n`);
  if (rows > 0)
    process.stdout.write(`${folder}: ${rows} rows of the lists of jobs do not fit the jobs\n${ROWS_REMEDY}\n`);
  if (damaged + rows === 0) process.stdout.write(`${folder} is intact: ${checked}\n`);
  return damaged + rows === 0 ? 0 : 1;
}

/** How many there are. */
function tellOfRows(reader: Reader): number {
  let count = 0;
  for (const found of jobRowFindings(reader))
    for (const { table, key, value, job } of found) {
      count++;
      const what = value ? `the row of job ${job} is missing` : 'a row belongs to no job';
      process.stdout.write(`table ${table}: ${what}: ${keyText(key)}\n`);
    }
  return count;
}

async function repair(folder: string): Promise<void> {
  const store = openLmdbStore(folder);
  try {
    mustBeAlone(folder, store);
    let rows = 0;
    for (const { jobs, batch } of damagedJobs(store)) {
      store.commit([batch.seal()]);
      for (const job of jobs) process.stdout.write(`removed the damaged job ${job}\n`);
    }
    for (const found of jobRowFindings(store)) {
      const batch = new WriteBatch();
      for (const { table, key, value } of found)
        if (value) batch.put(table, key, value);
        else batch.remove(table, key);
      store.commit([batch.seal()]);
      rows += found.length;
    }
    process.stdout.write(`mended ${rows} rows of the lists of jobs\n`);
  } finally {
    await store.close();
  }
}

/** What one server of a cluster writes by itself, the others do not have. */
function mustBeAlone(folder: string, store: Store): void {
  if (positionOf(store).sequence === 0) return;
  throw new UsageError(
    `cannot repair ${folder}: its server belongs to a cluster. Stop it, remove its data folder, and start it again: it gets everything from the others`,
  );
}
