/**
 * Large files of images as blocks: what an earlier image of the job holds already is not stored again.
 *
 *   <image>/pages-2.img.blocks    the list of the file's blocks, in order
 *   blocks/<epoch>-<number>.pack  blocks that this image was the first to hold, one behind the other
 *
 * A line of the list is `<sha256> <pack> <offset> <bytes>`, or `zero <bytes>` for a block of zeros. Where the block is
 * compressed, ` zstd <stored bytes>` follows. The sum is always of the block itself.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOCK_BYTES, type Compression, type PackedBlock, unpacked } from './block-codec.ts';
import type { BlockWork } from './block-workers.ts';

/** Files below this are stored as they are. */
export const BLOCKED_FROM_BYTES = 262_144;
const READ_BYTES = 1_048_576;

export interface BlockPlace {
  readonly pack: string;
  readonly offset: number;
  /** As stored. */
  readonly bytes: number;
  readonly compression: Compression;
}

export type BlockIndex = Map<string, BlockPlace>;

export interface BlockEntry {
  /** Null for zeros. */
  readonly hash: string | null;
  readonly place: BlockPlace | null;
  /** Of the block itself. */
  readonly bytes: number;
}

export function listText(entries: readonly BlockEntry[]): string {
  return entries.map(lineOf).join('');
}

function lineOf({ hash, place, bytes }: BlockEntry): string {
  if (!place) return `zero ${bytes}\n`;
  const { pack, offset, compression } = place;
  return `${hash} ${pack} ${offset} ${bytes}${compression === 'none' ? '' : ` ${compression} ${place.bytes}`}\n`;
}

/** Throws where a line is not one of a list. */
export function entriesOf(text: string): BlockEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const zero = /^zero (\d+)$/.exec(line);
      if (zero) return { hash: null, place: null, bytes: Number(zero[1]) };
      const parts = /^([0-9a-f]{64}) ([\w-]+\.pack) (\d+) (\d+)(?: (zstd) (\d+))?$/.exec(line);
      if (!parts) throw new Error('the list of blocks is damaged');
      const bytes = Number(parts[4]);
      const compression: Compression = parts[5] === 'zstd' ? 'zstd' : 'none';
      const stored = Number(parts[6] ?? bytes);
      const place = { pack: parts[2] as string, offset: Number(parts[3]), bytes: stored, compression };
      return { hash: parts[1] as string, place, bytes };
    });
}

export function indexOf(lists: readonly (readonly BlockEntry[])[]): BlockIndex {
  const index: BlockIndex = new Map();
  for (const { hash, place } of lists.flat()) if (hash !== null && place) index.set(hash, place);
  return index;
}

/** Appends the blocks that are not in the index yet to a pack. Made when the first such block comes. */
export class PackWriter {
  readonly name: string;
  readonly #folder: string;
  readonly #index: BlockIndex;
  readonly #work: BlockWork;
  #file: FileHandle | null = null;
  #offset = 0;

  constructor(blocksFolder: string, name: string, index: BlockIndex, work: BlockWork) {
    this.#folder = blocksFolder;
    this.name = `${name}.pack`;
    this.#index = index;
    this.#work = work;
  }

  get bytes(): number {
    return this.#offset;
  }

