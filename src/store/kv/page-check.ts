/**
 * Whether the pages of a database file lead to each other as they should. LMDB follows a damaged page number wherever it points,
 * and a read behind the end of the file ends the process with SIGBUS: so this reads the file by itself, without LMDB. For a file
 * that nobody writes meanwhile. Layout: `mdb.c` of lmdb 3.5 (data version 2).
 *
 *   meta page (0 and 1; the newer counts):  24 bytes of page header, magic, version, …, free list, main tree, last page, transaction
 *   branch, leaf:   header with own number, flags and bounds; pointers; nodes with key and page number, or key and value
 *   overflow:       header with own number and count of pages; a large value
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const HEADER_SIZE = 24;
const NODE_SIZE = 8;
const TREE_SIZE = 48;
const META = {
  magic: 24,
  version: 28,
  freeTree: 48,
  mainTree: 96,
  lastPage: 144,
  transaction: 152,
  size: 160,
} as const;
const PAGE = { branch: 1, leaf: 2, overflow: 4 } as const;
const NODE = { onOverflowPages: 1, tree: 2 } as const;
/** Keys that are numbers, or compared from their end, have another order. */
const UNORDERED = 0x02 | 0x08;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const DEPTH_MAX = 32;

export interface PageReport {
  /** Pages that were read. */
  readonly pages: number;
  /** What is wrong with the first damaged page; null where all is well. */
  readonly fault: string | null;
}

/** Reads every page that the database uses, of large values the first. Throws where there is no database file. */
export function checkPages(folder: string): PageReport {
  return withFile(folder, (file) => (file.isKnown ? file.check() : { pages: 0, fault: NO_DATABASE }));
}

/**
 * What is wrong with a database file that LMDB must not open; null where it may. Nearly always two reads: only if the file is
 * shorter than the pages that were ever given out (which is well if the last ones are free) are the pages followed.
 * `isNew`: no server has worked on the folder yet, which may have stopped before it wrote anything.
 */
export function databaseFault(folder: string, isNew: boolean): string | null {
  if (!existsSync(join(folder, FILE))) return null;
  return withFile(folder, (file) => {
    if (file.isEmpty) return isNew ? null : 'data.mdb is empty, though a server has worked on this folder';
    if (!file.isKnown) return NO_DATABASE;
    return file.isShort ? file.check().fault : null;
  });
}

const FILE = 'data.mdb';
const NO_DATABASE = 'the first pages of data.mdb are not those of a database';

