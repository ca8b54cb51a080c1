/**
 * A snapshot: the database and the node logs of one server, in the object store, for a server that the stream does not reach back to.
 * The logs are those at the snapshot's place in the stream, the database may be a little further: between the two, the stream's
 * changes are made to logs only (`History`).
 *
 *   object:   length (u32) │ sealed piece        … repeated
 *   pieces:   JSON of the entry, then its bytes, for each entry; the first entry is `data.mdb`, the rest are logs
 */
import { createReadStream } from 'node:fs';
import { link, lstat, open, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { CodedError } from '../../base/errors.ts';
import { makeFolders } from '../files/folders.ts';
import { nodeLogFile } from '../logs/node-log-name.ts';
import type { Position } from './history.ts';
import type { Seal } from './seal.ts';

const PIECE_SIZE = 126_976;
const DATABASE = 'data.mdb';

interface EntryHead {
  /** `data.mdb`, or node id and path of a log. */
  readonly path: string;
  readonly size: number;
  /** With the first. */
  readonly position?: { readonly sequence: number; readonly digest: string; readonly term: number };
}

export interface LinkedLog {
  readonly path: string;
  readonly file: string;
  readonly size: number;
}

/**
 * Holds the logs as they are now, without copying them: what is appended later lies behind their size, and any other change of a
 * file makes a new file. Nothing may change a log meanwhile.
 */
export async function linkLogs(logFolder: string, staging: string): Promise<LinkedLog[]> {
  await rm(staging, { recursive: true, force: true });
  await makeFolders(staging, 0o700);
  const root = join(logFolder, 'nodes');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const linked: LinkedLog[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const held = join(staging, `${linked.length}`);
    await link(file, held);
    linked.push({ path: relative(root, file), file: held, size: (await lstat(held)).size });
  }
  return linked;
}

export async function* snapshotOf(
  databaseFile: string,
  logs: readonly LinkedLog[],
  position: Position,
  seal: Seal,
): AsyncIterable<Uint8Array> {
  const digest = Buffer.from(position.digest).toString('hex');
  const { size } = await lstat(databaseFile);
  const database = { path: DATABASE, size, position: { ...position, digest } };
  for (const { head, file } of [
    { head: database, file: databaseFile },
    ...logs.map(({ path, file, size: logSize }) => ({ head: { path, size: logSize }, file })),
  ]) {
    yield framed(seal.seal(Buffer.from(JSON.stringify(head satisfies EntryHead))));
    if (head.size === 0) continue;
    let read = 0;
    for await (const piece of createReadStream(file, { end: head.size - 1, highWaterMark: PIECE_SIZE })) {
      read += (piece as Buffer).byteLength;
      yield framed(seal.seal(piece as Buffer));
    }
    if (read !== head.size) throw new CodedError('internal', `${head.path} has become shorter while it was copied`);
  }
}

/** Unpacks the database into `staging` and the logs to their places; where in the stream they are. */
export async function unpackSnapshot(
  source: AsyncIterable<Uint8Array>,
  staging: string,
  logFolder: string,
  seal: Seal,
): Promise<Position> {
  await rm(staging, { recursive: true, force: true });
  await makeFolders(staging, 0o700);
  let position: Position | null = null;
  const pieces = unframed(source)[Symbol.asyncIterator]();
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    const head = JSON.parse(Buffer.from(seal.open(next.value)).toString('utf8')) as EntryHead;
    if (head.position) position = { ...head.position, digest: Buffer.from(head.position.digest, 'hex') };
    const [nodeId = '', ...path] = head.path.split('/');
    const file =
      head.path === DATABASE ? join(staging, DATABASE) : nodeLogFile(logFolder, { nodeId, path: path.join('/') });
    if (!file) throw broken();
    await makeFolders(dirname(file), 0o750);
    const handle = await open(file, 'w', 0o640);
    try {
      for (let written = 0; written < head.size; ) {
        const piece = await pieces.next();
        if (piece.done) throw broken();
        const bytes = seal.open(piece.value);
        await handle.writeFile(bytes);
        written += bytes.byteLength;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
  if (!position) throw broken();
  return position;
}

function framed(sealed: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(sealed.byteLength);
  return Buffer.concat([length, sealed]);
}

async function* unframed(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const bytes of source) {
    rest = Buffer.concat([rest, bytes]);
    while (rest.byteLength >= 4 && rest.byteLength >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE();
      yield rest.subarray(4, end);
      rest = rest.subarray(end);
    }
  }
  if (rest.byteLength > 0) throw broken();
}

function broken(): CodedError {
  return new CodedError('internal', 'a snapshot of the cluster ends too early');
}
