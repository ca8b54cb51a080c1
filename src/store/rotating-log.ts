/**
 * A log file that main alone writes: lines are collected and appended in order, and the file is rotated when it would
 * pass its size: `cairn.log` → `cairn.log.1` → … → `cairn.log.N`, the oldest is removed. A line is never split.
 *
 * Waiting lines are bounded; overflow policy: drop the newest, and say how many were dropped in the next line. A log that
 * cannot be written must not take the server with it.
 */
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface RotationRule {
  readonly sizeMax: number;
  readonly backupsMax: number;
}

const WAITING_MAX = 16 * 1024 * 1024;
const MODE = 0o640;

export class RotatingLog {
  #path: string;
  #rule: RotationRule;
  #waiting: string[] = [];
  #waitingSize = 0;
  #dropped = 0;
  /** Dropped lines that a waiting line tells of, less that line itself; they count as dropped still if it is not written. */
  #announced = 0;
  #file: FileHandle | undefined;
  #size = 0;
  #writing = false;
  /** What is done between two writes, when the lines so far are written. */
  #actions: (() => void)[] = [];
  readonly #droppedLine: (count: number) => string;

  constructor(path: string, rule: RotationRule, droppedLine: (count: number) => string) {
    this.#path = path;
    this.#rule = rule;
    this.#droppedLine = droppedLine;
    mkdirSync(dirname(path), { recursive: true });
  }

  /** Throws where the file could not be appended to. */
  static async probe(path: string): Promise<void> {
    const { file } = await openLog(path);
    await file.close();
  }

  get path(): string {
    return this.#path;
  }

  setRule(rule: RotationRule): void {
    this.#rule = rule;
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
      this.#path = path;
      this.#file = next.file;
      this.#size = next.size;
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
  #between(action: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#actions.push(() => {
        action();
        resolve();
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
      for (const action of actions) action();
    }
    this.#writing = false;
  }

  async #append(text: string, announced: number): Promise<void> {
    try {
      if (!this.#file) {
        const handle = await openLog(this.#path);
        this.#file = handle.file;
        this.#size = handle.size;
      }
      for (const piece of piecesOf(Buffer.from(text), this.#size, this.#rule.sizeMax)) {
        if (piece.rotateFirst) await this.#rotate();
        await (this.#file as FileHandle).appendFile(piece.bytes);
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
    for (let i = Math.max(1, backupsMax); await removed(`${this.#path}.${i}`); i++);
    for (let i = backupsMax - 1; i >= 1; i--)
      await rename(`${this.#path}.${i}`, `${this.#path}.${i + 1}`).catch(ignoreMissing);
    if (backupsMax > 0) await rename(this.#path, `${this.#path}.1`).catch(ignoreMissing);
    else await rm(this.#path, { force: true });
    const handle = await openLog(this.#path);
    this.#file = handle.file;
    this.#size = 0;
  }
}

async function openLog(path: string): Promise<{ file: FileHandle; size: number }> {
  mkdirSync(dirname(path), { recursive: true });
  const file = await open(path, 'a', MODE);
  return { file, size: (await stat(path)).size };
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
