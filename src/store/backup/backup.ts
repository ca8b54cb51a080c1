/**
 * `cairn backup`: one archive of everything a server is, also while it works. The order makes it one cut:
 *
 *   list of node logs ─► copy of the database (one transaction's view) ─► node logs ─► archive
 *
 * What was acknowledged before is in the view, or in a file that is read later. Configuration and keys are read before and
 * after the copy, the configuration also during it; the copy is made again where none of them fits. A log that was trimmed
 * between the view and its reading has another row in `nodeLog` now: that row is put into the copy, so that the two fit.
 */
import { closeSync } from 'node:fs';
import { mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDirectoryLock, sendCommand } from '../files/data-directory-lock.ts';
import { syncFolder } from '../files/durable-file.ts';
import { LiveView, ViewLost } from '../files/live-view.ts';
import { copyLmdb, openLmdbReader, openLmdbStore } from '../kv/lmdb-store.ts';
import { schemaNumberOf } from '../kv/schema.ts';
import type { Reader } from '../kv/store.ts';
import type { Table } from '../kv/tables.ts';
import { WriteBatch } from '../kv/write-batch.ts';
import { nodeLogKey } from '../logs/node-log-files.ts';
import type { NodeLogName } from '../logs/node-log-name.ts';
import { readConfigVersion } from '../records/config-version.ts';
import { archiveHead } from './archive-reader.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { writeLastBackup } from './last-backup.ts';
import { type FoundLog, findLogs, isSame, openLogs } from './log-files.ts';
import { yieldToOthers } from './low-priority.ts';
import { DATA_PREFIX, DATABASE_PATH, LOG_PREFIX, type Manifest, type ManifestHead, manifestRoom } from './manifest.ts';
import { Pace } from './pace.ts';
import { keepNewest } from './retention.ts';
import { configsDuring, fittingOf, readSmall, readSmallFiles, type SmallFile } from './small-files.ts';
import { Staging } from './staging.ts';

export interface BackupOptions {
  readonly dataFolder: string;
  /** Null: without node logs. */
  readonly logFolder: string | null;
  readonly to: string;
  /** Archives of this server to keep in the folder; all where absent. */
  readonly keep?: number;
  readonly version: string;
  readonly nowMs: () => number;
  readonly onProgress?: (what: string, done: number, total: number) => void;
}

export interface BackupDone {
  readonly manifest: Manifest;
  /** Bytes of the archive. */
  readonly size: number;
  /** Older archives that `keep` removed. */
  readonly removed: readonly string[];
}

const ATTEMPTS = 10;
const BETWEEN_MS = 200;
/** Node logs that are open at a time. */
const LOGS_OPEN = 32;
/** Starts of the server during one backup. */
const VIEWS_MAX = 3;
const POLL_MS = 250;

/**
 * For a process of its own: beside a server, it gets a lower priority for good. Throws a sentence for the operator; then there
 * is no new archive, and none that was there has changed.
 */
export async function backUp(options: BackupOptions): Promise<BackupDone> {
  const dataFolder = await realpath(options.dataFolder).catch(() => options.dataFolder);
  await mustBeData(dataFolder);
  const lock = await DataDirectoryLock.take(dataFolder, 'backup');
  try {
    const hasServer = await isServed(dataFolder);
    if (hasServer) yieldToOthers();
    const done = await writeArchive({ ...options, dataFolder }, hasServer ? new Pace() : undefined);
    const last = { time: done.manifest.createdAt, file: resolve(options.to) };
    await writeLastBackup(dataFolder, last);
    const { keep } = options;
    return keep === undefined ? done : { ...done, removed: await keepNewest(options.to, done.manifest.server, keep) };
  } finally {
    await lock.release();
  }
}

/**
 * The same for who has the data folder to himself: no lock, and nothing is noted of it; as fast as it can be. Beside a server it
 * has a pace, and begins again where the server starts again meanwhile.
 */
export async function writeArchive(options: BackupOptions, pace?: Pace): Promise<BackupDone> {
  await mustBeReplaceable(options.to);
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeOnce(options, pace);
    } catch (error) {
      if (!(error instanceof ViewLost) || attempt === VIEWS_MAX) throw error;
    }
  }
}

async function writeOnce(options: BackupOptions, pace: Pace | undefined): Promise<BackupDone> {
  const staging = await Staging.open(options.dataFolder, options.to).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`cannot write to ${dirname(options.to)}: ${error.code ?? error.message}`);
  });
  let view: LiveView | undefined;
  try {
    if (pace) view = await LiveView.open(options.dataFolder, staging.path);
    return await new Backup(options, staging.path, pace, view).run();
  } finally {
    await view?.close();
    await staging.remove();
  }
}

/** The table `nodeLog` of the live database where no server has it, the same of the copy, and what the copy has to get. */
interface LogRows {
  readonly kept: Reader | undefined;
  readonly copied: Reader;
  readonly rows: WriteBatch;
}

