/** A database from one end to the other: what a cluster begins with, and how a server begins again. */
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { makeFolders } from '../files/folders.ts';
import { textKey } from '../kv/keys.ts';
import { copyLmdb } from '../kv/lmdb-store.ts';
import type { Reader, Store } from '../kv/store.ts';
import { TABLES, type Table } from '../kv/tables.ts';
import { WriteBatch } from '../kv/write-batch.ts';
import { packLogChange } from '../logs/log-changes.ts';
import type { FrameKind } from './frame.ts';
import { encodePosition, POSITION_KEY, type Position, positionOf, TABLES_AHEAD_KEY } from './history.ts';

const SLICE_BYTES = 262_144;
const SLICE_ROWS = 4_096;
const SCHEMA = 'schema';
/** Rows of `meta` that each server has for itself. */
const OWN = new Set([SCHEMA, textOf(POSITION_KEY), textOf(TABLES_AHEAD_KEY)]);
/** Set while the database is emptied and filled: then it is no use to keep it. */
const EMPTYING_KEY = textKey('replicaEmptying');
const KEPT = new Set([SCHEMA, textOf(EMPTYING_KEY)]);

/** Whether a server has worked on it: a new one has rows of `meta` only. */
export function hasData(reader: Reader): boolean {
  return !isEmptied(reader) && (reader.count('job') > 0 || reader.count('node') > 0);
}

/** Every row as write batches, and every log as changes that make it. Nobody else may write meanwhile. */
export async function* seedOf(
  reader: Reader,
  logFolder: string,
): AsyncIterable<{ readonly kind: FrameKind; readonly payload: Uint8Array }> {
  for (const table of TABLES) {
    if (table === 'replicaTail') continue;
    for (const batch of slicesOf(reader, table)) yield { kind: 'writes', payload: batch.seal() };
  }
  const root = join(logFolder, 'nodes');
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const [nodeId = '', ...path] = relative(root, file).split('/');
    const name = { nodeId, path: path.join('/') };
    if (path.length === 0) continue;
    const content = await readFile(file);
    for (let at = 0; at < content.byteLength; at += SLICE_BYTES) {
      const bytes = content.subarray(at, at + SLICE_BYTES);
      yield { kind: 'log', payload: packLogChange({ change: 'append', name, at, bytes }) };
    }
  }
}

function* slicesOf(reader: Reader, table: Table): Iterable<WriteBatch> {
  let start: Uint8Array | undefined;
  for (;;) {
    const batch = new WriteBatch();
    let last: Uint8Array | undefined;
    reader.refresh();
    for (const { key, value } of reader.range(table, start ? { start } : {})) {
      if (start && Buffer.compare(key, start) === 0) continue;
      last = key;
      if (table !== 'meta' || !OWN.has(Buffer.from(key).toString())) batch.put(table, key, value);
      if (batch.byteLength >= SLICE_BYTES || batch.count >= SLICE_ROWS) break;
    }
    if (batch.count > 0) yield batch;
    if (!last) return;
    start = last;
  }
}

export interface ServerFolders {
  readonly database: string;
  readonly data: string;
  readonly log: string;
}

/**
 * Keeps a copy of what the server had, and its logs, under `replaced-<when>`; then empties database and logs. Until it is filled
 * again (`fill`, or the stream from its beginning) the database counts as empty, also after a stop in the middle.
 */
export async function setAside(store: Store, folders: ServerFolders, when: string): Promise<string | null> {
  const name = `replaced-${when}`;
  const isKept = hasData(store);
  const copy = join(folders.data, name);
  if (isKept) {
    await makeFolders(copy, 0o700);
    await copyLmdb(folders.database, copy);
  }
  const begin = new WriteBatch();
  begin.put('meta', EMPTYING_KEY, textKey('1'));
  begin.remove('meta', POSITION_KEY);
  store.commit([begin.seal()]);
  const logs = join(folders.log, 'nodes');
  if (isKept) await rename(logs, join(folders.log, `nodes-${name}`)).catch(() => {});
  else await rm(logs, { recursive: true, force: true });
  await makeFolders(logs, 0o750);
  for (const table of TABLES) {
    for (;;) {
      store.refresh();
      const batch = new WriteBatch();
      for (const { key } of store.range(table, { limit: SLICE_ROWS })) {
        if (table !== 'meta' || !KEPT.has(textOf(key))) batch.remove(table, key);
      }
      if (batch.count === 0) break;
      store.commit([batch.seal()]);
      await othersTurn();
    }
  }
  return isKept ? copy : null;
}

/** Fills an emptied database from another one, which is at `tables` in the stream, while the logs are at `logs`. */
export async function fill(store: Store, from: Reader, logs: Position): Promise<void> {
  const tables = positionOf(from).sequence;
  for (const table of TABLES) {
    if (table === 'replicaTail') continue;
    for (const batch of slicesOf(from, table)) {
      store.commit([batch.seal()]);
      await othersTurn();
    }
  }
  const end = new WriteBatch();
  end.put('meta', POSITION_KEY, encodePosition(logs));
  if (tables > logs.sequence) end.put('meta', TABLES_AHEAD_KEY, textKey(String(tables)));
  end.remove('meta', EMPTYING_KEY);
  store.commit([end.seal()]);
}

/** An emptied database begins with the stream. */
export function beginAtStart(store: Store): void {
  const end = new WriteBatch();
  end.remove('meta', EMPTYING_KEY);
  store.commit([end.seal()]);
}

/** Whether the database was emptied, and not filled to its end. */
export function isEmptied(reader: Reader): boolean {
  reader.refresh();
  return reader.get('meta', EMPTYING_KEY) !== undefined;
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key).toString('utf8');
}
