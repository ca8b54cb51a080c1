/** What lies in the data folder beside the database: configuration, keys, certificates, and what later versions put there. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LAST_BACKUP_NAME } from './last-backup.ts';

export interface SmallFile {
  /** Below the data folder. */
  readonly path: string;
  readonly mtimeMs: number;
  readonly bytes: Buffer;
}

const SIZE_MAX = 1024 * 1024;
const FILES_MAX = 1_000;
const CONFIG = 'config.json';
const CONFIG_EVERY_MS = 20;
/** Overflow policy: later ones are not kept. A copy is of the moment when it begins, and so is what it needs. */
const CONFIGS_MAX = 200;

/** Sorted by path. Files above 1 MiB, archives, sockets, hidden files and the database are left out. */
export async function readSmallFiles(dataFolder: string): Promise<SmallFile[]> {
  const files: SmallFile[] = [];
  for (const folder of ['', 'keys', 'tls']) {
    const entries = await readdir(join(dataFolder, folder), { withFileTypes: true }).catch(() => []);
    for (const { name } of entries.filter((entry) => entry.isFile()).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (name.startsWith('.') || name.endsWith('.tar') || name === LAST_BACKUP_NAME) continue;
      const path = join(folder, name);
      const file = await readSmall(join(dataFolder, path));
      if (file) files.push({ path, ...file });
      if (files.length > FILES_MAX) throw new Error(`${dataFolder} has more than ${FILES_MAX} files of its own`);
    }
  }
  return files;
}

/**
 * Of the files as they were before and after the copy of the database, those that it fits; undefined where neither does. The
 * copy is of one moment, and `recorded` is the SHA-256 of the configuration of then: while it is made, people may change the
 * configuration once or all the time; `meanwhile` are configurations that were read while the copy was made. `mayBeEdited`: a
 * configuration that stayed the same fits although nothing recorded it.
 */
export function fittingOf(
  before: readonly SmallFile[],
  after: readonly SmallFile[],
  recorded: string | undefined,
  mayBeEdited: boolean,
  meanwhile: readonly SmallFile[] = [],
): readonly SmallFile[] | undefined {
  const hasHash = ({ bytes }: SmallFile): boolean => recorded === createHash('sha256').update(bytes).digest('hex');
  const isRecorded = (files: readonly SmallFile[]): boolean => {
    const config = files.find(isConfig);
    return !config || hasHash(config);
  };
  const others = (files: readonly SmallFile[]): SmallFile[] => files.filter((file) => !isConfig(file));
  if (digestOf(others(before)) !== digestOf(others(after))) return undefined;
  if (mayBeEdited && digestOf(before) === digestOf(after)) return after;
  const config = meanwhile.find(hasHash);
  return [after, before].find(isRecorded) ?? (config && after.map((file) => (isConfig(file) ? config : file)));
}

/** Runs it, and reads the configuration all the time until it has ended: each content that was seen, once. */
export async function configsDuring(dataFolder: string, run: () => Promise<void>): Promise<readonly SmallFile[]> {
  const seen: SmallFile[] = [];
  const look = async (): Promise<void> => {
    const file = await readSmall(join(dataFolder, CONFIG)).catch(() => undefined);
    if (!file || seen.length === CONFIGS_MAX || seen.at(-1)?.bytes.equals(file.bytes)) return;
    seen.push({ path: CONFIG, ...file });
  };
  await look();
  const over = new AbortController();
  const looking = (async (): Promise<void> => {
    while (!over.signal.aborted) {
      await sleep(CONFIG_EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
      await look();
    }
  })();
  await run().finally(() => {
    over.abort();
    return looking;
  });
  return seen;
}

function isConfig({ path }: SmallFile): boolean {
  return path === CONFIG;
}

export async function readSmall(path: string): Promise<Omit<SmallFile, 'path'> | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile() || stats.size > SIZE_MAX) return undefined;
  return { mtimeMs: Math.floor(stats.mtimeMs), bytes: await readFile(path) };
}

function digestOf(files: readonly SmallFile[]): string {
  const hash = createHash('sha256');
  for (const { path, bytes } of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex');
}
