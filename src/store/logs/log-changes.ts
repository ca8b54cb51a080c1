/**
 * Changes to the files of node logs, as they travel in the stream. Each says where in the file it is made, so that a server that
 * stops between the file and its database makes it once more without harm.
 */
import { constants } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pack } from 'msgpackr';
import { isFolderSafe } from '../../protocol/id.ts';
import { cutEnd, trimHead } from '../commit/trim-head.ts';
import { syncFolder } from '../files/durable-file.ts';
import { makeFolders } from '../files/folders.ts';
import { mustUnpack, unreadable } from '../kv/unpack.ts';
import { type NodeLogName, nodeLogFile } from './node-log-name.ts';

/** A change to a file, as every server of a cluster makes it. */
export type LogChange =
  /** Writes the bytes at `at`, which is where the file ends. */
  | { readonly change: 'append'; readonly name: NodeLogName; readonly at: number; readonly bytes: Uint8Array }
  /** Removes the first `cut` of `size` bytes. */
  | { readonly change: 'trim'; readonly name: NodeLogName; readonly cut: number; readonly size: number }
  | { readonly change: 'keep'; readonly name: NodeLogName; readonly size: number }
  | { readonly change: 'drop'; readonly name: NodeLogName }
  | { readonly change: 'dropNode'; readonly nodeId: string };

/** Resolves when the change is made here, and the cluster has it. */
export type ChangeEverywhere = (change: LogChange) => Promise<void>;

export function packLogChange(change: LogChange): Uint8Array {
  return Uint8Array.from(pack(change));
}

/**
 * Makes the change, durably. One that cannot be made here because something else lies in its place is left out: the leader has
 * looked for that, and the others must not stop at it for ever. Throws where the disk is full or broken.
 */
export async function applyLogChange(logFolder: string, payload: Uint8Array): Promise<void> {
  const change = mustUnpack(payload, 'a change of a node log') as LogChange;
  try {
    await apply(logFolder, change);
  } catch (error) {
    if (!IN_ITS_PLACE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

const IN_ITS_PLACE = new Set(['ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG', 'ENOENT']);

async function apply(logFolder: string, change: LogChange): Promise<void> {
  if (change.change === 'dropNode') {
    if (!isFolderSafe(change.nodeId)) throw unreadable('a change of a node log');
    await rm(join(logFolder, 'nodes', change.nodeId), { recursive: true, force: true });
    return;
  }
  const file = nodeLogFile(logFolder, change.name);
  if (!file) throw unreadable('a change of a node log');
  if (change.change === 'append') {
    await append(file, change.at, change.bytes);
    return;
  }
  const size = await sizeOf(file);
  if (size === null) return;
  if (change.change === 'drop') {
    await rm(file);
    await syncFolder(dirname(file));
  } else if (change.change === 'keep') {
    if (size > change.size) await cutEnd(file, change.size);
  } else if (size === change.size) await trimHead(file, change.cut);
}

async function append(file: string, at: number, bytes: Uint8Array): Promise<void> {
  const made = await makeFolders(dirname(file), 0o750);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = await open(file, flags, 0o640);
  try {
    const { size } = await handle.stat();
    // Made again after a stop: the same bytes at the same place.
    for (let done = 0; done < bytes.byteLength; )
      done += (await handle.write(bytes, done, bytes.byteLength - done, at + done)).bytesWritten;
    await handle.datasync();
    if (size > 0) return;
  } finally {
    await handle.close();
  }
  await syncFolder(dirname(file));
  if (made === undefined) return;
  for (let folder = dirname(file); folder !== dirname(made); folder = dirname(folder))
    await syncFolder(dirname(folder));
}

async function sizeOf(file: string): Promise<number | null> {
  const entry = await lstat(file).catch(() => undefined);
  return entry?.isFile() ? entry.size : null;
}
