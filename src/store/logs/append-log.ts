/** Appends to a file of node logs: here alone, or on every server of a cluster. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CodedError } from '../../base/errors.ts';
import { syncFolder } from '../files/durable-file.ts';
import type { ChangeEverywhere } from './log-changes.ts';
import type { NodeLogName } from './node-log-name.ts';

/** Throws where the bytes do not belong at the end of the file. */
type Check = (stored: number, isNew: boolean) => Promise<void>;

interface Appended {
  /** Bytes that were there before. */
  readonly stored: number;
  readonly isNew: boolean;
}

export async function appendHere(file: string, bytes: Uint8Array, check: Check): Promise<Appended> {
  const { handle, isNew } = await openForAppend(file);
  let stored: number;
  try {
    stored = (await handle.stat()).size;
    await check(stored, isNew);
    await writeWhole(handle, bytes, stored);
  } finally {
    await handle.close();
  }
  if (isNew || stored === 0) await syncFolder(dirname(file));
  return { stored, isNew };
}

/** What every server of a cluster is to do must be possible here. */
export async function appendEverywhere(
  everywhere: ChangeEverywhere,
  file: string,
  name: NodeLogName,
  bytes: Uint8Array,
  check: Check,
): Promise<Appended> {
  const entry = await lstat(file).catch(() => undefined);
  if (entry?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (entry && !entry.isFile()) throw new CodedError('notFound');
  const [stored, isNew] = [entry?.size ?? 0, entry === undefined];
  await check(stored, isNew);
  await everywhere({ change: 'append', name, at: stored, bytes });
  return { stored, isNew };
}

/** Opens the file at its end, and says whether it had to be made. Never follows a symbolic link. */
async function openForAppend(file: string): Promise<{ handle: FileHandle; isNew: boolean }> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;
  try {
    return { handle: await open(file, flags), isNew: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { handle: await open(file, flags | constants.O_CREAT | constants.O_EXCL, 0o640), isNew: true };
  }
}

/** Writes all of it durably, or takes back what was written (a full disk), so that the size stays what the sender knows. */
async function writeWhole(handle: FileHandle, bytes: Uint8Array, stored: number): Promise<void> {
  try {
    await handle.appendFile(bytes);
    await handle.datasync();
  } catch (error) {
    await handle.truncate(stored);
    throw error;
  }
}
