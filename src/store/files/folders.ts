/**
 * Makes folders one level at a time: Node's own recursive `mkdir` never returns where a folder exists and refuses new ones
 * with ENOENT, as those of /proc do, and a path may come from anyone who may change the configuration.
 */
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the folder and those above it that are missing. The first that was made, or undefined; throws as `mkdir` does. */
export async function makeFolders(path: string, mode = 0o777): Promise<string | undefined> {
  if (await isThere(path)) return undefined;
  const above = dirname(path) === path ? undefined : await makeFolders(dirname(path), mode);
  const made = await mkdir(path, { mode }).then(
    () => path,
    (error: NodeJS.ErrnoException) => onlyExists(error),
  );
  return above ?? made;
}

export function makeFoldersSync(path: string, mode = 0o777): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  if (dirname(path) !== path) makeFoldersSync(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    onlyExists(error as NodeJS.ErrnoException);
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Somebody else was quicker. */
function onlyExists(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
  return undefined;
}
