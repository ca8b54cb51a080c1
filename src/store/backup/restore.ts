/**
 * `cairn restore`: an archive becomes the folders of a server. Everything is written beside its place and checked; only then
 * it is moved, with a few renames:
 *
 *   verify ─► D/.cairn-restore/…, L/.cairn-restore/… ─► note what moves ─► rename each ─► remove L's, then D's
 *
 * Where it is killed, D has `.cairn-restore`: no server starts, and the next restore removes what this one has brought.
 */
import { createHash } from 'node:crypto';
import { chown, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { DataDirectoryLock, LOCK_FILES } from '../files/data-directory-lock.ts';
import { syncFolder, writeFileDurably } from '../files/durable-file.ts';
import { makeFolders } from '../files/folders.ts';
import { openLmdbStore } from '../kv/lmdb-store.ts';
import { SCHEMA_NUMBER } from '../kv/schema.ts';
import { WriteBatch } from '../kv/write-batch.ts';
import { CONFIG_VERSION_KEY, encodeConfigVersion, readConfigVersion } from '../records/config-version.ts';
import { readArchive } from './archive-reader.ts';
import { extractArchive } from './extract.ts';
import { LAST_BACKUP_NAME } from './last-backup.ts';
import { DATA_PREFIX, LOG_PREFIX, type Manifest } from './manifest.ts';
import { isThere, RESTORING, UNDOING } from './unfinished.ts';

export interface RestoreOptions {
  readonly archive: string;
  readonly dataFolder: string;
  readonly logFolder: string;
  readonly onProgress?: (what: string, done: number, total: number) => void;
}

const NOTE_NAME = 'moves.json';
/** What may lie in an empty folder. */
const HARMLESS = ['lost+found'];

interface Moves {
  readonly logFolder: string;
  readonly data: readonly string[];
  readonly log: readonly string[];
}

/** Throws a sentence for the operator; then nothing of the archive is in the folders. */
export async function restore(options: RestoreOptions): Promise<Manifest> {
  const { archive, dataFolder, logFolder, onProgress } = options;
  const manifest = await readArchive(archive, (done, total) => onProgress?.('verifying', done, total));
  mustBeRestorable(manifest, archive);
  const made = [await makeFolders(dataFolder, 0o700), await makeFolders(logFolder, 0o750)];
  try {
    const lock = await DataDirectoryLock.take(dataFolder);
    try {
      await removeUnfinished(dataFolder, logFolder);
      await mustBeEmpty(dataFolder, logFolder);
      await mustBeEmpty(logFolder, dataFolder);
      await new Restore(options, manifest).run();
      return manifest;
    } finally {
      await lock.release();
    }
  } catch (error) {
    // Folders of its own making go again, where they are empty.
    for (const folder of made)
      if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw error;
  }
}

class Restore {
  readonly #options: RestoreOptions;
  readonly #manifest: Manifest;
  readonly #dataStage: string;
  readonly #logStage: string;

  constructor(options: RestoreOptions, manifest: Manifest) {
    this.#options = options;
    this.#manifest = manifest;
    this.#dataStage = join(options.dataFolder, RESTORING);
    this.#logStage = join(options.logFolder, RESTORING);
  }

  async run(): Promise<void> {
    const { archive, dataFolder, logFolder, onProgress } = this.#options;
    try {
      await makeFolders(this.#dataStage, 0o700);
      await makeFolders(this.#logStage, 0o700);
      await extractArchive(
        archive,
        (path) => this.#placeOf(path),
        (done, total) => onProgress?.('restoring', done, total),
      );
      await this.#takeNewFolders();
      await this.#noteBackup();
      await ownAll(dataFolder, this.#dataStage);
      await ownAll(logFolder, this.#logStage);
      await this.#move();
    } catch (error) {
      await removeUnfinished(dataFolder, logFolder);
      throw error;
    }
  }

  #placeOf(path: string): string | null {
    if (path.startsWith(DATA_PREFIX)) return join(this.#dataStage, path.slice(DATA_PREFIX.length));
    return path.startsWith(LOG_PREFIX) ? join(this.#logStage, path.slice(LOG_PREFIX.length)) : null;
  }

  /** Paths of the configuration that lay in the old folders lie in the new ones. The stored hash goes with them. */
  async #takeNewFolders(): Promise<void> {
    const file = join(this.#dataStage, 'config.json');
    const config = JSON.parse(await readFile(file, 'utf8')) as {
      log?: { file?: unknown };
      security?: { certFile?: unknown; keyFile?: unknown };
    };
    const { dataFolder, logFolder } = this.#options;
    // Where one folder lies in the other, or is the other, a path follows the one that it is usually in.
    const ofLog = [this.#manifest.logFolder, logFolder] as const;
    const ofData = [this.#manifest.dataFolder, dataFolder] as const;
    const before = JSON.stringify(config);
    if (config.log) config.log.file = moved(config.log.file, [ofLog, ofData]);
    if (config.security) {
      config.security.certFile = moved(config.security.certFile, [ofData, ofLog]);
      config.security.keyFile = moved(config.security.keyFile, [ofData, ofLog]);
    }
    if (JSON.stringify(config) === before) return;
    const text = `${JSON.stringify(config, null, 2)}\n`;
    const oldHash = sha256(await readFile(file));
    await writeFile(file, text);
    const store = openLmdbStore(join(this.#dataStage, 'db'));
    try {
      const stored = readConfigVersion(store);
      // One that was edited by hand stays a change that the server takes up when it starts.
      if (stored?.hash !== oldHash) return;
      const batch = new WriteBatch();
      batch.put('meta', CONFIG_VERSION_KEY, encodeConfigVersion({ version: stored.version, hash: sha256(text) }));
      store.commit([batch.seal()]);
    } finally {
      await store.close();
      await rm(join(this.#dataStage, 'db', 'lock.mdb'), { force: true });
    }
  }

  /** The archive is the restored server's last backup. */
  async #noteBackup(): Promise<void> {
    const last = { time: this.#manifest.createdAt, file: resolve(this.#options.archive) };
    await writeFileDurably(join(this.#dataStage, LAST_BACKUP_NAME), `${JSON.stringify(last)}\n`, 0o600);
  }

  async #move(): Promise<void> {
    const { dataFolder, logFolder } = this.#options;
    const moves: Moves = {
      logFolder: resolve(logFolder),
      data: await readdir(this.#dataStage),
      // In one folder for both, all of it moves as data.
      log: this.#logStage === this.#dataStage ? [] : await readdir(this.#logStage),
    };
    await writeFileDurably(join(this.#dataStage, NOTE_NAME), JSON.stringify(moves), 0o600);
    await syncFolder(this.#dataStage);
    await syncFolder(this.#logStage);
    for (const name of moves.log) await rename(join(this.#logStage, name), join(logFolder, name));
    for (const name of moves.data) await rename(join(this.#dataStage, name), join(dataFolder, name));
    await syncFolder(logFolder);
    await syncFolder(dataFolder);
    await rm(this.#logStage, { recursive: true });
    await rm(this.#dataStage, { recursive: true, force: true });
    await syncFolder(logFolder);
    await syncFolder(dataFolder);
  }
}

function mustBeRestorable({ schema, logFolder }: Manifest, archive: string): void {
  if (schema > SCHEMA_NUMBER)
    throw new Error(
      `cannot restore ${archive}: it has schema ${schema}, and this version reads up to ${SCHEMA_NUMBER}; restore it with a newer version`,
    );
  if (logFolder === null)
    throw new Error(
      `cannot restore ${archive}: it was made before an upgrade and holds no node logs; run cairn restore --undo-upgrade`,
    );
}

/** Removes what a restore that was killed has brought. */
async function removeUnfinished(dataFolder: string, logFolder: string): Promise<void> {
  const stage = join(dataFolder, RESTORING);
  if (await isThere(stage)) {
    const moves = await readMoves(join(stage, NOTE_NAME));
    for (const name of moves?.data ?? []) await rm(join(dataFolder, name), { recursive: true, force: true });
    if (moves?.logFolder === resolve(logFolder))
      for (const name of moves.log) await rm(join(logFolder, name), { recursive: true, force: true });
  }
  await rm(join(logFolder, RESTORING), { recursive: true, force: true });
  await rm(stage, { recursive: true, force: true });
}

async function readMoves(path: string): Promise<Moves | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Moves);
}

/** But for the way to the other folder, which may lie in it. */
async function mustBeEmpty(folder: string, other: string): Promise<void> {
  const [next = ''] = relative(folder, other).split(sep);
  const found = (await readdir(folder)).filter(
    (name) => name !== next && !HARMLESS.includes(name) && !LOCK_FILES.includes(name),
  );
  const [first] = found;
  if (first === undefined) return next === '' || next === '..' ? undefined : mustBeEmpty(join(folder, next), other);
  const what = found.includes(UNDOING) ? UNDOING : first;
  throw new Error(
    `cannot restore into ${folder}: it is not empty (${what}); name an empty folder, or move its content away`,
  );
}

function moved(path: unknown, moves: readonly (readonly [string | null, string])[]): unknown {
  if (typeof path !== 'string') return path;
  for (const [from, to] of moves)
    if (from !== null && path.startsWith(from + sep)) return join(resolve(to), relative(from, path));
  return path;
}

/** Root restores for the owner of the folder. */
async function ownAll(folder: string, root: string): Promise<void> {
  const { uid, gid } = await stat(folder);
  if (process.getuid?.() !== 0 || (uid === 0 && gid === 0)) return;
  await chown(root, uid, gid);
  for (const entry of await readdir(root, { recursive: true })) await chown(join(root, entry), uid, gid);
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
