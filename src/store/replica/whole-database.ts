/** A database from one end to the other: what a cluster begins with, and how a server begins again. */
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { makeFolders } from '../files/folders.ts';
import { textKey } from '../kv/keys.ts';
import { copyLmdb } from '../kv/lmdb-store.ts';
import type { Reader, Store } from '../kv/store.ts';
import { TABLES, type Table } from '../kv/tables.ts';
import { type PackedWrites, visitWrites, WriteBatch } from '../kv/write-batch.ts';
import { packLogChange } from '../logs/log-changes.ts';
import type { FrameKind } from './frame.ts';
import { encodePosition, FORMER_KEY, POSITION_KEY, type Position, positionOf, TABLES_AHEAD_KEY } from './history.ts';
import type { ReplicaPeer } from './status.ts';

const SLICE_BYTES = 262_144;
const SLICE_ROWS = 4_096;
const SCHEMA = 'schema';
/** The server that publishes what it has, until it has ended: nobody else leads over a part of it. */
const SEEDER_KEY = textKey('replicaSeeder');
/** Rows of `meta` that each server has for itself. */
const OWN = new Set([SCHEMA, ...[POSITION_KEY, TABLES_AHEAD_KEY, FORMER_KEY, SEEDER_KEY].map(textOf)]);
/** Set while the database is emptied and filled: then it is no use to keep it. */
const EMPTYING_KEY = textKey('replicaEmptying');
const KEPT = new Set([SCHEMA, textOf(EMPTYING_KEY)]);

/** Whether a server has worked on it: a new one has rows of `meta` only. */
export function hasData(reader: Reader): boolean {
  return !isEmptied(reader) && (reader.count('job') > 0 || reader.count('node') > 0);
}

export function seederOf(reader: Reader): ReplicaPeer | null {
  reader.refresh();
  const stored = reader.get('meta', SEEDER_KEY);
  return stored ? (JSON.parse(textOf(stored)) as ReplicaPeer) : null;
}

/** Of a write batch that marks the beginning; null of any other. */
export function seederIn(payload: Uint8Array): ReplicaPeer | null {
  let seeder: ReplicaPeer | null = null;
  const put = (table: Table, key: Uint8Array, value: Uint8Array): void => {
    if (table === 'meta' && Buffer.compare(key, SEEDER_KEY) === 0) seeder = JSON.parse(textOf(value)) as ReplicaPeer;
  };
  if (payload.byteLength > 0) visitWrites(payload as PackedWrites, { put, remove: () => {} });
  return seeder;
}

/** What the first leader of an empty stream proposes. */
export interface Slice {
  readonly kind: FrameKind;
  readonly payload: Uint8Array;
}

/**
 * Every row as write batches, and `logs`, between a mark that it has begun and one that it has ended. Nobody else may write
 * meanwhile.
 */
export async function* seedOf(reader: Reader, logs: AsyncIterable<Slice>, self: ReplicaPeer): AsyncIterable<Slice> {
  const isMarked = hasData(reader);
  if (isMarked) yield { kind: 'writes', payload: seederRow(self) };
  for (const table of TABLES) {
    if (table === 'replicaTail') continue;
    for (const batch of slicesOf(reader, table)) yield { kind: 'writes', payload: batch.seal() };
  }
  yield* logs;
  if (isMarked) yield { kind: 'writes', payload: seederRow(null) };
}

function seederRow(seeder: ReplicaPeer | null): Uint8Array {
  const batch = new WriteBatch();
  if (seeder) batch.put('meta', SEEDER_KEY, textKey(JSON.stringify(seeder)));
  else batch.remove('meta', SEEDER_KEY);
  return batch.seal();
}

/** Every log of a node as changes that make it. */
export async function* logsOf(logFolder: string): AsyncIterable<Slice> {
  const root = join(logFolder, 'nodes');
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const [nodeId = '', ...path] = relative(root, file).split('/');
    const name = { nodeId, path: path.join('/') };
    if (path.length === 0) continue;
    const handle = await open(file);
    try {
      for (let at = 0; ; ) {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(SLICE_BYTES), 0, SLICE_BYTES, at);
        if (bytesRead === 0) break;
        const bytes = buffer.subarray(0, bytesRead);
        yield { kind: 'log', payload: packLogChange({ change: 'append', name, at, bytes }) };
        at += bytesRead;
      }
    } finally {
      await handle.close();
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
