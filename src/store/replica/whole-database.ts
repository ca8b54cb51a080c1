/** A database from one end to the other: what a cluster begins with, and how a server begins again. */
import { readdir, readFile, rename } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { makeFolders } from '../files/folders.ts';
import { textKey } from '../kv/keys.ts';
import { copyLmdb } from '../kv/lmdb-store.ts';
import type { Reader, Store } from '../kv/store.ts';
import { TABLES, type Table } from '../kv/tables.ts';
import { WriteBatch } from '../kv/write-batch.ts';
import { packLogChange } from '../logs/log-changes.ts';
import type { FrameKind } from './frame.ts';
import { POSITION_KEY } from './history.ts';

const SLICE_BYTES = 262_144;
const SLICE_ROWS = 4_096;
const SCHEMA = 'schema';
/** Rows of `meta` that each server has for itself. */
const OWN = new Set([SCHEMA, Buffer.from(POSITION_KEY).toString()]);
/** Set while the database is being emptied: then it is no use to keep it. */
const EMPTYING_KEY = textKey('replicaEmptying');

/** Whether a server has worked on it: a new one has rows of `meta` only. */
export function hasData(reader: Reader): boolean {
  reader.refresh();
  return reader.get('meta', EMPTYING_KEY) === undefined && (reader.count('job') > 0 || reader.count('node') > 0);
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

/**
 * Keeps a copy of what the server had, and its logs, under `replaced-<when>`; then empties database and logs. A stop in the middle
 * leaves a database that counts as empty and is emptied further.
 */
export async function setAside(
  store: Store,
  folders: { readonly database: string; readonly data: string; readonly log: string },
  when: string,
): Promise<string | null> {
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
  if (isKept) await rename(join(folders.log, 'nodes'), join(folders.log, `nodes-${name}`)).catch(() => {});
  await makeFolders(join(folders.log, 'nodes'), 0o750);
  for (const table of TABLES) {
    for (;;) {
      store.refresh();
      const batch = new WriteBatch();
      for (const { key } of store.range(table, { limit: SLICE_ROWS })) {
        const isKeptRow = table === 'meta' && [SCHEMA, Buffer.from(EMPTYING_KEY).toString()].includes(textOf(key));
        if (!isKeptRow) batch.remove(table, key);
      }
      if (batch.count === 0) break;
      store.commit([batch.seal()]);
    }
  }
  const end = new WriteBatch();
  end.remove('meta', EMPTYING_KEY);
  store.commit([end.seal()]);
  return isKept ? copy : null;
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key).toString('utf8');
}
