/** `cairn verify`: every page and every record of a data folder's database. Reads only; the server may run meanwhile. */
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CommandInput } from '../base/command-input.ts';
import { UsageError } from '../base/usage-error.ts';
import { sendCommand } from '../store/files/data-directory-lock.ts';
import { openLmdbReader } from '../store/kv/lmdb-store.ts';
import { checkPages } from '../store/kv/page-check.ts';
import { damagedRecords } from '../store/records/verify-records.ts';
import { dataFolderOf } from './data-folder.ts';

const REMEDY =
  'check the disk (smartctl -a, dmesg), stop the server, and restore the last backup with cairn restore into empty folders';

export async function verifyDatabase({ values }: CommandInput): Promise<number> {
  const dataFolder = resolve(dataFolderOf(values));
  const folder = join(dataFolder, 'db');
  await access(join(folder, 'data.mdb')).catch(() => {
    throw new UsageError(`--data-dir ${dataFolder}: there is no Cairn database in it`);
  });
  // The pages of a running server change while they are read, and LMDB follows them for itself.
  const pages = (await sendCommand(dataFolder, { command: 'ping' })) ? null : checkPages(folder);
  if (pages?.fault) {
    process.stdout.write(`${folder} is damaged: ${pages.fault}\n${REMEDY}\n`);
    return 1;
  }
  const reader = openLmdbReader(folder);
  let count = 0;
  let damaged = 0;
  try {
    for (const found of damagedRecords(reader, (records) => {
      count += records;
    })) {
      damaged++;
      process.stdout.write(`table ${found.table}: the record ${found.key} is damaged: ${found.reason}\n`);
    }
  } finally {
    await reader.close();
  }
  const checked = `${count} records${pages ? ` in ${pages.pages} pages` : ''}`;
  process.stdout.write(
    damaged === 0
      ? `${folder} is intact: ${checked}\n`
      : `${folder}: ${damaged} of ${checked} are damaged; the others are not affected\n${REMEDY}\n`,
  );
  return damaged === 0 ? 0 : 1;
}
