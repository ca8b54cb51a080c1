/** `<data-dir>/last-backup.json`: when the last backup was finished, for `cairn doctor`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '../files/durable-file.ts';
import { ownLike } from '../files/ownership.ts';

export const LAST_BACKUP_NAME = 'last-backup.json';

export interface LastBackup {
  /** RFC 3339: the moment of which the backup is. */
  readonly time: string;
  readonly file: string;
}

/** Undefined where there was none, or where the file cannot be read. */
export async function readLastBackup(dataFolder: string): Promise<LastBackup | undefined> {
  try {
    const { time, file } = JSON.parse(await readFile(join(dataFolder, LAST_BACKUP_NAME), 'utf8')) as LastBackup;
    return Number.isFinite(Date.parse(time)) ? { time, file } : undefined;
  } catch {
    return undefined;
  }
}

export async function writeLastBackup(dataFolder: string, last: LastBackup): Promise<void> {
  const path = join(dataFolder, LAST_BACKUP_NAME);
  await writeFileDurably(path, `${JSON.stringify(last)}\n`, 0o600);
  await ownLike(dataFolder, path);
}
