/** What a process does with its folders before it serves, once, whatever it then is: a lone server, a leader or a follower. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { mustBeFinished } from '../store/backup/unfinished.ts';
import { prepareUpgrade } from '../store/backup/upgrade.ts';
import { DataDirectoryLock } from '../store/files/data-directory-lock.ts';
import { closeSecretFiles } from '../store/files/file-modes.ts';
import { makeFolders } from '../store/files/folders.ts';
import { programVersion } from '../store/files/program-version.ts';
import { databaseFault } from '../store/kv/page-check.ts';
import type { ServerOptions } from './options.ts';
import { databaseFolderOf } from './parts.ts';

export interface House {
  readonly claim: DataDirectoryLock;
  /** For the log, once there is one. */
  readonly warnings: readonly string[];
}

/** Throws a sentence for the operator. */
export async function enterHouse(options: ServerOptions): Promise<House> {
  // Before anything is made in the folders: what restores them wants to find them empty.
  await mustBeFinished(options.dataFolder);
  await makeOwnFolders(databaseFolderOf(options), 0o700, '--data-dir');
  await makeOwnFolders(join(options.logFolder, 'nodes'), 0o750, '--log-dir');
  const modeWarnings = await closeSecretFiles(options.dataFolder);
  const claim = await DataDirectoryLock.take(options.dataFolder);
  try {
    mustHaveSoundDatabase(options);
    const snapshot = await prepareUpgrade({
      dataFolder: options.dataFolder,
      version: programVersion(),
      nowMs: () => systemClock.wallMs(),
    });
    const notices = snapshot === null ? [] : [`an older database is migrated; it is kept as it was in ${snapshot}`];
    return { claim, warnings: [...modeWarnings, ...notices] };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

async function makeOwnFolders(path: string, mode: number, flag: string): Promise<void> {
  try {
    await makeFolders(path, mode);
  } catch (error) {
    throw new Error(`cannot make ${path}: ${(error as Error).message}; name a folder that can be written with ${flag}`);
  }
}

/** Before LMDB opens it: a read behind the end of the file would end the process without a word. */
function mustHaveSoundDatabase(options: ServerOptions): void {
  const folder = databaseFolderOf(options);
  const isNew = !existsSync(join(options.dataFolder, 'keys', 'node-token.json'));
  const fault = databaseFault(folder, isNew);
  if (fault === null) return;
  throw new Error(
    `cannot open the database in ${folder}: it is damaged: ${fault}. Check the disk, then restore the last backup with cairn restore into empty folders`,
  );
}
