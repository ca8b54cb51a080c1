/**
 * Makes of a killed process a power cut: takes away what it had not flushed, by the records of `shim/faults.c`.
 *
 * The model is that of ext4, xfs and btrfs: a write is safe after an fsync of its file (or at once where the file was opened
 * with O_DSYNC), a rename or an unlink after an fsync of its folder, and a new name with the first fsync of what it names.
 * For each file and folder the cut takes all that was not flushed, or nothing of it, as the seed says.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../src/base/random.ts';

const WRITE = 1;
const SYNC = 2;
const TRUNCATE = 3;
const RENAME = 4;
const HEAD_BYTES = 16 + 5 * 8;

interface UndoRecord {
  readonly kind: number;
  /** Of a write: it was flushed when it returned. */
  readonly isFlushed: boolean;
  readonly inode: number;
  /** Of a sync: the last one before it. */
  readonly sequence: number;
  readonly offset: number;
  readonly oldSize: number;
  readonly path: string;
  readonly other: string;
  readonly bytes: Buffer;
}

/** Takes back what the power cut loses. Returns how many writes, cuts and names those were. */
export function cutPower(undoFolder: string, roots: readonly string[], random: Random, loseAll = false): number {
  const file = join(undoFolder, 'records');
  const records = existsSync(file) ? recordsIn(readFileSync(file)) : [];
  const flushed = lastFlushes(records);
  const isLost = new Map<number | string, boolean>();
  const loses = (what: number | string): boolean => {
    const known = isLost.get(what) ?? (loseAll || random.chance(0.7));
    isLost.set(what, known);
    return known;
  };
  const files = filesBelow(roots);
  const lateFlush = lastFlushedWrites(records);
  let lost = 0;
  for (const record of records.toReversed()) {
    const isData = record.kind === WRITE || record.kind === TRUNCATE;
    if (isData) {
      const path = files.get(record.inode);
      if (record.isFlushed || record.sequence <= (flushed.get(record.inode) ?? 0)) continue;
      if (path === undefined || !loses(record.inode)) continue;
      restore(path, record, record.sequence < (lateFlush.get(record.inode) ?? 0));
      lost++;
    } else if (record.kind !== SYNC) {
      const folder = dirname(record.kind === RENAME ? record.other : record.path);
      const inode = statSync(folder, { throwIfNoEntry: false })?.ino;
      if (inode === undefined || record.sequence <= (flushed.get(inode) ?? 0) || !loses(folder)) continue;
      takeBackName(undoFolder, record, files);
      lost++;
    }
  }
  rmSync(undoFolder, { recursive: true, force: true });
  return lost;
}

/** Inode → the newest record that a flush of it made safe. */
function lastFlushes(records: readonly UndoRecord[]): Map<number, number> {
  const flushed = new Map<number, number>();
  for (const { kind, inode, sequence } of records)
    if (kind === SYNC) flushed.set(inode, Math.max(sequence, flushed.get(inode) ?? 0));
  return flushed;
}

function lastFlushedWrites(records: readonly UndoRecord[]): Map<number, number> {
  const late = new Map<number, number>();
  for (const { isFlushed, inode, sequence } of records) if (isFlushed) late.set(inode, sequence);
  return late;
}

function restore(path: string, { offset, oldSize, bytes }: UndoRecord, keepsSize: boolean): void {
  const file = openSync(path, 'r+');
  try {
    if (bytes.length > 0) writeSync(file, bytes, 0, bytes.length, offset);
    if (!keepsSize && fstatSync(file).size > oldSize) ftruncateSync(file, oldSize);
  } finally {
    closeSync(file);
  }
}

function takeBackName(undoFolder: string, record: UndoRecord, files: Map<number, string>): void {
  const kept = join(undoFolder, String(record.sequence));
  const replaced = record.kind === RENAME ? record.other : record.path;
  if (record.kind === RENAME && existsSync(record.other)) {
    renameSync(record.other, record.path);
    files.set(statSync(record.path).ino, record.path);
  }
  if (!existsSync(kept)) return;
  // A copy, because the folder of records may be on another file system than what it came from.
  renameOrCopy(kept, replaced);
  files.set(statSync(replaced).ino, replaced);
}

function renameOrCopy(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function recordsIn(bytes: Buffer): UndoRecord[] {
  const records: UndoRecord[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const word = (i: number): number => bytes.readUInt32LE(at + 4 * i);
    const long = (i: number): number => Number(bytes.readBigInt64LE(at + 16 + 8 * i));
    const [pathEnd, otherEnd] = [HEAD_BYTES + word(1), HEAD_BYTES + word(1) + word(2)];
    const end = otherEnd + long(4);
    // The last one may be cut by the kill; what it would have undone was not written.
    if (at + end > bytes.length) break;
    records.push({
      kind: word(0),
      isFlushed: word(3) !== 0,
      inode: long(0),
      sequence: long(1),
      offset: long(2),
      oldSize: long(3),
      path: bytes.toString('utf8', at + HEAD_BYTES, at + pathEnd),
      other: bytes.toString('utf8', at + pathEnd, at + otherEnd),
      bytes: bytes.subarray(at + otherEnd, at + end),
    });
    at += end;
  }
  return records;
}

function filesBelow(roots: readonly string[]): Map<number, string> {
  const files = new Map<number, string>();
  for (const root of roots.filter((path) => existsSync(path)))
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      const info = statSync(join(root, name), { throwIfNoEntry: false });
      if (info?.isFile()) files.set(info.ino, join(root, name));
    }
  return files;
}
