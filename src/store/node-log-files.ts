/**
 * Uploaded node logs: `<log-dir>/nodes/<node_id>/<absolute path on the worker>`. Main alone writes them, one append a
 * file at a time. A sender counts bytes from the beginning of its log; when the cap has removed the oldest lines, the
 * table `nodeLog` remembers how many bytes are gone, so that offsets go on.
 *
 *   sender's log    0 ────────────── base ─────────────────────── size
 *   stored file                       0 ───────────────────── size − base
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CodedError } from '../base/errors.ts';
import { isFolderSafe } from '../protocol/id.ts';
import { fileErrorOf, syncFolder } from './durable-file.ts';
import { keyOf } from './keys.ts';
import type { Reader } from './store.ts';

export interface NodeLogName {
  readonly nodeId: string;
  /** Path on the worker, without the leading slash. */
  readonly path: string;
}

const SEGMENTS_MAX = 64;
const PATH_SIZE_MAX = 1_024;
/** Files of one node that are listed. */
const FILES_MAX = 10_000;

/** Undefined for a path that would leave the node's folder, in whatever encoding: the caller has decoded it once. */
export function nodeLogFile(logFolder: string, { nodeId, path }: NodeLogName): string | undefined {
  const segments = path.split('/');
  const harmless = segments.every(
    (segment) =>
      segment !== '' &&
      segment !== '.' &&
      segment !== '..' &&
      !segment.includes('\0') &&
      Buffer.byteLength(segment) <= 255,
  );
  if (!harmless || segments.length > SEGMENTS_MAX || Buffer.byteLength(path) > PATH_SIZE_MAX || !isFolderSafe(nodeId))
    return undefined;
  return join(logFolder, 'nodes', nodeId, ...segments);
}

/** Whether every part of the file below the node's folder is a plain folder or file: no symbolic link leads out of it. */
export async function isPlainFile(logFolder: string, name: NodeLogName): Promise<boolean> {
  let path = join(logFolder, 'nodes', name.nodeId);
  const segments = name.path.split('/');
  for (const [i, segment] of segments.entries()) {
    path = join(path, segment);
    const entry = await lstat(path).catch(() => undefined);
    const expected = i === segments.length - 1 ? entry?.isFile() : entry?.isDirectory();
    if (!expected) return false;
  }
  return true;
}

/** Paths of the node's stored logs, as endpoint 14 lists them, sorted. */
export async function listNodeLogs(logFolder: string, nodeId: string): Promise<string[]> {
  if (!isFolderSafe(nodeId)) return [];
  const root = join(logFolder, 'nodes', nodeId);
  const files: string[] = [];
  const walk = async (folder: string, prefix: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (files.length >= FILES_MAX) return;
      const path = `${prefix}/${encodeURIComponent(entry.name)}`;
      if (entry.isDirectory()) await walk(join(folder, entry.name), path);
      else if (entry.isFile() && !entry.name.startsWith(TRIMMING)) files.push(path);
    }
  };
  await walk(root, `/nodes/${encodeURIComponent(nodeId)}`);
  return files.sort();
}

/** The copy of a file while it is trimmed; one name a file, so that crashes leave at most one. */
const TRIMMING = '.cairn-trim-';

export function nodeLogKey({ nodeId, path }: NodeLogName): Uint8Array {
  return keyOf({ text: nodeId }, { text: path });
}

export interface LogBase {
  /** Bytes of the sender's log that the cap has removed. */
  readonly base: number;
  /** A trim that was begun: the base when it is done. Tells, after a crash, which of the two the file shows. */
  readonly next: number | null;
  /** Size of the sender's log when the trim was begun. */
  readonly size: number;
}

export interface LogBaseTable {
  read(name: NodeLogName): LogBase | undefined;
  write(name: NodeLogName, base: LogBase | null): Promise<void>;
}

export function readLogBase(reader: Reader, name: NodeLogName): LogBase | undefined {
  reader.refresh();
  const bytes = reader.get('nodeLog', nodeLogKey(name));
  return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as LogBase);
}

