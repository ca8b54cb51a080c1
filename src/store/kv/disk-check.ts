/**
 * Whether the disk can be expected to take a transaction. LMDB is not asked before, because lmdb 3.5.6 writes beyond the buffer
 * of its message when one of its own writes fails (`mdb_page_flush` in its mdb.c), which damages the heap and ends the process
 * sooner or later. See docs/decisions/0182-failing-writes.md.
 */
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { CodedError } from '../../base/errors.ts';
import { bytesAllowed } from './process-limits.ts';

/** What a transaction needs beside its values: copies of the pages on the way to them, and the list of free pages. */
const RESERVE_BYTES = 2_097_152;
const BYTES_PER_BYTE = 4;
const PROBE = '.probe';
const PROBE_BYTES_MIN = 65_536;
const PAUSE_MS = 100;
const PAUSE_MS_MAX = 5_000;

/** A disk with so much room is not looked at again for a moment: nobody fills it in so short a time. A look costs as much as a heartbeat. */
const AMPLE_BYTES = 1_073_741_824;
const AMPLE_MS = 100;

/** How long a file of this process may be (`ulimit -f`). LMDB calls a write that it cuts an I/O error. */
const FILE_BYTES_MAX = bytesAllowed('Max file size');

/** By how many bytes the database in the folder can grow. */
export function roomIn(folder: string, fileBytesMax = FILE_BYTES_MAX): number {
  const { bavail, bsize } = statfsSync(folder);
  const left = bavail * bsize;
  if (fileBytesMax === Number.POSITIVE_INFINITY) return left;
  const size = statSync(join(folder, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0;
  return Math.min(left, Math.max(0, fileBytesMax - size));
}

export class DiskCheck {
  readonly #folder: string;
  /** Bytes that the database can write without growing. */
  readonly #freeInside: () => number;
  readonly #monotonicMs: () => number;
  readonly #fileBytesMax: number;
  /** Transactions that the disk failed, since the last one that it took. */
  #failures = 0;
  #lastFailure: CodedError | undefined;
  #againMs = 0;
  #ampleUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    folder: string,
    freeInside: () => number,
    monotonicMs: () => number = () => performance.now(),
    fileBytesMax = FILE_BYTES_MAX,
  ) {
    this.#folder = folder;
    this.#fileBytesMax = fileBytesMax;
    this.#freeInside = freeInside;
    this.#monotonicMs = monotonicMs;
  }

  /** Throws `storageFull` or `storageFailed` if the disk would probably not take the transaction. */
  mustTake(bytes: number): void {
    const needed = RESERVE_BYTES + BYTES_PER_BYTE * bytes;
    if (!this.#isAmple(needed) && this.#roomNow() < needed && this.#freeInside() < needed)
      throw new CodedError('storageFull');
    if (!this.#lastFailure) return;
    if (this.#monotonicMs() < this.#againMs) throw this.#lastFailure;
    this.#probe(Math.max(bytes, PROBE_BYTES_MIN));
  }

  #isAmple(needed: number): boolean {
    return needed < AMPLE_BYTES / 2 && this.#monotonicMs() < this.#ampleUntilMs;
  }

  #roomNow(): number {
    const room = roomIn(this.#folder, this.#fileBytesMax);
    this.#ampleUntilMs = room < AMPLE_BYTES ? Number.NEGATIVE_INFINITY : this.#monotonicMs() + AMPLE_MS;
    return room;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#lastFailure = undefined;
  }

  /** The next ones are refused for a while, a longer one each time, and then only if the disk takes as much of a plain file. */
  failed(failure: CodedError): void {
    this.#lastFailure = failure;
    this.#ampleUntilMs = Number.NEGATIVE_INFINITY;
    this.#againMs = this.#monotonicMs() + Math.min(PAUSE_MS * 2 ** this.#failures++, PAUSE_MS_MAX);
  }

  #probe(bytes: number): void {
    const path = join(this.#folder, PROBE);
    try {
      const file = openSync(path, 'w', 0o600);
      try {
        for (let written = 0; written < bytes; ) written += writeSync(file, Buffer.alloc(bytes - written));
        fsyncSync(file);
      } finally {
        closeSync(file);
        rmSync(path, { force: true });
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isFull = code === 'ENOSPC' || code === 'EDQUOT';
      const failure = new CodedError(isFull ? 'storageFull' : 'storageFailed', `cannot write to the disk: ${code}`);
      this.failed(isFull ? new CodedError('storageFull') : failure);
      throw this.#lastFailure;
    }
  }
}
