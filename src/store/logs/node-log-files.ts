/**
 * Uploaded node logs: `<log-dir>/nodes/<node_id>/<absolute path on the worker>`. Main alone writes them, one append a
 * file at a time. A sender counts bytes from the beginning of its log; when the cap has removed the oldest lines, the
 * table `nodeLog` remembers how many bytes are gone, so that offsets go on.
 *
 *   sender's log    0 ────────────── base ─────────────────────── size
 *   stored file                       0 ───────────────────── size − base
 */
import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CodedError } from '../../base/errors.ts';
import { isFolderSafe } from '../../protocol/id.ts';
import { cutAfter, cutEnd, TRIMMING, trimHead } from '../commit/trim-head.ts';
import { fileErrorOf, syncFolder } from '../files/durable-file.ts';
import { makeFolders } from '../files/folders.ts';
import { keyOf } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { appendEverywhere, appendHere } from './append-log.ts';
import type { ChangeEverywhere } from './log-changes.ts';
import { LogFeed, type LogPlace, type LogSource } from './log-feed.ts';
import { type NodeLogName, nodeLogFile } from './node-log-name.ts';
import { NodeLogTotals } from './node-log-totals.ts';

/** Files of one node. */
const FILES_MAX = 10_000;

/** Whether every part of the file below the node's folder is a plain folder or file: no symbolic link leads out of it. */
export async function isPlainFile(logFolder: string, name: NodeLogName): Promise<boolean> {
  const parts = [name.nodeId, ...name.path.split('/')];
  let path = join(logFolder, 'nodes');
  for (const [i, part] of parts.entries()) {
    path = join(path, part);
    const entry = await lstat(path).catch(() => undefined);
    const expected = i === parts.length - 1 ? entry?.isFile() : entry?.isDirectory();
    if (!expected) return false;
  }
  return true;
}

/** Throws notFound where a folder on the way to the file is a symbolic link: nothing is written through one. */
async function mustBeInside(logFolder: string, file: string): Promise<void> {
  const root = join(logFolder, 'nodes');
  for (let folder = dirname(file); folder !== root; folder = dirname(folder)) {
    const entry = await lstat(folder).catch(() => undefined);
    if (entry?.isSymbolicLink()) throw new CodedError('notFound');
  }
}

/** Paths of the node's stored logs, as endpoint 14 lists them, sorted. */
export async function listNodeLogs(logFolder: string, nodeId: string): Promise<string[]> {
  if (!isFolderSafe(nodeId)) return [];
  const root = join(logFolder, 'nodes', nodeId);
  if (!(await lstat(root).catch(() => undefined))?.isDirectory()) return [];
  const files: string[] = [];
  const walk = async (folder: string, prefix: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (files.length >= FILES_MAX) return;
      const path = `${prefix}/${pathSegment(entry.name)}`;
      if (entry.isDirectory()) await walk(join(folder, entry.name), path);
      else if (entry.isFile() && !entry.name.startsWith(TRIMMING)) files.push(path);
    }
  };
  await walk(root, `/nodes/${pathSegment(nodeId)}`);
  return files.sort();
}

/** Percent-encoded where a path needs it; ids need it nowhere. */
function pathSegment(name: string): string {
  return encodeURIComponent(name).replace(/%3A/g, ':').replace(/%40/g, '@');
}

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
  /** The cap of all the node's logs has removed the file; offsets go on from `base`. */
  readonly gone?: true;
}

export interface LogBaseTable {
  read(name: NodeLogName): LogBase | undefined;
  write(name: NodeLogName, base: LogBase | null): Promise<void>;
  /** Forgets all of a node's. */
  clear(nodeId: string): Promise<void>;
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
  readonly #feeds = new Map<string, LogFeed>();
  readonly #totals: NodeLogTotals;
  readonly #everywhere: ChangeEverywhere | null;