export class NodeLogFiles {
  readonly #logFolder: string;
  readonly #bases: LogBaseTable;
  /** One append a file at a time, in order of arrival. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(logFolder: string, bases: LogBaseTable) {
    this.#logFolder = logFolder;
    this.#bases = bases;
  }

  /** Appends at `offset`, durably; the sender's new size. Throws offsetConflict with the size where it is elsewhere. */
  append(name: NodeLogName, offset: number, bytes: Uint8Array, sizeMax: number): Promise<number> {
    const file = nodeLogFile(this.#logFolder, name);
    if (!file) return Promise.reject(new CodedError('notFound'));
    const before = this.#queues.get(file) ?? Promise.resolve();
    const run = before.catch(() => {}).then(() => this.#append(file, name, offset, bytes, sizeMax));
    this.#queues.set(file, run);
    void run
      .catch(() => {})
      .finally(() => {
        if (this.#queues.get(file) === run) this.#queues.delete(file);
      });
    return run;
  }

  /** Removes all logs of a node. */
  async removeNode(nodeId: string): Promise<void> {
    if (isFolderSafe(nodeId)) await rm(join(this.#logFolder, 'nodes', nodeId), { recursive: true, force: true });
  }

  async #append(file: string, name: NodeLogName, offset: number, bytes: Uint8Array, sizeMax: number): Promise<number> {
    try {
      await makeFolders(dirname(file));
      const { handle, isNew } = await openForAppend(file);
      let stored: number;
      try {
        stored = (await handle.stat()).size;
        const { base } = isNew ? await this.#freshBase(name) : await this.#settledBase(name, stored);
        if (offset !== base + stored) throw new CodedError('offsetConflict', undefined, { size: base + stored });
        await writeWhole(handle, bytes, stored);
        await handle.datasync();
      } finally {
        await handle.close();
      }
      if (isNew || stored === 0) await syncFolder(dirname(file));
      if (stored + bytes.byteLength > sizeMax) await this.#trim(file, name, sizeMax);
      return offset + bytes.byteLength;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ELOOP') throw new CodedError('notFound');
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTDIR' || code === 'EISDIR' || code === 'EEXIST')
        throw new CodedError('invalid', undefined, { path: 'is a folder, or lies below a file' });
      throw fileErrorOf(error, file);
    }
  }

  /** A file that is not there has no base, whatever the table remembers of one that was removed. */
  async #freshBase(name: NodeLogName): Promise<LogBase> {
    if (this.#bases.read(name)) await this.#bases.write(name, null);
    return { base: 0, next: null, size: 0 };
  }

  /** The base, after a trim that a crash may have left in the middle. */
  async #settledBase(name: NodeLogName, stored: number): Promise<LogBase> {
    const known = this.#bases.read(name);
    if (!known) return { base: 0, next: null, size: 0 };
    if (known.next === null) return known;
    const done = stored === known.size - known.next;
    const settled: LogBase = { base: done ? known.next : known.base, next: null, size: 0 };
    await this.#bases.write(name, settled);
    return settled;
  }

  /** Removes the oldest whole lines until a tenth of the cap is free again, so that not every append trims. */
  async #trim(file: string, name: NodeLogName, sizeMax: number): Promise<void> {
    const { size: stored } = await stat(file);
    const { base } = this.#bases.read(name) ?? { base: 0 };
    const cut = await lineStartAfter(file, stored - Math.floor(sizeMax * 0.9), stored);
    if (cut <= 0) return;
    await this.#bases.write(name, { base, next: base + cut, size: base + stored });
    const temporary = join(dirname(file), TRIMMING + createHash('sha256').update(file).digest('hex').slice(0, 32));
    try {
      await copyFrom(file, cut, temporary);
      await rename(temporary, file);
    } catch (error) {
      // A full disk, most likely: half a copy must not fill it further.
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(dirname(file));
    await this.#bases.write(name, { base: base + cut, next: null, size: 0 });
  }
}

/** The folders down to this one, each new one safe on disk in the one above it. */
async function makeFolders(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o750 });
  if (made === undefined) return;
  for (let at = folder; at !== dirname(made); at = dirname(at)) await syncFolder(dirname(at));
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

/** Writes all of it, or takes the half-written end back (a full disk), so that the size stays what the sender knows. */
async function writeWhole(handle: FileHandle, bytes: Uint8Array, stored: number): Promise<void> {
  try {
    await handle.appendFile(bytes);
  } catch (error) {
    await handle.truncate(stored);
    throw error;
  }
}

/** Where the first line at or after `from` begins; the whole file's end where there is none. */
async function lineStartAfter(file: string, from: number, size: number): Promise<number> {
  if (from <= 0) return 0;
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(65_536);
    for (let at = from - 1; at < size; ) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) break;
      const newline = buffer.subarray(0, bytesRead).indexOf(0x0a);
      if (newline >= 0) return at + newline + 1;
      at += bytesRead;
    }
    return size;
  } finally {
    await handle.close();
  }
}

async function copyFrom(file: string, from: number, target: string): Promise<void> {
  // What a crash left of an earlier copy is not wanted.
  await rm(target, { force: true });
  const source = await open(file, 'r');
  try {
    const copy = await open(target, 'wx', 0o640);
    try {
      const buffer = Buffer.alloc(1024 * 1024);
      for (let at = from; ; ) {
        const { bytesRead } = await source.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) break;
        // Not write(), which may write a part and say so.
        await copy.appendFile(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}
