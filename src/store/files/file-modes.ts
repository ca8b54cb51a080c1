/**
 * Who may read what holds secrets. Looked at before anything is read: a folder that was copied or restored with a careless
 * umask is closed again, and the operator hears that it was open, because what was in it may be known by now.
 */
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Group and others. */
const OTHERS = 0o077;

/** Sentences for the log, one for each that was open. A path that is not there is none. */
export async function closeSecretFiles(dataFolder: string): Promise<string[]> {
  const folders = ['keys', 'tls'].map((name) => join(dataFolder, name));
  const files = [join(dataFolder, 'config.json')];
  for (const folder of folders) for (const name of await namesIn(folder)) files.push(join(folder, name));
  const warnings: string[] = [];
  for (const folder of [dataFolder, ...folders]) await close(folder, FOLDER_MODE, warnings);
  // A certificate is public.
  for (const file of files.filter((name) => !name.endsWith('.crt'))) await close(file, FILE_MODE, warnings);
  return warnings;
}

/** Whether others than its owner may read or write the file; undefined where it cannot be seen. */
export async function isOpenToOthers(path: string): Promise<boolean | undefined> {
  return stat(path).then(
    ({ mode }) => (mode & OTHERS) !== 0,
    () => undefined,
  );
}

async function close(path: string, mode: number, warnings: string[]): Promise<void> {
  const before = await stat(path).catch(() => undefined);
  if (!before || (before.mode & OTHERS) === 0) return;
  const was = (before.mode & 0o777).toString(8);
  try {
    await chmod(path, mode);
    warnings.push(
      `${path} was open to others (mode ${was}) and is closed now; if they may have read it, replace what it holds`,
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    warnings.push(`${path} is open to others (mode ${was}) and cannot be closed: ${code}`);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
