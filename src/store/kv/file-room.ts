/**
 * Room at the end of the database file, made ahead of time. A transaction that makes the file longer has the disk write the
 * file's inode and its map of blocks besides its pages, with each flush: a third of what a small one costs. So the file is
 * made longer by half a mebibyte of zeros now and then, and most transactions write over those.
 *
 * Nothing depends on it: LMDB knows how many of the pages are its own, and where no room can be made, transactions make their
 * own as before.
 */
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

export const STEP_BYTES = 524_288;
/** With less than that behind LMDB's last page, there is more to be made. */
const LOW_BYTES = 131_072;
/** Pages of the trees that a transaction writes beside its values, about. Too few only means that a look comes late. */
const TREE_BYTES = 16_384;
/** Of a disk that has less left, nothing is taken ahead of time. */
export const DISK_MIN_BYTES = 268_435_456;

export interface FileRoomHost {
  /** Bytes up to the end of LMDB's last page. */
  usedBytes(): number;
  /** Bytes that the disk has left. */
  availableBytes(): number;
}

export class FileRoom {
  readonly #path: string;
  readonly #host: FileRoomHost;
  /** What is left, by what transactions have taken since the last look. The file of a store with few of them stays as it is. */
  #left = STEP_BYTES;

  constructor(path: string, host: FileRoomHost) {
    this.#path = path;
    this.#host = host;
  }

  /** A transaction of so many bytes was committed. Never throws. */
  spent(bytes: number): void {
    this.#left -= bytes + TREE_BYTES;
    if (this.#left > 0) return;
    try {
      this.#left = this.#look();
    } catch {
      // A disk that refuses room refuses the next transaction in its own words.
      this.#left = STEP_BYTES;
    }
  }

  /** How much of the file is behind LMDB's last page, with what could be added. */
  #look(): number {
    const file = openSync(this.#path, 'a');
    try {
      const room = fstatSync(file).size - this.#host.usedBytes();
      if (room >= LOW_BYTES) return room;
      if (this.#host.availableBytes() < DISK_MIN_BYTES) return STEP_BYTES;
      return Math.max(room, 0) + writeSync(file, new Uint8Array(STEP_BYTES));
    } finally {
      closeSync(file);
    }
  }
}
