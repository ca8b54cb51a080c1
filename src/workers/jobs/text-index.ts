/**
 * In which jobs a text may be, known by heart: jobs in the order of createdAt in blocks of a few, and of each block a set of
 * bits for every four bytes in a row that stand in the texts of its jobs. A text that is looked for is in none but those
 * blocks whose bits have all of its fours; these are read. A search over all jobs costs a microsecond each without it.
 *
 *           bits of four ─►  0  1  2 …  4095
 *   group 0, blocks 0 … 31   ·  ·  ·         a word of 32 bits each: one look says it of 32 blocks
 *   group 1, blocks 32 … 63  ·  ·  ·
 *
 * One a thread, made when somebody first looks for a text and in turns with other work, then corrected by the keys that
 * transactions tell of (`Reader.changedSince`). Bounds: 64 bytes a job for at most JOBS_MAX. Overflow policy: no index, and
 * searches are what they are without it.
 */
import { compareKeys } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';

const BLOCK_JOBS = 8;
/** Bits of a block; a text of 150 bytes sets some 200 of them. */
const BITS = 4_096;
const GROUP_BLOCKS = 32;
/** 32 MB. */
export const JOBS_MAX = 500_000;
/** Blocks that are read in one go, by a search or in a turn of the index itself: 1 to 2 ms. */
const BLOCKS_AT_ONCE = 64;
/** Where the text may be in more blocks it is frequent, and the next job with it is not far wherever one looks. */
const CANDIDATES_MAX = 400;
const FOUR = 4;
const NOTHING = new Uint8Array(0);

interface Block {
  /** Rows from here on, up to the next block's. */
  readonly first: Uint8Array;
  readonly slot: number;
  rows: number;
}

export class TextIndex {
  readonly #jobsMax: number;
  #blocks: Block[] = [];
  readonly #groups: Uint32Array[] = [];
  #freeSlots: number[] = [];
  #slots = 0;
  #rows = 0;
  /** Of the table, as far as blocks are true or stale; −1 before the first look. */
  #version = -1;
  /** Blocks in which something has been written since they were read. */
  readonly #stale = new Set<Block>();
  /** Where to read on; null when all is read. */
  #next: Uint8Array | null = NOTHING;
  #working: Promise<void> | null = null;
  #isTooLarge = false;

  constructor(jobsMax = JOBS_MAX) {
    this.#jobsMax = jobsMax;
  }

  /**
   * Rows of `jobByCreated` with the text, in order, as the reader sees them: all, or undefined where the index does not know (it
   * is not complete, the text is shorter than four bytes, or there are more than `max`).
   */
  find(reader: Reader, text: Buffer, max: number): Uint8Array[] | undefined {
    if (text.byteLength < FOUR) return undefined;
    this.#note(reader);
    if (this.#next !== null || this.#stale.size > BLOCKS_AT_ONCE) return undefined;
    this.#correct(reader, BLOCKS_AT_ONCE);
    if (this.#next !== null) return undefined;
    const candidates = this.#candidates(text);
    if (!candidates) return undefined;
    const found: Uint8Array[] = [];
    for (const at of candidates) {
      for (const { key, value } of reader.range('jobByCreated', this.#rangeOf(at))) {
        if (!Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(text)) continue;
        if (found.length === max) return undefined;
        found.push(key);
      }
    }
    return found;
  }

  /**
   * Makes and corrects the index, a slice in a turn of the event loop; resolves when that is done. A thread of the pool has turns
   * as long as it has tasks, so that one of them must wait for this.
   */
  keepUp(reader: Reader): Promise<void> {
    if (this.#isTooLarge || (this.#next === null && this.#stale.size === 0)) return Promise.resolve();
    this.#working ??= this.#workInTurns(reader).finally(() => {
      this.#working = null;
    });
    return this.#working;
  }

  async #workInTurns(reader: Reader): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve));
      reader.refresh();
    } while (!this.work(reader));
  }

