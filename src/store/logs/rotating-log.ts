/**
 * A log file that main alone writes: lines are collected and appended in order, and the file is rotated when it would
 * pass its size: `cairn.log` → `cairn.log.1` → … → `cairn.log.N`, the oldest is removed. A line is never split.
 *
 * Bytes have positions that go on through rotations, so that a follower can say where it is:
 *
 *   cairn.log.2   cairn.log.1      cairn.log
 *   ├─────────────┼────────────────┼──────────┤
 *   begin …       begin …          begin      begin + size
 *
 * Waiting lines are bounded; overflow policy: drop the newest, and say how many were dropped in the next line. A log that
 * cannot be written must not take the server with it.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders, makeFoldersSync } from '../files/folders.ts';
import { LogFeed, type LogPlace, type LogSegment, type LogSource } from './log-feed.ts';

/** A file that had the log's name, by what a rename does not change. */
interface PastFile {
  readonly inode: number;
  readonly begin: number;
  readonly end: number;
}

export interface RotationRule {
  readonly sizeMax: number;
  readonly backupsMax: number;
}

const WAITING_MAX = 16 * 1024 * 1024;
const MODE = 0o640;

export class RotatingLog implements LogSource {
  #path: string;
  #rule: RotationRule;
  #waiting: string[] = [];
  #waitingSize = 0;
  #dropped = 0;
  /** Dropped lines that a waiting line tells of, less that line itself; they count as dropped still if it is not written. */
  #announced = 0;
  #file: FileHandle | undefined;
  #size = 0;
  #inode = 0;
  /** Position of the file's first byte. */
  #begin = 0;
  /** Rotated files since the server's start, newest first: the i-th is named `.i+1`. */
  #past: PastFile[] = [];
  #feed = new LogFeed();
  #writing = false;
  /** What is done between two writes, when the lines so far are written. */
  #actions: (() => void | Promise<void>)[] = [];
  readonly #droppedLine: (count: number) => string;

  constructor(path: string, rule: RotationRule, droppedLine: (count: number) => string) {
    this.#path = path;
    this.#rule = rule;
    this.#droppedLine = droppedLine;
    makeFoldersSync(dirname(path));
  }

  /** Throws where the file could not be appended to. Leaves nothing that was not there. */
  static async probe(path: string): Promise<void> {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    const made = await makeFolders(dirname(path));
    try {
      const { file } = await openLog(path);
      await file.close();
    } finally {
      if (!isThere) await rm(path, { force: true });
      if (made !== undefined) await removeEmpty(dirname(path), made);
    }
  }

  get path(): string {
    return this.#path;
  }

  /** What is appended from now on; ends when the log goes on in another file. */
  get feed(): LogFeed {
    return this.#feed;
  }

