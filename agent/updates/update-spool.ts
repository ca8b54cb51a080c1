/**
 * Job updates that wait for the server, on disk and in order. An update is flushed when `append` returns, and leaves the
 * file only after the server has acknowledged it. A reply that was lost makes it go again; the server stores an identical
 * event once.
 *
 *   jobs.ndjson   one update a line, oldest first
 *   jobs.sent     how many bytes of it are acknowledged
 */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SentEvent {
  readonly timestamp: string;
  readonly eventType: string;
  readonly nodeOid: string;
  readonly containerId: string;
  readonly detail?: string;
  readonly volumnId?: string;
  readonly stdoutBytes?: number;
  readonly stderrBytes?: number;
}

export interface SpooledUpdate {
  readonly id: string;
  readonly queueName: string;
  readonly epoch: number;
  readonly name?: string;
  readonly cpus?: number;
  readonly memoryInMB?: number;
  readonly batchJobIds?: readonly string[];
  readonly events: readonly SentEvent[];
}

/**
 * Some 200,000 events. Overflow policy: checkpoint events are left out while it is full, what begins and ends a job is
 * not; a job has few of those.
 */
const BYTES_MAX = 64 * 1_048_576;
/** The server takes 1,000 updates a call, in at most 8 MiB. */
export const UPDATES_PER_CALL = 500;
const READ_BYTES = 1_048_576;
const NEWLINE = 0x0a;

export interface UpdateBatch {
  readonly updates: readonly SpooledUpdate[];
  readonly bytes: number;
}

export class UpdateSpool {
  readonly #fd: number;
  readonly #sentFd: number;
  readonly #bytesMax: number;
  #size: number;
  #sent: number;

  constructor(folder: string, bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax;
    this.#fd = openSync(join(folder, 'jobs.ndjson'), 'a+', 0o600);
    this.#sentFd = openSync(join(folder, 'jobs.sent'), 'a+', 0o600);
    const size = fstatSync(this.#fd).size;
    // Half a line is what a crash left of an update whose record says that it must be sent again.
    this.#size = size === 0 ? 0 : wholeEnd(this.#fd, size);
    if (this.#size < size) ftruncateSync(this.#fd, this.#size);
    const sent = Number(this.#readAll(this.#sentFd, 0, 32).toString('utf8').trim() || '0');
    this.#sent = Number.isSafeInteger(sent) && sent >= 0 && sent <= this.#size ? sent : 0;
    // A cursor that does not fit must go before the file grows to where it would.
    if (this.#sent !== sent) this.#keepCursor();
  }

  get isEmpty(): boolean {
    return this.#sent >= this.#size;
  }

  /** Flushed when it returns. False where the spool is full and the update can be spared. */
  append(update: SpooledUpdate): boolean {
    const isSpare = update.events.every(({ eventType }) => eventType.startsWith('Job-Checkpoint'));
    const line = Buffer.from(`${JSON.stringify(update)}\n`);
    if (isSpare && this.#size + line.byteLength > this.#bytesMax) return false;
    try {
      for (let at = 0; at < line.byteLength; ) at += writeSync(this.#fd, line, at);
      fdatasyncSync(this.#fd);
    } catch (error) {
      ftruncateSync(this.#fd, this.#size);
      throw error;
    }
    this.#size += line.byteLength;
    return true;
  }

  /** The oldest updates; none only where the spool is empty or begins with unreadable lines. */
  peek(): UpdateBatch {
    let bytes = this.#readAll(this.#fd, this.#sent, Math.min(READ_BYTES, this.#size - this.#sent));
    if (bytes.indexOf(NEWLINE) < 0) bytes = this.#readAll(this.#fd, this.#sent, this.#size - this.#sent);
    const updates: SpooledUpdate[] = [];
    let at = 0;
    while (updates.length < UPDATES_PER_CALL) {
      const end = bytes.indexOf(NEWLINE, at);
      if (end < 0) break;
      const update = tryUpdate(bytes.toString('utf8', at, end));
      if (update) updates.push(update);
      at = end + 1;
    }
    return { updates, bytes: at };
  }

  /** After the server has answered for every update of the batch. */
  remove({ bytes }: UpdateBatch): void {
    this.#sent += bytes;
    if (this.isEmpty) {
      // In this order: a cursor beyond the file's end counts as none, and the file is empty then.
      ftruncateSync(this.#fd, 0);
      this.#size = 0;
      this.#sent = 0;
    }
    this.#keepCursor();
  }

  close(): void {
    closeSync(this.#fd);
    closeSync(this.#sentFd);
  }

  #keepCursor(): void {
    // Cut off by a crash it is empty, which sends again rather than loses.
    ftruncateSync(this.#sentFd, 0);
    writeSync(this.#sentFd, Buffer.from(String(this.#sent)));
  }

  #readAll(fd: number, from: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(Math.max(0, length));
    let filled = 0;
    while (filled < buffer.byteLength) {
      const count = readSync(fd, buffer, filled, buffer.byteLength - filled, from + filled);
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  }
}

function wholeEnd(fd: number, size: number): number {
  const buffer = Buffer.allocUnsafe(65_536);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - buffer.byteLength);
    const count = readSync(fd, buffer, 0, end - from, from);
    const at = buffer.subarray(0, count).lastIndexOf(NEWLINE);
    if (at >= 0) return from + at + 1;
    end = from;
  }
  return 0;
}

function tryUpdate(line: string): SpooledUpdate | null {
  try {
    const update = JSON.parse(line) as SpooledUpdate;
    return typeof update.id === 'string' && Array.isArray(update.events) ? update : null;
  } catch {
    return null;
  }
}