  /** A slice of work, of the state of the store that the reader is at; whether nothing is left. */
  work(reader: Reader): boolean {
    this.#note(reader);
    if (this.#correct(reader, BLOCKS_AT_ONCE) && this.#next !== null) this.#readOn(reader, this.#next);
    if (this.#rows > this.#jobsMax) {
      this.#isTooLarge = true;
      this.#forget();
      return true;
    }
    return this.#next === null && this.#stale.size === 0;
  }

  /** What transactions have written makes blocks stale. What is not read yet will be read as it is then. */
  #note(reader: Reader): void {
    const version = reader.version('jobByCreated');
    if (version === this.#version) return;
    const keys = this.#version < 0 ? null : reader.changedSince('jobByCreated', this.#version);
    this.#version = version;
    if (!keys) this.#forget();
    else
      for (const key of keys)
        if (this.#next === null || compareKeys(key, this.#next) < 0)
          this.#stale.add(this.#blocks[this.#placeOf(key)] as Block);
  }

  #forget(): void {
    this.#blocks = [];
    this.#groups.length = 0;
    this.#freeSlots = [];
    this.#slots = 0;
    this.#rows = 0;
    this.#stale.clear();
    this.#next = NOTHING;
  }

  /** Reads so many stale blocks again; whether none is left. */
  #correct(reader: Reader, max: number): boolean {
    let left = max;
    for (const block of this.#stale) {
      if (left-- === 0) return false;
      this.#stale.delete(block);
      this.#readAgain(reader, block);
    }
    // Blocks of which most rows have gone are as large as they were.
    if (this.#next === null && this.#blocks.length > 64 && this.#rows * 4 < this.#blocks.length * BLOCK_JOBS)
      this.#forget();
    return this.#stale.size === 0;
  }

  #readAgain(reader: Reader, block: Block): void {
    const at = this.#placeOf(block.first);
    const rows = [...reader.range('jobByCreated', this.#rangeOf(at))];
    this.#rows -= block.rows;
    this.#free(block.slot);
    // The first block has whatever comes before all others.
    const fresh = this.#blocksOf(rows, block.first, at === 0);
    this.#blocks.splice(at, 1, ...fresh);
  }

  #readOn(reader: Reader, from: Uint8Array): void {
    const limit = BLOCKS_AT_ONCE * BLOCK_JOBS;
    const rows = [...reader.range('jobByCreated', { ...(from.length > 0 ? { start: from } : {}), limit: limit + 1 })];
    const next = rows.length > limit ? rows.pop()?.key : undefined;
    for (const block of this.#blocksOf(rows, from, this.#blocks.length === 0)) this.#blocks.push(block);
    this.#next = next ?? null;
  }

  /** The first begins at `first`, so that blocks leave nothing out between them. */
  #blocksOf(
    rows: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[],
    first: Uint8Array,
    isNeeded: boolean,
  ): Block[] {
    const blocks: Block[] = [];
    for (let from = 0; from < rows.length || (isNeeded && from === 0); from += BLOCK_JOBS) {
      const some = rows.slice(from, from + BLOCK_JOBS);
      const slot = this.#take();
      for (const { value } of some) this.#set(slot, value);
      blocks.push({ first: from === 0 ? first : (some[0] as { key: Uint8Array }).key, slot, rows: some.length });
      this.#rows += some.length;
    }
    return blocks;
  }

  #take(): number {
    const slot = this.#freeSlots.pop() ?? this.#slots++;
    const group = Math.floor(slot / GROUP_BLOCKS);
    if (group === this.#groups.length) this.#groups.push(new Uint32Array(BITS));
    return slot;
  }

  #free(slot: number): void {
    const group = this.#groups[Math.floor(slot / GROUP_BLOCKS)] as Uint32Array;
    const others = ~(1 << (slot % GROUP_BLOCKS));
    for (let i = 0; i < BITS; i++) group[i] = (group[i] as number) & others;
    this.#freeSlots.push(slot);
  }

  #set(slot: number, text: Uint8Array): void {
    const group = this.#groups[Math.floor(slot / GROUP_BLOCKS)] as Uint32Array;
    const bit = 1 << (slot % GROUP_BLOCKS);
    for (let i = FOUR; i <= text.length; i++) {
      const hash = hashAt(text, i - FOUR);
      const [a, b] = [hash >>> 20, (hash >>> 8) & (BITS - 1)];
      group[a] = (group[a] as number) | bit;
      group[b] = (group[b] as number) | bit;
    }
  }

  /** Places of the blocks that may have the text, in order; undefined where they are too many. */
  #candidates(text: Buffer): number[] | undefined {
    const wanted: number[] = [];
    for (let i = FOUR; i <= text.length; i++) {
      const hash = hashAt(text, i - FOUR);
      wanted.push(hash >>> 20, (hash >>> 8) & (BITS - 1));
    }
    const slots = new Set<number>();
    for (const [number, group] of this.#groups.entries()) {
      let blocks = -1;
      for (let i = 0; i < wanted.length && blocks !== 0; i++) blocks &= group[wanted[i] as number] as number;
      for (; blocks !== 0; blocks &= blocks - 1) {
        if (slots.size === CANDIDATES_MAX) return undefined;
        slots.add(number * GROUP_BLOCKS + 31 - Math.clz32(blocks & -blocks));
      }
    }
    const places: number[] = [];
    for (let place = 0; place < this.#blocks.length && places.length < slots.size; place++)
      if (slots.has((this.#blocks[place] as Block).slot)) places.push(place);
    return places;
  }

  #rangeOf(place: number): { start?: Uint8Array; end?: Uint8Array } {
    const { first } = this.#blocks[place] as Block;
    const end = this.#blocks[place + 1]?.first ?? this.#next;
    return { ...(first.length > 0 ? { start: first } : {}), ...(end ? { end } : {}) };
  }

  /** Of the block that a row is in, or would be. */
  #placeOf(key: Uint8Array): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (compareKeys((this.#blocks[middle] as Block).first, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function hashAt(text: Uint8Array, at: number): number {
  const four =
    (text[at] as number) |
    ((text[at + 1] as number) << 8) |
    ((text[at + 2] as number) << 16) |
    ((text[at + 3] as number) << 24);
  const mixed = Math.imul(four ^ (four >>> 15), 0x2c1b3c6d);
  return Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39) ^ (mixed >>> 15);
}

const indexes = new WeakMap<Reader, TextIndex>();

/** That of the reader's store, in this thread. */
export function textIndexOf(reader: Reader): TextIndex {
  let index = indexes.get(reader);
  if (!index) {
    index = new TextIndex();
    indexes.set(reader, index);
  }
  return index;
}
