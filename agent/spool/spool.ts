/**
 * Beats that could not be sent, on disk: appended in order, sent in batches, and forgotten only after the server has
 * acknowledged them. Survives the agent's crash; after a loss of power the last minute may be missing, because a spool on
 * a busy worker's disk is worth one fsync a minute and no more.
 *
 *   spool.ndjson   [ acknowledged | waiting ... ]
 *                    0           sentBytes      size
 *   spool.json     {inode, sentBytes}: belongs to the file with that inode; any other file begins at 0
 *
 * Synchronous: it is written to only while the server is away, one line a beat, and what follows needs the order.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BeatMetrics } from '../host/meter.ts';
import { tryRead } from '../host/probe.ts';
import { type Batch, batchOf, cutOldestHalf, wholeLinesEnd } from './spool-lines.ts';

export interface Beat {
  /** RFC 3339: when the metrics were taken. */
  readonly time: string;
  readonly metrics: BeatMetrics;
}

export interface SpoolOptions {
  readonly folder: string;
  readonly nodeId: string;
  readonly monotonicMs: () => number;
  /** Told when a full spool gave up its oldest half. */
  readonly onDropped: (lines: number) => void;
  readonly sizeMax?: number;
}

/** About 35,000 beats with every metric: twelve days at 30 s. */
const SIZE_MAX = 8 * 1_048_576;
export const LINES_PER_BATCH_MAX = 500;
/** 500 lines of a beat with every metric are some 120 KB; longer lines make smaller batches. */
const BATCH_BYTES_MAX = 524_288;
const SYNC_EVERY_MS = 60_000;

export class Spool {
  readonly #options: SpoolOptions;
  readonly #file: string;
  readonly #cursorFile: string;
  #fd: number;
  #inode = '';
  #size = 0;
  #sentBytes = 0;
  #syncedAtMs: number;
  #isDirty = false;

  private constructor(options: SpoolOptions) {
    this.#options = options;
    this.#file = join(options.folder, 'spool.ndjson');
    this.#cursorFile = join(options.folder, 'spool.json');
    this.#fd = openSync(this.#file, 'a+', 0o600);
    this.#syncedAtMs = options.monotonicMs();
  }

  static open(options: SpoolOptions): Spool {
    const spool = new Spool(options);
    spool.#recover();
    return spool;
  }

  get isEmpty(): boolean {
    return this.#sentBytes >= this.#size;
  }

  /** Throws where the disk does not take it; the spool is then as it was. */
  append(beat: Beat): void {
    const line = Buffer.from(`${JSON.stringify({ id: this.#options.nodeId, ...beat })}\n`);
    if (this.#size + line.byteLength > (this.#options.sizeMax ?? SIZE_MAX)) this.#makeRoom();
    this.#write(line);
    this.#size += line.byteLength;
    this.#isDirty = true;
    const nowMs = this.#options.monotonicMs();
    if (nowMs - this.#syncedAtMs >= SYNC_EVERY_MS) this.#sync(nowMs);
  }

  /** The oldest beats that wait. Has lines or skipped lines, unless the spool is empty. */
  peek(): Batch {
    const bytes = this.#read(this.#sentBytes, Math.min(this.#size, this.#sentBytes + BATCH_BYTES_MAX));
    const batch = batchOf(bytes, this.#options.nodeId, LINES_PER_BATCH_MAX);
    // No line end in half a megabyte is no beat of ours: the stretch goes as one bad line.
    return batch.bytes > 0 ? batch : { lines: [], bytes: bytes.byteLength, skipped: 1 };
  }

  /** After the server has taken the batch; nothing may have been removed since it was peeked at. */
  remove(batch: Batch): void {
    this.#sentBytes += batch.bytes;
    if (this.isEmpty) {
      ftruncateSync(this.#fd, 0);
      this.#size = 0;
      this.#sentBytes = 0;
    }
    this.#writeCursor();
  }

  close(): void {
    if (this.#isDirty) fsyncSync(this.#fd);
    closeSync(this.#fd);
  }

  /** A crash may have left half a line at the end, and a cursor that belongs to a file that is gone. */
  #recover(): void {
    const { size, ino } = fstatSync(this.#fd, { bigint: true });
    this.#size = Number(size);
    this.#inode = String(ino);
    const end = wholeLinesEnd(this.#read(0, this.#size));
    if (end < this.#size) ftruncateSync(this.#fd, end);
    this.#size = end;
    const { inode, sentBytes } = cursorOf(tryRead(this.#cursorFile));
    this.#sentBytes = inode === this.#inode && sentBytes <= end ? sentBytes : 0;
  }

  #makeRoom(): void {
    const bytes = this.#read(0, this.#size);
    const { from, dropped } = cutOldestHalf(bytes, this.#sentBytes);
    const temporary = `${this.#file}.new`;
    writeFileSync(temporary, bytes.subarray(from), { mode: 0o600 });
    const fd = openSync(temporary, 'a+', 0o600);
    renameSync(temporary, this.#file);
    closeSync(this.#fd);
    this.#fd = fd;
    // The new file has an inode of its own: a crash here leaves a cursor that no longer counts.
    this.#inode = String(fstatSync(this.#fd, { bigint: true }).ino);
    this.#size = bytes.byteLength - from;
    this.#sentBytes = 0;
    this.#writeCursor();
    if (dropped > 0) this.#options.onDropped(dropped);
  }

  #write(line: Buffer): void {
    try {
      const written = writeSync(this.#fd, line);
      if (written < line.byteLength) throw new Error(`cannot append to ${this.#file}: the disk is full`);
    } catch (error) {
      ftruncateSync(this.#fd, this.#size);
      throw error;
    }
  }

  #read(from: number, to: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
    let filled = 0;
    while (filled < bytes.byteLength) {
      const count = readSync(this.#fd, bytes, filled, bytes.byteLength - filled, from + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  #writeCursor(): void {
    const temporary = `${this.#cursorFile}.new`;
    writeFileSync(temporary, `${JSON.stringify({ inode: this.#inode, sentBytes: this.#sentBytes })}\n`, {
      mode: 0o600,
    });
    renameSync(temporary, this.#cursorFile);
  }

  #sync(nowMs: number): void {
    fsyncSync(this.#fd);
    this.#isDirty = false;
    this.#syncedAtMs = nowMs;
  }
}

function cursorOf(text: string): { inode: string; sentBytes: number } {
  try {
    const { inode, sentBytes } = JSON.parse(text) as { inode?: unknown; sentBytes?: unknown };
    if (
      typeof inode === 'string' &&
      typeof sentBytes === 'number' &&
      Number.isSafeInteger(sentBytes) &&
      sentBytes >= 0
    ) {
      return { inode, sentBytes };
    }
  } catch {
    // Missing or half-written: begin at 0, which sends again rather than loses.
  }
  return { inode: '', sentBytes: 0 };
}
