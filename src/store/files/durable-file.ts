/** Files that are either the old or the new content after a crash, never half of one. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CodedError } from '../../base/errors.ts';

/** Temporary file, fsync, rename, fsync of the folder. When it returns, the content is on disk. */
export async function writeFileDurably(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    const file = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (error) {
    // A disk that became read-only keeps it; what counts is why the content could not be written.
    await rm(temporary, { force: true }).catch(() => {});
    throw fileErrorOf(error, path);
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A full disk is the operator's to mend and has its own code; the rest is named by what was tried. */
export function fileErrorOf(error: unknown, path: string): CodedError {
  if (error instanceof CodedError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new CodedError('storageFull');
  const isDisk = code === 'EIO' || code === 'EROFS';
  return new CodedError(isDisk ? 'storageFailed' : 'internal', `cannot write ${path}: ${code ?? String(error)}`);
}