function withFile<T>(folder: string, use: (file: DatabaseFile) => T): T {
  const descriptor = openSync(join(folder, FILE), 'r');
  try {
    return use(new DatabaseFile(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

class Fault extends Error {}

interface Tree {
  readonly root: bigint;
  readonly isOrdered: boolean;
}

class DatabaseFile {
  readonly isKnown: boolean;
  readonly #descriptor: number;
  readonly #size: number;
  readonly #pageSize: number = 0;
  readonly #meta: Buffer;
  #seen = new Uint8Array(0);
  #pages = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    const first = this.#metaAt(0);
    const pageSize = first?.readUInt32LE(META.freeTree) ?? 0;
    const second = pageSize >= 512 && pageSize <= 65_536 ? this.#metaAt(pageSize) : undefined;
    const metas = [first, second].filter((meta) => meta !== undefined);
    metas.sort((a, b) => Number(b.readBigUInt64LE(META.transaction) - a.readBigUInt64LE(META.transaction)));
    // Taken after the meta pages: a writer extends the file before it writes one.
    this.#size = fstatSync(descriptor).size;
    this.#pageSize = pageSize;
    this.#meta = metas[0] ?? Buffer.alloc(0);
    this.isKnown = second !== undefined;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Shorter than the pages that were ever given out. */
  get isShort(): boolean {
    return BigInt(this.#size) < (this.#meta.readBigUInt64LE(META.lastPage) + 1n) * BigInt(this.#pageSize);
  }

  check(): PageReport {
    this.#seen = new Uint8Array(Math.ceil(this.#size / this.#pageSize / 8) + 1);
    this.#pages = 2;
    try {
      this.#follow(this.#treeIn(this.#meta, META.freeTree));
      this.#follow(this.#treeIn(this.#meta, META.mainTree));
      return { pages: this.#pages, fault: null };
    } catch (error) {
      if (error instanceof Fault) return { pages: this.#pages, fault: error.message };
      throw error;
    }
  }

  #treeIn(bytes: Buffer, at: number): Tree {
    return {
      root: bytes.readBigUInt64LE(at + TREE_SIZE - 8),
      isOrdered: (bytes.readUInt16LE(at + 4) & UNORDERED) === 0,
    };
  }

  #follow({ root, isOrdered }: Tree): void {
    if (root !== NO_PAGE) this.#page(root, isOrdered, 0);
  }

  #page(number: bigint, isOrdered: boolean, depth: number): void {
    const page = this.#read(number, 1n);
    if (depth > DEPTH_MAX) throw new Fault(`page ${number} is too deep in its tree`);
    const flags = page.readUInt16LE(18);
    const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
    const isLeaf = (flags & PAGE.leaf) !== 0;
    if (isLeaf === ((flags & PAGE.branch) !== 0)) throw new Fault(`page ${number} is neither a branch nor a leaf`);
    if (lower > upper || upper + HEADER_SIZE > this.#pageSize || lower % 2 !== 0)
      throw new Fault(`page ${number} has impossible bounds`);
    let before: Buffer | undefined;
    for (let i = 0; i < lower / 2; i++) {
      const at = page.readUInt16LE(HEADER_SIZE + 2 * i) + HEADER_SIZE;
      const keyEnd = at + NODE_SIZE + (at + NODE_SIZE <= this.#pageSize ? page.readUInt16LE(at + 6) : 0);
      if (at < HEADER_SIZE + upper || keyEnd > this.#pageSize)
        throw new Fault(`entry ${i} of page ${number} lies outside of the page`);
      const key = page.subarray(at + NODE_SIZE, keyEnd);
      // The first key of a branch stands for everything below the second.
      if (isOrdered && before && (isLeaf || i > 1) && Buffer.compare(before, key) >= 0)
        throw new Fault(`the keys of page ${number} are out of order`);
      before = key;
      if (isLeaf) this.#leafNode(page, number, at, keyEnd);
      else this.#page(this.#childIn(page, at), isOrdered, depth + 1);
    }
  }

  #childIn(page: Buffer, at: number): bigint {
    return BigInt(page.readUInt32LE(at)) + (BigInt(page.readUInt16LE(at + 4)) << 32n);
  }

  #leafNode(page: Buffer, number: bigint, at: number, valueAt: number): void {
    const flags = page.readUInt16LE(at + 4);
    const size = page.readUInt32LE(at);
    const isOver = (flags & NODE.onOverflowPages) !== 0;
    const held = isOver ? 24 : size;
    if (valueAt + held > this.#pageSize) throw new Fault(`a value of page ${number} ends outside of the page`);
    if ((flags & NODE.tree) !== 0) {
      if (size !== TREE_SIZE) throw new Fault(`page ${number} names a table that has no root`);
      this.#follow(this.#treeIn(page, valueAt));
    }
    if (!isOver) return;
    const [first, count] = [page.readBigUInt64LE(valueAt), page.readBigUInt64LE(valueAt + 16)];
    if (count < 1n || BigInt(size) + BigInt(HEADER_SIZE) > count * BigInt(this.#pageSize))
      throw new Fault(`a value of page ${number} does not fit into its pages`);
    const head = this.#read(first, count);
    if ((head.readUInt16LE(18) & PAGE.overflow) === 0 || BigInt(head.readUInt32LE(20)) !== count)
      throw new Fault(`page ${first} is not the large value that page ${number} says`);
  }

  /** The first of some pages in a row, each of which belongs to one place only. */
  #read(number: bigint, count: bigint): Buffer {
    if (number < 2n || (number + count) * BigInt(this.#pageSize) > BigInt(this.#size))
      throw new Fault(`page ${number} is used, but lies behind the end of the file`);
    const first = Number(number);
    for (let at = first; at < first + Number(count); at++) {
      const bit = 1 << (at & 7);
      if (((this.#seen[at >> 3] as number) & bit) !== 0) throw new Fault(`page ${at} is used twice`);
      this.#seen[at >> 3] = (this.#seen[at >> 3] as number) | bit;
    }
    this.#pages += Number(count);
    const page = Buffer.allocUnsafe(this.#pageSize);
    readSync(this.#descriptor, page, 0, this.#pageSize, first * this.#pageSize);
    if (page.readBigUInt64LE(0) !== number) throw new Fault(`page ${number} says that it is another`);
    return page;
  }

  #metaAt(at: number): Buffer | undefined {
    const meta = Buffer.alloc(META.size);
    const read = readSync(this.#descriptor, meta, 0, META.size, at);
    const isMeta = read === META.size && meta.readUInt32LE(META.magic) === MAGIC;
    return isMeta && (meta.readUInt32LE(META.version) & 0xffff) === DATA_VERSION ? meta : undefined;
  }
}