  /** Files beyond the rule's number go at once. */
  setRule(rule: RotationRule): void {
    this.#rule = rule;
    void this.#between(async () => {
      await removeFrom(this.#path, rule.backupsMax + 1);
      this.#past.length = Math.min(this.#past.length, rule.backupsMax);
    }).catch(() => {});
  }

  /** Where the bytes from `position` on are (null: from the file's beginning); null where they are gone. */
  async locate(position: number | null): Promise<LogPlace | null> {
    let place: LogPlace | null = null;
    await this.#between(async () => {
      if (!this.#file) await this.#open();
      place = this.#placeOf(position ?? this.#begin);
    });
    return place;
  }

  /** Appends one or more complete lines. */
  write(lines: string): void {
    if (this.#waitingSize + lines.length > WAITING_MAX) {
      this.#dropped += countLines(lines);
      return;
    }
    if (this.#dropped > 0) {
      this.#waiting.push(this.#droppedLine(this.#dropped));
      this.#announced += this.#dropped - 1;
      this.#dropped = 0;
    }
    this.#waiting.push(lines);
    this.#waitingSize += lines.length;
    if (!this.#writing) void this.#writeAll();
  }

  /** Resolves when every line so far is written (or was given up on). */
  flush(): Promise<void> {
    return this.#between(() => {});
  }

  /** Goes on in another file; lines written before the call stand in the old one. */
  async moveTo(path: string): Promise<void> {
    const next = await openLog(path);
    let before: FileHandle | undefined;
    await this.#between(() => {
      before = this.#file;
      this.#feed.end();
      this.#feed = new LogFeed();
      this.#path = path;
      this.#past = [];
      this.#begin = 0;
      this.#take(next);
    });
    await before?.close();
  }

  async close(): Promise<void> {
    let file: FileHandle | undefined;
    await this.#between(() => {
      file = this.#file;
      this.#file = undefined;
    });
    await file?.close();
  }

  /** Only the lines so far are waited for: under load there is always another one. */
  #between(action: () => void | Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#actions.push(async () => {
        try {
          await action();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    // A turn later, so that the lines of this turn go out as one write.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0 || this.#actions.length > 0) {
      const text = this.#waiting.join('');
      const announced = this.#announced;
      const actions = this.#actions;
      this.#waiting = [];
      this.#waitingSize = 0;
      this.#announced = 0;
      this.#actions = [];
      if (text !== '') await this.#append(text, announced);
      for (const action of actions) await action();
    }
    this.#writing = false;
  }

  async #append(text: string, announced: number): Promise<void> {
    try {
      if (!this.#file) await this.#open();
      for (const piece of piecesOf(Buffer.from(text), this.#size, this.#rule.sizeMax)) {
        if (piece.rotateFirst) await this.#rotate();
        await (this.#file as FileHandle).appendFile(piece.bytes);
        this.#feed.tell(this.#begin + this.#size, piece.bytes);
        this.#size += piece.bytes.byteLength;
      }
    } catch {
      // Nowhere to say it: the log itself failed. The count of dropped lines says it when it works again.
      this.#dropped += countLines(text) + announced;
      await this.#file?.close().catch(() => {});
      this.#file = undefined;
    }
  }

  async #rotate(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    const { backupsMax } = this.#rule;
    // From the last one on, because there may have been more under an earlier rule.
    await removeFrom(this.#path, Math.max(1, backupsMax));
    for (let i = backupsMax - 1; i >= 1; i--)
      await rename(`${this.#path}.${i}`, `${this.#path}.${i + 1}`).catch(ignoreMissing);
    if (backupsMax > 0) await rename(this.#path, `${this.#path}.1`).catch(ignoreMissing);
    else await rm(this.#path, { force: true });
    const end = this.#begin + this.#size;
    this.#past = [{ inode: this.#inode, begin: this.#begin, end }, ...this.#past].slice(0, backupsMax);
    this.#begin = end;
    this.#inode = 0;
    await this.#open();
  }

  async #open(): Promise<void> {
    const opened = await openLog(this.#path);
    // Somebody else took the file away: positions go on in the new one.
    if (this.#inode !== 0 && opened.inode !== this.#inode) this.#begin += this.#size;
    this.#take(opened);
  }

  #take({ file, size, inode }: OpenedLog): void {
    this.#file = file;
    this.#size = size;
    this.#inode = inode;
  }

  #placeOf(position: number): LogPlace | null {
    const files = [{ inode: this.#inode, begin: this.#begin, end: this.#begin + this.#size }, ...this.#past];
    const segments: LogSegment[] = [];
    for (const [i, { inode, begin, end }] of files.entries()) {
      const path = i === 0 ? this.#path : `${this.#path}.${i}`;
      segments.unshift({ path, inode, from: Math.max(0, position - begin), to: end - begin });
      if (begin <= position) return { segments, end: this.#begin + this.#size };
    }
    return null;
  }
}

interface OpenedLog {
  readonly file: FileHandle;
  readonly size: number;
  readonly inode: number;
}

/** Without waiting for a pipe's reader; what is no file (a pipe, a device) cannot be rotated and is not taken. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

async function openLog(path: string): Promise<OpenedLog> {
  await makeFolders(dirname(path));
  const file = await open(path, APPEND, MODE);
  const stats = await file.stat();
  if (stats.isFile()) return { file, size: stats.size, inode: stats.ino };
  await file.close();
  throw Object.assign(new Error(`${path} is not a regular file`), { code: 'not a regular file' });
}

/** Removes folders from the lowest to the highest, as far as nobody has put anything there. */
async function removeEmpty(lowest: string, highest: string): Promise<void> {
  for (let folder = lowest; folder.length >= highest.length; folder = dirname(folder))
    if (
      !(await rmdir(folder).then(
        () => true,
        () => false,
      ))
    )
      return;
}

/** Removes `.number` and those behind it. */
async function removeFrom(path: string, number: number): Promise<void> {
  for (let i = number; await removed(`${path}.${i}`); i++);
}

interface Piece {
  readonly bytes: Buffer;
  readonly rotateFirst: boolean;
}

/** Cuts a text between lines so that no file passes its size (but for a line that is longer than a file). */
function piecesOf(bytes: Buffer, size: number, sizeMax: number): Piece[] {
  const pieces: Piece[] = [];
  let pieceStart = 0;
  let rotateFirst = false;
  let used = size;
  for (let lineStart = 0; lineStart < bytes.length; ) {
    const lineEnd = bytes.indexOf(0x0a, lineStart) + 1 || bytes.length;
    if (used > 0 && used + lineEnd - lineStart > sizeMax) {
      if (lineStart > pieceStart) pieces.push({ bytes: bytes.subarray(pieceStart, lineStart), rotateFirst });
      pieceStart = lineStart;
      rotateFirst = true;
      used = 0;
    }
    used += lineEnd - lineStart;
    lineStart = lineEnd;
  }
  pieces.push({ bytes: bytes.subarray(pieceStart), rotateFirst });
  return pieces;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

async function removed(path: string): Promise<boolean> {
  return rm(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      ignoreMissing(error);
      return false;
    },
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
