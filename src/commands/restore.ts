/** `cairn restore`: an archive into empty folders, or the way back from an upgrade. */
import { resolve } from 'node:path';
import type { CommandInput } from '../base/command-input.ts';
import { UsageError } from '../base/usage-error.ts';
import { restore } from '../store/backup/restore.ts';
import { undoUpgrade } from '../store/backup/upgrade.ts';
import { dataFolderOf, logFolderOf } from './data-folder.ts';
import { Progress } from './progress.ts';
import { report } from './report.ts';

export async function restoreCommand({ values, args }: CommandInput): Promise<number> {
  const dataFolder = resolve(dataFolderOf(values));
  const [archive] = args;
  const progress = new Progress(process.stderr);
  const tell = (what: string, done: number, total: number): void => progress.tell(what, done, total);
  if (values['undo-upgrade']) {
    if (archive !== undefined) throw new UsageError('--undo-upgrade takes no archive: it finds its own');
    const { archive: from, keptAs, schema } = await undoUpgrade(dataFolder, tell).finally(() => progress.end());
    report(
      values,
      `${dataFolder} has schema ${schema} again, from ${from}; the newer database is kept as ${keptAs}\n`,
      {
        dataDir: dataFolder,
        schema,
        from,
        keptAs,
      },
    );
    return 0;
  }
  if (archive === undefined) throw new UsageError('FILE is missing: name the archive to restore');
  const logFolder = resolve(logFolderOf(values));
  const manifest = await restore({ archive, dataFolder, logFolder, onProgress: tell }).finally(() => progress.end());
  const { createdAt } = manifest;
  const files = manifest.files.length;
  report(
    values,
    `restored ${files} files, as of ${createdAt}; start the server with --data-dir ${dataFolder} --log-dir ${logFolder}\n`,
    { files, createdAt, dataDir: dataFolder, logDir: logFolder },
  );
  return 0;
}