  constructor(logFolder: string, bases: LogBaseTable, everywhere: ChangeEverywhere | null = null) {
    this.#logFolder = logFolder;
    this.#bases = bases;
    this.#everywhere = everywhere;
    this.#totals = new NodeLogTotals(logFolder, {
      drop: (name, file) => this.#inTurn(file, () => this.#drop(file, name)),
      trim: (name, file, sizeMax) => this.#inTurn(file, () => this.#trim(file, name, sizeMax)),
    });
  }

  /**
   * Appends at `offset`, durably; the sender's new size. Throws offsetConflict with the size where it is elsewhere. Then
   * the file is cut to its cap, and all of the node's to theirs.
   */
  async append(
    name: NodeLogName,
    offset: number,
    bytes: Uint8Array,
    sizeMax: number,
    totalMax = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    const file = nodeLogFile(this.#logFolder, name);
    if (!file) throw new CodedError('notFound');
    const size = await this.#inTurn(file, () => this.#append(file, name, offset, bytes, sizeMax));
    // What was appended is safe; what could not be removed now is removed by the sweep.
    await this.#totals.keep(name.nodeId, totalMax, file).catch(() => {});
    return size;
  }

  /**
   * Cuts the sender's log back to `offset`, durably. Throws offsetConflict with its size where it is shorter. Followers go on
   * with what is appended then.
   */
  async cut(name: NodeLogName, offset: number): Promise<void> {
    const file = nodeLogFile(this.#logFolder, name);
    if (!file) throw new CodedError('notFound');
    await this.#inTurn(file, () => this.#cut(file, name, offset));
  }

  /** The log for who follows it; undefined for a path that leaves the node's folder. */
  source(name: NodeLogName): LogSource | undefined {
    const file = nodeLogFile(this.#logFolder, name);
    if (!file) return undefined;
    for (const [path, feed] of this.#feeds) if (!feed.isHeard && path !== file) this.#feeds.delete(path);
    const feed = this.#feeds.get(file) ?? new LogFeed();
    this.#feeds.set(file, feed);
    return { feed, locate: (position) => this.#inTurn(file, () => this.#locate(file, name, feed, position)) };
  }

  /** Removes all logs of a node. */
  async removeNode(nodeId: string): Promise<void> {
    if (!isFolderSafe(nodeId)) return;
    const root = join(this.#logFolder, 'nodes', nodeId);
    for (const [file, feed] of this.#feeds) {
      if (!file.startsWith(`${root}/`)) continue;
      feed.end();
      this.#feeds.delete(file);
    }
    if (this.#everywhere) await this.#everywhere({ change: 'dropNode', nodeId });
    else await rm(root, { recursive: true, force: true });
    await this.#bases.clear(nodeId);
    this.#totals.forget(nodeId);
  }

  /** Cuts every stored log to limits that may have changed since it was written; one that cannot be cut is logged and left. */
  async sweep(
    sizeMax: number,
    totalMax: number,
    onFailure: (nodeId: string, error: unknown) => void = () => {},
  ): Promise<void> {
    for (const entry of await readdir(join(this.#logFolder, 'nodes'), { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const fail = (error: unknown): void => onFailure(entry.name, error);
      await this.#totals.sweep(entry.name, sizeMax, totalMax, fail).catch(fail);
    }
  }

  #inTurn<T>(file: string, run: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(file) ?? Promise.resolve();
    const turn = before.catch(() => {}).then(run);
    this.#queues.set(file, turn);
    void turn
      .catch(() => {})
      .finally(() => {
        if (this.#queues.get(file) === turn) this.#queues.delete(file);
      });
    return turn;
  }

  async #locate(file: string, name: NodeLogName, feed: LogFeed, position: number | null): Promise<LogPlace | null> {
    const entry = await lstat(file).catch(() => undefined);
    if (!entry?.isFile()) throw new CodedError('notFound');
    const { base } = await this.#acknowledgedBase(name, entry.size);
    const offset = position === null ? base : feed.offsetOf(position);
    if (offset === null || offset < base) return null;
    const segment = { path: file, inode: entry.ino, from: offset - base, to: entry.size };
    return { segments: [segment], end: feed.positionOf(base + entry.size) };
  }

  async #append(file: string, name: NodeLogName, offset: number, bytes: Uint8Array, sizeMax: number): Promise<number> {
    try {
      await mustBeInside(this.#logFolder, file);
      await makeDurableFolders(dirname(file));
      const check = async (stored: number, isNew: boolean): Promise<void> => {
        if (isNew) await this.#mustBeFew(file, name);
        const { base } = isNew ? await this.#freshBase(file, name, offset) : await this.#acknowledgedBase(name, stored);
        if (offset !== base + stored) throw new CodedError('offsetConflict', undefined, { size: base + stored });
      };
      const { stored, isNew } = this.#everywhere
        ? await appendEverywhere(this.#everywhere, file, name, bytes, check)
        : await appendHere(file, bytes, check);
      this.#totals.changed(name.nodeId, bytes.byteLength, isNew ? 1 : 0);
      const feed = this.#feeds.get(file);
      feed?.tell(feed.positionOf(offset), bytes);
      // The bytes are safe, so the sender hears that they are; a file that cannot be cut now is cut by the next append.
      if (stored + bytes.byteLength > sizeMax) await this.#trim(file, name, sizeMax).catch(() => {});
      return offset + bytes.byteLength;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ELOOP') throw new CodedError('notFound');
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOTDIR' || code === 'EISDIR' || code === 'EEXIST')
        throw new CodedError('invalid', undefined, { path: 'is a folder, or lies below a file' });
      throw fileErrorOf(error, file);
    }
  }

  /** A worker that makes files without end must not fill the folder with empty ones. */
  async #mustBeFew(file: string, { nodeId }: NodeLogName): Promise<void> {
    if (this.#totals.filesOf(nodeId) < FILES_MAX) return;
    await rm(file, { force: true });
    throw new CodedError('invalid', undefined, { path: `the node has ${FILES_MAX} log files` });
  }

  /**
   * A file that is not there goes on where the cap removed it (also where a crash came between the two writes about it);
   * one that was removed by hand starts again, whatever the table remembers. At another offset it is not made at all: a
   * refused append must leave neither an empty log nor a row that forgets where the sender is to go on.
   */
  async #freshBase(file: string, name: NodeLogName, offset: number): Promise<LogBase> {
    const { base, known, goesOn } = this.#goneBase(name);
    if (offset !== base) {
      await rm(file, { force: true });
      throw new CodedError('offsetConflict', undefined, { size: base });
    }
    if (goesOn) {
      const acknowledged: LogBase = { base, next: null, size: 0 };
      await this.#bases.write(name, acknowledged);
      return acknowledged;
    }
    if (known) await this.#bases.write(name, null);
    return { base: 0, next: null, size: 0 };
  }

  /** Where a log without a file goes on. */
  #goneBase(name: NodeLogName): {
    readonly base: number;
    readonly known: LogBase | undefined;
    readonly goesOn: boolean;
  } {
    const known = this.#bases.read(name);
    const goesOn = known !== undefined && (known.gone === true || known.next === known.size);
    return { base: goesOn ? (known.next ?? known.base) : 0, known, goesOn };
  }

  /** The base, after a trim that a crash may have left in the middle. */
  async #acknowledgedBase(name: NodeLogName, stored: number): Promise<LogBase> {
    const known = this.#bases.read(name);
    if (!known) return { base: 0, next: null, size: 0 };
    if (known.next === null) return known;
    const done = stored === known.size - known.next;
    const acknowledged: LogBase = { base: done ? known.next : known.base, next: null, size: 0 };
    await this.#bases.write(name, acknowledged);
    return acknowledged;
  }

  /**
   * Removes the oldest whole lines until a tenth of the cap is free again, so that not every append trims. Of a line that is
   * longer than that, the end stays.
   */
  async #trim(file: string, name: NodeLogName, sizeMax: number): Promise<void> {
    const { size: stored } = await stat(file);
    const { base } = await this.#acknowledgedBase(name, stored);
    const cut = await cutAfter(file, stored - Math.floor(sizeMax * 0.9), stored);
    if (cut <= 0) return;
    await this.#bases.write(name, { base, next: base + cut, size: base + stored });
    if (this.#everywhere) await this.#everywhere({ change: 'trim', name, cut, size: stored });
    else await trimHead(file, cut);
    await this.#bases.write(name, { base: base + cut, next: null, size: 0 });
    this.#totals.changed(name.nodeId, -cut, 0);
  }

  /** A cut that a crash interrupts leaves a log that is still longer than that; its sender cuts again. */
  async #cut(file: string, name: NodeLogName, offset: number): Promise<void> {
    await mustBeInside(this.#logFolder, file);
    const entry = await lstat(file).catch(() => undefined);
    if (entry && !entry.isFile()) throw new CodedError('notFound');
    const { base } = entry ? await this.#acknowledgedBase(name, entry.size) : this.#goneBase(name);
    const stored = entry?.size ?? 0;
    const size = base + stored;
    if (offset > size) throw new CodedError('offsetConflict', undefined, { size });
    if (offset === size) return;
    const kept = Math.max(0, offset - base);
    if (entry && kept < stored) {
      await this.#cutFile(file, name, kept);
      this.#totals.changed(name.nodeId, kept - stored, 0);
      this.#feeds.get(file)?.cut(size, base + kept);
    }
    if (offset >= base) return;
    // What the caps have removed lies behind the new end: it is not missing any more.
    await this.#bases.write(name, { base: offset, next: null, size: 0, ...(entry ? {} : { gone: true }) });
    this.#feeds.get(file)?.cut(base, offset);
  }

  async #cutFile(file: string, name: NodeLogName, size: number): Promise<void> {
    try {
      if (this.#everywhere) await this.#everywhere({ change: 'keep', name, size });
      else await cutEnd(file, size);
    } catch (error) {
      throw fileErrorOf(error, file);
    }
  }

  /** Removes the file, and remembers where its sender goes on. */
  async #drop(file: string, name: NodeLogName): Promise<void> {
    const { size: stored } = await stat(file);
    const { base } = await this.#acknowledgedBase(name, stored);
    const next = base + stored;
    await this.#bases.write(name, { base, next, size: next });
    if (this.#everywhere) await this.#everywhere({ change: 'drop', name });
    else {
      await rm(file);
      await syncFolder(dirname(file));
    }
    await this.#bases.write(name, { base: next, next: null, size: 0, gone: true });
    this.#totals.changed(name.nodeId, -stored, -1);
  }
}

/** The folders down to this one, each new one safe on disk in the one above it. */
async function makeDurableFolders(folder: string): Promise<void> {
  const made = await makeFolders(folder, 0o750);
  if (made === undefined) return;
  for (let at = folder; at !== dirname(made); at = dirname(at)) await syncFolder(dirname(at));
}
