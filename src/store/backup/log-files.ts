/**
 * The node logs as a backup takes them. A file and its row of the table `nodeLog` belong together, and a server that runs
 * trims the one and writes the other; what is opened here is a pair that was there at one moment.
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRIMMING } from '../commit/trim-head.ts';
import type { Reader } from '../kv/store.ts';
import { nodeLogKey } from '../logs/node-log-files.ts';
import { type NodeLogName, nodeLogFile } from '../logs/node-log-name.ts';

export interface FoundLog {
  readonly name: NodeLogName;
  /** When it was found; it may have grown since. */
  readonly size: number;
}

/** Every stored log, in a fixed order. Links are not followed. */
export async function findLogs(logFolder: string): Promise<FoundLog[]> {
  const root = join(logFolder, 'nodes');
  const found: FoundLog[] = [];
  const walk = async (nodeId: string, path: string): Promise<void> => {
    for (const entry of await namesIn(join(root, nodeId, path))) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) await walk(nodeId, below);
      if (!entry.isFile() || entry.name.startsWith(TRIMMING)) continue;
      const stats = await stat(join(root, nodeId, below)).catch(() => undefined);
      if (stats) found.push({ name: { nodeId, path: below }, size: stats.size });
    }
  };
  for (const node of await namesIn(root)) if (node.isDirectory()) await walk(node.name, '');
  return found;
}

export interface OpenLog {
  /** Null where the log has gone. */
  readonly file: FileHandle | null;
  readonly stats: Stats | null;
  /** Row of `nodeLog` at that moment. */
  readonly row: Uint8Array | undefined;
}

const ATTEMPTS = 200;
const BETWEEN_MS = 25;

/** What lies behind the open file does not change below its size: a trim makes a new file, an append goes to its end. */
export async function openLog(logFolder: string, name: NodeLogName, reader: Reader): Promise<OpenLog> {
  const path = nodeLogFile(logFolder, name);
  if (path === undefined) return { file: null, stats: null, row: undefined };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = rowOf(reader, name);
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(onlyGone);
    const stats = file ? await file.stat() : null;
    const there = await stat(path).catch(() => null);
    const after = rowOf(reader, name);
    if ((there?.ino ?? 0) === (stats?.ino ?? 0) && isSame(before, after)) return { file, stats, row: after };
    await file?.close();
    await sleep(BETWEEN_MS);
  }
  throw new Error(`cannot back up ${path}: it is trimmed all the time; try again`);
}

function rowOf(reader: Reader, name: NodeLogName): Uint8Array | undefined {
  reader.refresh();
  return reader.get('nodeLog', nodeLogKey(name));
}

export function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}

function onlyGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

async function namesIn(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}
