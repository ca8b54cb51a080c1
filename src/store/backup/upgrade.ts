/**
 * A data folder between two versions of the program. Before an older folder is migrated, all of it but the node logs is
 * kept as `before-<schema>.tar`, named after the schema that it is migrated to; `cairn restore --undo-upgrade` puts that back
 * and keeps what was there as `after-<schema>/`.
 */
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '../../base/errors.ts';
import { DataDirectoryLock } from '../files/data-directory-lock.ts';
import { syncFolder, writeFileDurably } from '../files/durable-file.ts';
import { makeFolders } from '../files/folders.ts';
import { ownLike } from '../files/ownership.ts';
import { openLmdbReader } from '../kv/lmdb-store.ts';
import { SCHEMA_NUMBER, schemaNumberOf } from '../kv/schema.ts';
import type { Reader } from '../kv/store.ts';
import { archiveHead } from './archive-reader.ts';
import { type BackupOptions, writeArchive } from './backup.ts';
import { extractArchive } from './extract.ts';
import { DATA_PREFIX, type ManifestHead } from './manifest.ts';
import { isThere, mustBeFinished, UNDOING } from './unfinished.ts';

type SnapshotOptions = Pick<BackupOptions, 'dataFolder' | 'version' | 'nowMs'>;

/**
 * Before the database is opened for writing, by a process that has the folder to itself. Resolves with the archive that was made,
 * null where none was needed. Throws the sentence that tells what to run where the folder is newer than the program.
 */
export async function prepareUpgrade(options: SnapshotOptions, target = SCHEMA_NUMBER): Promise<string | null> {
  const { dataFolder } = options;
  await mustBeFinished(dataFolder);
  const found = await storedSchema(dataFolder);
  if (found === undefined || found === target) return null;
  if (found > target) throw new Error(newerSchema(dataFolder, found, target));
  const to = join(dataFolder, `before-${target}.tar`);
  await writeArchive({ ...options, logFolder: null, to });
  await ownLike(dataFolder, to);
  return to;
}

function newerSchema(dataFolder: string, found: number, target = SCHEMA_NUMBER): string {
  return (
    `${dataFolder} has schema ${found}, and this version reads up to ${target}; start the newer version, ` +
    `or go back to before its upgrade: cairn restore --undo-upgrade --data-dir ${dataFolder}`
  );
}

/** Undefined where there is no database yet. */
export async function storedSchema(dataFolder: string): Promise<number | undefined> {
  const folder = join(dataFolder, 'db');
  const file = await stat(join(folder, 'data.mdb')).catch(() => undefined);
  if (!file || file.size === 0) return undefined;
  let reader: Reader | undefined;
  try {
    reader = openLmdbReader(folder, []);
    return schemaNumberOf(reader);
  } catch (error) {
    // Killed in its first start, or not ours: the writer says what it is.
    if (error instanceof CodedError) return undefined;
    throw error;
  } finally {
    await reader?.close();
  }
}

export interface UndoneUpgrade {
  readonly archive: string;
  readonly keptAs: string;
  readonly schema: number;
}

interface UndoNote {
  readonly after: string;
  readonly archive: string;
  readonly schema: number;
  readonly names: readonly string[];
}

const NOTE_NAME = 'moves.json';

/** Throws a sentence for the operator; then the folder is as it was. */
export async function undoUpgrade(
  dataFolder: string,
  onProgress: (what: string, done: number, total: number) => void,
): Promise<UndoneUpgrade> {
  if (!(await isThere(dataFolder))) throw new Error(`there is no folder ${dataFolder}`);
  const lock = await DataDirectoryLock.take(dataFolder);
  try {
    const stage = join(dataFolder, UNDOING);
    // Interrupted while it moved: it goes on. Interrupted before: it starts over.
    const note = (await readNote(stage)) ?? (await prepare(dataFolder, stage, onProgress));
    await makeFolders(note.after, 0o700);
    for (const name of note.names) await swap(dataFolder, stage, note.after, name);
    await syncFolder(note.after);
    await syncFolder(dataFolder);
    await rm(stage, { recursive: true });
    await syncFolder(dataFolder);
    return { archive: note.archive, keptAs: note.after, schema: note.schema };
  } finally {
    await lock.release();
  }
}

async function prepare(
  dataFolder: string,
  stage: string,
  onProgress: (what: string, done: number, total: number) => void,
): Promise<UndoNote> {
  await rm(stage, { recursive: true, force: true });
  const found = await storedSchema(dataFolder);
  if (found === undefined) throw new Error(`there is no database in ${dataFolder}: nothing to undo`);
  const after = join(dataFolder, `after-${found}`);
  const { path, head } = await snapshotBefore(dataFolder, found);
  if (await isThere(after)) throw new Error(`${after} is there already: move it away, and run this again`);
  await extractArchive(
    path,
    (entry) => (entry.startsWith(DATA_PREFIX) ? join(stage, entry.slice(DATA_PREFIX.length)) : null),
    (done, total) => onProgress('restoring', done, total),
  ).catch(async (error: unknown) => {
    await rm(stage, { recursive: true, force: true });
    throw error;
  });
  const names = await readdir(stage);
  for (const entry of await readdir(stage, { recursive: true })) await ownLike(dataFolder, join(stage, entry));
  const note: UndoNote = { after, archive: path, schema: head.schema, names };
  await writeFileDurably(join(stage, NOTE_NAME), JSON.stringify(note), 0o600);
  return note;
}

/** What was there goes to `after`: the database's own files into it, the rest by name. Each step may have been done already. */
async function swap(dataFolder: string, stage: string, after: string, name: string): Promise<void> {
  const [now, next] = [join(dataFolder, name), join(stage, name)];
  if (!(await isThere(next))) return;
  if (name === 'db') {
    for (const file of await namesIn(now)) await rename(join(now, file), join(after, file));
    await rm(now, { recursive: true, force: true });
  } else if (await isThere(now)) {
    await rename(now, join(after, name));
  }
  await rename(next, now);
}

/** The newest archive of before an upgrade that this program can read, and that is older than what is there. */
async function snapshotBefore(dataFolder: string, found: number): Promise<{ path: string; head: ManifestHead }> {
  const snapshots: { path: string; head: ManifestHead }[] = [];
  for (const name of await readdir(dataFolder)) {
    if (!/^before-\d+\.tar$/.test(name)) continue;
    const path = join(dataFolder, name);
    const head = await archiveHead(path);
    if (head && head.schema < found && head.schema <= SCHEMA_NUMBER) snapshots.push({ path, head });
  }
  snapshots.sort((a, b) => b.head.schema - a.head.schema);
  const [newest] = snapshots;
  if (newest) return newest;
  throw new Error(
    `there is no backup of before the upgrade in ${dataFolder} that this version can read (before-<schema>.tar)`,
  );
}

async function readNote(stage: string): Promise<UndoNote | undefined> {
  const text = await readFile(join(stage, NOTE_NAME), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as UndoNote);
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
