/**
 * The node logs as a backup takes them. A file and its row of the table `nodeLog` belong together, and a server that runs
 * trims the one and writes the other; what is opened here is a pair that was there at one moment.
 */
import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TRIMMING } from '../commit/trim-head.ts';
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

/** Rows of `nodeLog` as they are on disk at the moment of the call, in the order of the names. */
export type ReadRows = (names: readonly NodeLogName[]) => Promise<readonly (Uint8Array | undefined)[]>;

/**
 * In the order of the names. What lies behind an open file does not change below its size: a trim makes a new file, an append
 * goes to its end.
 */
export async function openLogs(
  logFolder: string,
  names: readonly NodeLogName[],
  readRows: ReadRows,
): Promise<readonly OpenLog[]> {
  const opened = new Map<NodeLogName, OpenLog>();
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const left = names.filter((name) => !opened.has(name));
      if (left.length === 0) return names.map((name) => opened.get(name) as OpenLog);
      if (attempt > 0) await sleep(BETWEEN_MS);
      const before = await readRows(left);
      const files = left.map((name) => openFile(nodeLogFile(logFolder, name)));
      const after = await readRows(left);
      for (const [i, { descriptor, stats, isCurrent }] of files.entries()) {
        if (isCurrent && isSame(before[i], after[i]))
          opened.set(left[i] as NodeLogName, { descriptor, stats, row: after[i] });
        else if (descriptor !== null) closeSync(descriptor);
      }
    }
    throw new Error(`cannot back up the node logs in ${logFolder}: one is trimmed all the time; try again`);
  } catch (error) {
    for (const { descriptor } of opened.values()) if (descriptor !== null) closeSync(descriptor);
    throw error;
  }
}

interface OpenFile {
  readonly descriptor: number | null;
  readonly stats: Stats | null;
  /** Its path still leads to it. */
  readonly isCurrent: boolean;
}

/** The path is undefined for a log whose name no file can have: there is none. */
function openFile(path: string | undefined): OpenFile {
  const descriptor = path === undefined ? null : openIfThere(path);
  const stats = descriptor === null ? null : fstatSync(descriptor);
  const inode = path === undefined ? 0 : (tryStat(path)?.ino ?? 0);
  return { descriptor, stats, isCurrent: inode === (stats?.ino ?? 0) };
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