class Backup {
  readonly #options: BackupOptions;
  readonly #staging: string;
  readonly #pace: Pace | undefined;
  /** Of a database that a server has. */
  readonly #view: LiveView | undefined;
  readonly #createdAt: string;
  readonly #live: string;
  #done = 0;
  #total = 0;

  constructor(options: BackupOptions, staging: string, pace: Pace | undefined, view: LiveView | undefined) {
    this.#options = options;
    this.#staging = staging;
    this.#pace = pace;
    this.#view = view;
    this.#createdAt = new Date(options.nowMs()).toISOString();
    this.#live = view?.folder ?? join(options.dataFolder, 'db');
  }

  async run(): Promise<BackupDone> {
    const { logFolder, to } = this.#options;
    const logs = logFolder === null ? [] : findLogs(logFolder);
    const copy = join(this.#staging, 'db');
    const small = await this.#copyDatabase(copy);
    const configured = await this.#configuredPair(small);
    const head = await this.#head(small, copy);
    const files = [...small.map(({ path, ...file }) => ({ path: DATA_PREFIX + path, ...file })), ...configured];
    const paths = [...files.map(({ path }) => path), ...logs.map(pathOf), DATABASE_PATH];
    const archive = join(this.#staging, 'archive.tar');
    const writer = await ArchiveWriter.create(archive, manifestRoom(head, paths), this.#pace);
    try {
      this.#total = (await stat(join(copy, 'data.mdb'))).size + logs.reduce((sum, { size }) => sum + size, 0);
      for (const file of files) await this.#addSmall(writer, file);
      if (logs.length > 0) await this.#addLogs(writer, logs, copy);
      await this.#addFile(writer, DATABASE_PATH, join(copy, 'data.mdb'));
      const manifest = await writer.finish(head);
      await rename(archive, to);
      await syncFolder(dirname(to));
      return { manifest, size: (await stat(to)).size, removed: [] };
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  }

  /** The configuration and the keys as they were at the moment of the copy. */
  async #copyDatabase(copy: string): Promise<readonly SmallFile[]> {
    for (let attempt = 1; ; attempt++) {
      const before = await readSmallFiles(this.#options.dataFolder);
      await mkdir(copy, { mode: 0o700 });
      const meanwhile = await configsDuring(this.#options.dataFolder, () =>
        this.#tellGrowth(join(copy, 'data.mdb'), () => copyLmdb(this.#live, copy)),
      );
      await this.#view?.mustHold();
      const after = await readSmallFiles(this.#options.dataFolder);
      // A configuration that was edited by hand never fits; the server takes it up as such when it starts.
      const recorded = await read(copy, 'meta', readConfigVersion);
      const fitting = fittingOf(before, after, recorded?.hash, attempt > 2, meanwhile);
      if (fitting) return fitting;
      if (attempt === ATTEMPTS)
        throw new Error(
          `cannot back up ${this.#options.dataFolder}: its configuration changes all the time; try again`,
        );
      await rm(copy, { recursive: true });
      await sleep(BETWEEN_MS);
    }
  }

  async #tellGrowth(path: string, copy: () => Promise<void>): Promise<void> {
    const total = (await stat(join(this.#live, 'data.mdb'))).size;
    const timer = setInterval(() => {
      void stat(path).then(
        ({ size }) => this.#options.onProgress?.('copying the database', size, total),
        () => {},
      );
    }, POLL_MS);
    try {
      await copy();
    } finally {
      clearInterval(timer);
    }
  }

  async #head(small: readonly SmallFile[], copy: string): Promise<ManifestHead> {
    const config = small.find(({ path }) => path === 'config.json');
    const { id } = JSON.parse(config?.bytes.toString('utf8') ?? '{}') as { id?: string };
    const schema = await read(copy, 'meta', schemaNumberOf);
    if (schema === undefined)
      throw new Error(`cannot back up ${this.#options.dataFolder}: no server has run on this database yet`);
    const { version, dataFolder, logFolder } = this.#options;
    return {
      format: 'cairn-backup/1',
      server: id ?? '',
      createdAt: this.#createdAt,
      version,
      schema,
      dataFolder: resolve(dataFolder),
      logFolder: logFolder === null ? null : resolve(logFolder),
    };
  }

  /** A pair of certificate and key that lies outside the data folder is kept as `tls/configured.*`. */
  async #configuredPair(small: readonly SmallFile[]): Promise<SmallFile[]> {
    const config = small.find(({ path }) => path === 'config.json');
    if (!config) return [];
    const { security } = JSON.parse(config.bytes.toString('utf8')) as {
      security?: { certFile?: string; keyFile?: string };
    };
    const pair: SmallFile[] = [];
    for (const [name, path] of [
      ['configured.crt', security?.certFile],
      ['configured.pem', security?.keyFile],
    ] as const) {
      if (!path || !relative(this.#options.dataFolder, resolve(path)).startsWith('..')) continue;
      const file = isAbsolute(path) ? await readSmall(path) : undefined;
      if (file) pair.push({ path: `${DATA_PREFIX}tls/${name}`, ...file });
    }
    return pair;
  }

  async #addSmall(writer: ArchiveWriter, { path, mtimeMs, bytes }: SmallFile): Promise<void> {
    const staged = join(this.#staging, 'small');
    await writeFile(staged, bytes, { mode: 0o600 });
    const file = await open(staged, 'r');
    try {
      await writer.add({ path, descriptor: file.fd, size: bytes.length, mtimeMs }, () => {});
    } finally {
      await file.close();
    }
  }

  async #addFile(writer: ArchiveWriter, path: string, source: string): Promise<void> {
    const file = await open(source, 'r');
    try {
      const { size, mtimeMs } = await file.stat();
      await writer.add({ path, descriptor: file.fd, size, mtimeMs: Math.floor(mtimeMs) }, (bytes) => this.#tell(bytes));
    } finally {
      await file.close();
    }
  }

  async #addLogs(writer: ArchiveWriter, logs: readonly FoundLog[], copy: string): Promise<void> {
    const kept = this.#view?.isLive ? undefined : openLmdbReader(this.#live, ['nodeLog']);
    const copied = openLmdbReader(copy, ['nodeLog']);
    const rows = new WriteBatch();
    try {
      for (let at = 0; at < logs.length; at += LOGS_OPEN)
        await this.#addOpen(writer, logs.slice(at, at + LOGS_OPEN), { kept, copied, rows });
      await this.#view?.mustHold();
    } finally {
      await kept?.close();
      await copied.close();
    }
    if (rows.count === 0) return;
    const store = openLmdbStore(copy);
    try {
      store.commit([rows.seal()]);
    } finally {
      await store.close();
    }
  }

  async #addOpen(writer: ArchiveWriter, logs: readonly FoundLog[], { kept, copied, rows }: LogRows): Promise<void> {
    const names = logs.map(({ name }) => name);
    const opened = await openLogs(this.#options.logFolder as string, names, (some) => this.#currentRows(some, kept));
    try {
      for (const [i, { descriptor, stats, row }] of opened.entries()) {
        const log = logs[i] as FoundLog;
        const key = nodeLogKey(log.name);
        if (!isSame(row, copied.get('nodeLog', key))) {
          if (row) rows.put('nodeLog', key, row);
          else rows.remove('nodeLog', key);
        }
        if (descriptor === null || !stats) continue;
        const source = { path: pathOf(log), descriptor, size: stats.size, mtimeMs: Math.floor(stats.mtimeMs) };
        await writer.add(source, (bytes) => this.#tell(bytes));
      }
    } finally {
      for (const { descriptor } of opened) if (descriptor !== null) closeSync(descriptor);
    }
  }

  /** In a folder that leads to a live database, the newest state is that of the opening. */
  async #currentRows(
    names: readonly NodeLogName[],
    kept: Reader | undefined,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    const reader = kept ?? openLmdbReader(this.#live, ['nodeLog']);
    try {
      reader.refresh();
      return names.map((name) => reader.get('nodeLog', nodeLogKey(name)));
    } finally {
      if (!kept) await reader.close();
    }
  }

  #tell(bytes: number): void {
    this.#done += bytes;
    this.#options.onProgress?.('writing the archive', this.#done, Math.max(this.#total, this.#done));
  }
}

async function read<T>(folder: string, table: Table, from: (reader: Reader) => T): Promise<T> {
  const reader = openLmdbReader(folder, [table]);
  try {
    return from(reader);
  } finally {
    await reader.close();
  }
}

function pathOf({ name }: FoundLog): string {
  return `${LOG_PREFIX}nodes/${name.nodeId}/${name.path}`;
}

/** A server that does not answer in time is there all the more. */
async function isServed(dataFolder: string): Promise<boolean> {
  const answer = await sendCommand(dataFolder, { command: 'ping' }).catch(() => null);
  return answer !== undefined;
}

async function mustBeData(dataFolder: string): Promise<void> {
  const database = await stat(join(dataFolder, 'db', 'data.mdb')).catch(() => undefined);
  if (!database?.isFile()) throw new Error(`cannot back up ${dataFolder}: there is no Cairn database in it`);
}

/** An archive may replace an older one, and nothing else. */
async function mustBeReplaceable(to: string): Promise<void> {
  const there = await stat(to).catch(() => undefined);
  if (there === undefined || (await archiveHead(to)) !== undefined) return;
  throw new Error(
    `cannot write ${to}: there is ${there.isFile() ? 'another file' : 'something'} of this name; name a new file`,
  );
}