  /** Stores a file; resolves with its list. Chunks are worked on side by side, and placed and written one after the other. */
  async store(path: string): Promise<BlockEntry[]> {
    const entries: BlockEntry[] = [];
    const running: Promise<void>[] = [];
    let placed: Promise<unknown> = Promise.resolve();
    let written: Promise<void> = Promise.resolve();
    const file = await open(path, 'r');
    try {
      for (let chunk = await nextChunk(file); chunk.byteLength > 0; chunk = await nextChunk(file)) {
        const sums = this.#work.sums(chunk);
        const before = placed;
        const here = (async () => {
          const answer = await sums;
          await before;
          return { chunk: answer.chunk, fresh: this.#place(answer.chunk.byteLength, answer.sums, entries) };
        })();
        placed = here;
        const last = written;
        written = (async () => {
          const { chunk: bytes, fresh } = await here;
          const numbers = fresh.map(({ number }) => number);
          const packed = numbers.length > 0 ? await this.#work.pack(bytes, numbers) : [];
          await last;
          await this.#write(fresh, packed);
        })();
        // A fault is thrown where its turn comes.
        for (const promise of [here, written]) promise.catch(() => {});
        running.push(written);
        if (running.length >= this.#work.width) await running.shift();
      }
      await Promise.all(running);
    } finally {
      await Promise.allSettled(running);
      await file.close();
    }
    return entries;
  }

  /** Flushed when it resolves. */
  async close(): Promise<void> {
    await this.#file?.sync();
    await this.#file?.close();
    this.#file = null;
  }

  /** The blocks that must be stored. They get their place when they are written. */
  #place(length: number, sums: readonly (string | null)[], entries: BlockEntry[]): Fresh[] {
    const fresh: Fresh[] = [];
    for (const [number, hash] of sums.entries()) {
      const bytes = Math.min(BLOCK_BYTES, length - number * BLOCK_BYTES);
      const known = hash === null ? null : this.#index.get(hash);
      if (known !== undefined) {
        entries.push({ hash, place: known, bytes });
        continue;
      }
      const place: Unplaced = { pack: this.name, offset: 0, bytes, compression: 'none' };
      this.#index.set(hash as string, place);
      fresh.push({ number, place });
      entries.push({ hash, place, bytes });
    }
    return fresh;
  }

  async #write(fresh: readonly Fresh[], packed: readonly PackedBlock[]): Promise<void> {
    if (fresh.length === 0) return;
    for (const [i, { bytes, compression }] of packed.entries()) {
      Object.assign((fresh[i] as Fresh).place, { offset: this.#offset, bytes: bytes.byteLength, compression });
      this.#offset += bytes.byteLength;
    }
    this.#file ??= await makeFile(join(this.#folder, this.name));
    await this.#file.writeFile(Buffer.concat(packed.map(({ bytes }) => bytes)));
  }
}

/** An image of this name may have been set aside: its pack is read-only, and keeps its bytes for who has it open. */
async function makeFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  return open(path, 'wx', 0o600);
}

type Unplaced = { -readonly [key in keyof BlockPlace]: BlockPlace[key] };

interface Fresh {
  /** In its chunk. */
  readonly number: number;
  readonly place: Unplaced;
}

/** Up to a mebibyte, in memory of its own; whole blocks before the end of the file. */
async function nextChunk(file: FileHandle): Promise<Uint8Array> {
  const chunk = new Uint8Array(READ_BYTES);
  let at = 0;
  while (at < READ_BYTES) {
    const { bytesRead } = await file.read(chunk, at, READ_BYTES - at, null);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return chunk.subarray(0, at);
}

/** Puts a file together again, and verifies each block. Throws a sentence that names the first damaged one. */
export async function assemble(
  blocksFolder: string,
  entries: readonly BlockEntry[],
  target: string | null,
): Promise<void> {
  const packs = new Map<string, FileHandle>();
  const out = target === null ? null : await open(target, 'w', 0o600);
  try {
    let at = 0;
    for (const run of runsOf(entries)) {
      const bytes = run.reduce((sum, entry) => sum + entry.bytes, 0);
      const first = run[0]?.place;
      if (first) {
        const stored = run.reduce((sum, { place }) => sum + (place?.bytes ?? 0), 0);
        const whole = wholeOf(run, await readRun(blocksFolder, packs, first, stored), first.pack);
        await out?.write(whole, 0, bytes, at);
      }
      at += bytes;
    }
    // Zeros are holes.
    await out?.truncate(at);
  } finally {
    await out?.close();
    for (const file of packs.values()) await file.close();
  }
}

/** Blocks that lie one behind the other in a pack, up to a mebibyte: one read and one write for all of them. */
function* runsOf(entries: readonly BlockEntry[]): Generator<readonly BlockEntry[]> {
  let run: BlockEntry[] = [];
  for (const entry of entries) {
    const last = run.at(-1);
    const follows =
      last !== undefined &&
      run.length < READ_BYTES / BLOCK_BYTES &&
      last.place?.pack === entry.place?.pack &&
      (last.place?.offset ?? 0) + (last.place?.bytes ?? 0) === (entry.place?.offset ?? 0);
    if (!follows && run.length > 0) {
      yield run;
      run = [];
    }
    run.push(entry);
  }
  if (run.length > 0) yield run;
}

function wholeOf(run: readonly BlockEntry[], read: Buffer, pack: string): Buffer {
  let at = 0;
  const blocks = run.map(({ hash, place, bytes }) => {
    const stored = place?.bytes ?? 0;
    const block = unpacked(read.subarray(at, at + stored), place?.compression ?? 'none', bytes);
    if (!block || createHash('sha256').update(block).digest('hex') !== hash) {
      throw new Error(`block ${hash?.slice(0, 12)} in blocks/${pack} is damaged`);
    }
    at += stored;
    return block;
  });
  return Buffer.concat(blocks);
}

async function readRun(
  folder: string,
  packs: Map<string, FileHandle>,
  { pack, offset }: BlockPlace,
  bytes: number,
): Promise<Buffer> {
  let file = packs.get(pack);
  if (!file) {
    file = await open(join(folder, pack), 'r').catch(() => {
      throw new Error(`blocks/${pack} is missing`);
    });
    packs.set(pack, file);
  }
  const buffer = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, offset);
  return buffer.subarray(0, bytesRead);
}
