/**
 * The node logs as a backup takes them. A file and its row of the table `nodeLog` belong together, and a server that runs
 * trims the one and writes the other; what is opened here is a pair that was there at one moment.
 */
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, type Stats, statSync } from 'node:fs';
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
export function findLogs(logFolder: string): FoundLog[] {
  const root = join(logFolder, 'nodes');
  const found: FoundLog[] = [];
  const walk = (nodeId: string, path: string): void => {
    for (const entry of namesIn(join(root, nodeId, path))) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) walk(nodeId, below);
      if (!entry.isFile() || entry.name.startsWith(TRIMMING)) continue;
      const stats = tryStat(join(root, nodeId, below));
      if (stats) found.push({ name: { nodeId, path: below }, size: stats.size });
    }
  };
  for (const node of namesIn(root)) if (node.isDirectory()) walk(node.name, '');
  return found;
}

export interface OpenLog {
  /** Null where the log has gone; else who opened it closes it. */
  readonly descriptor: number | null;
  readonly stats: Stats | null;
  /** Row of `nodeLog` at that moment. */
  readonly row: Uint8Array | undefined;
}

const ATTEMPTS = 200;
const BETWEEN_MS = 25;

/** What lies behind the open file does not change below its size: a trim makes a new file, an append goes to its end. */
export async function openLog(logFolder: string, name: NodeLogName, reader: Reader): Promise<OpenLog> {
  const path = nodeLogFile(logFolder, name);
  if (path === undefined) return { descriptor: null, stats: null, row: undefined };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = rowOf(reader, name);
    const descriptor = openIfThere(path);
    const stats = descriptor === null ? null : fstatSync(descriptor);
    const inode = tryStat(path)?.ino ?? 0;
    const after = rowOf(reader, name);
    if (inode === (stats?.ino ?? 0) && isSame(before, after)) return { descriptor, stats, row: after };
    if (descriptor !== null) closeSync(descriptor);
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

/** Undefined where it has gone meanwhile. */
function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Null where there is none. */
function openIfThere(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function namesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
