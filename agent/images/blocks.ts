/**
 * Large files of images as blocks: what an earlier image of the job holds already is not stored again.
 *
 *   <image>/pages-2.img.blocks    the list of the file's blocks, in order
 *   blocks/<epoch>-<number>.pack  blocks that this image was the first to hold, one behind the other
 *
 * A line of the list is `<sha256> <pack> <offset> <bytes>`, or `zero <bytes>` for a block of zeros.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** Two images of a process in its stride differ by some 1.2 MiB in 4 KiB blocks, by 2.1 MiB in these, with a sixteenth of the list. */
export const BLOCK_BYTES = 65_536;
/** Files below this are stored as they are. */
export const BLOCKED_FROM_BYTES = 262_144;
const READ_BYTES = 1_048_576;

export interface BlockPlace {
  readonly pack: string;
  readonly offset: number;
  readonly bytes: number;
}

export type BlockIndex = Map<string, BlockPlace>;

export interface BlockEntry {
  /** Null for zeros. */
  readonly hash: string | null;
  readonly place: BlockPlace | null;
  readonly bytes: number;
}

export function listText(entries: readonly BlockEntry[]): string {
  return entries
    .map(({ hash, place, bytes }) => (place ? `${hash} ${place.pack} ${place.offset} ${bytes}\n` : `zero ${bytes}\n`))
    .join('');
}

/** Throws where a line is not one of a list. */
export function entriesOf(text: string): BlockEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const zero = /^zero (\d+)$/.exec(line);
      if (zero) return { hash: null, place: null, bytes: Number(zero[1]) };
      const parts = /^([0-9a-f]{64}) ([\w-]+\.pack) (\d+) (\d+)$/.exec(line);
      if (!parts) throw new Error('the list of blocks is damaged');
      const bytes = Number(parts[4]);
      const place = { pack: parts[2] as string, offset: Number(parts[3]), bytes };
      return { hash: parts[1] as string, place, bytes };
    });
}

export function indexOf(lists: readonly (readonly BlockEntry[])[]): BlockIndex {
  const index: BlockIndex = new Map();
  for (const { hash, place } of lists.flat()) if (hash !== null && place) index.set(hash, place);
  return index;
}

const ZEROS = Buffer.alloc(BLOCK_BYTES);

/** Appends the blocks that are not in the index yet to a pack. Made when the first such block comes. */
export class PackWriter {
  readonly name: string;
  readonly #folder: string;
  readonly #index: BlockIndex;
  #file: FileHandle | null = null;
  #offset = 0;

  constructor(blocksFolder: string, name: string, index: BlockIndex) {
    this.#folder = blocksFolder;
    this.name = `${name}.pack`;
    this.#index = index;
  }

  get bytes(): number {
    return this.#offset;
  }

  /** Stores a file; resolves with its list. */
  async store(path: string): Promise<BlockEntry[]> {
    const entries: BlockEntry[] = [];
    let rest = Buffer.alloc(0);
    const take = async (bytes: Buffer, isLast: boolean): Promise<void> => {
      const fresh: Buffer[] = [];
      let at = 0;
      while (at < bytes.byteLength && (isLast || bytes.byteLength - at >= BLOCK_BYTES)) {
        const block = bytes.subarray(at, at + BLOCK_BYTES);
        at += block.byteLength;
        entries.push(this.#place(block, fresh));
      }
      rest = Buffer.from(bytes.subarray(at));
      if (fresh.length > 0) await this.#write(Buffer.concat(fresh));
    };
    // Between two chunks others have their turn: a mebibyte is hashed in a millisecond.
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
      await take(rest.byteLength === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]), false);
    }
    if (rest.byteLength > 0) await take(rest, true);
    return entries;
  }

  /** Flushed when it resolves. */
  async close(): Promise<void> {
    await this.#file?.sync();
    await this.#file?.close();
    this.#file = null;
  }

  #place(block: Buffer, fresh: Buffer[]): BlockEntry {
    const bytes = block.byteLength;
    if (block.equals(ZEROS.subarray(0, bytes))) return { hash: null, place: null, bytes };
    const hash = createHash('sha256').update(block).digest('hex');
    const known = this.#index.get(hash);
    if (known) return { hash, place: known, bytes };
    const place = { pack: this.name, offset: this.#offset, bytes };
    this.#offset += bytes;
    this.#index.set(hash, place);
    fresh.push(block);
    return { hash, place, bytes };
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#file ??= await open(join(this.#folder, this.name), 'w', 0o600);
    await this.#file.writeFile(bytes);
  }
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
        const read = await readRun(blocksFolder, packs, first, bytes);
        mustBeWhole(run, read, first.pack);
        await out?.write(read, 0, bytes, at);
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

function mustBeWhole(run: readonly BlockEntry[], read: Buffer, pack: string): void {
  let at = 0;
  for (const { hash, bytes } of run) {
    const block = read.subarray(at, at + bytes);
    if (createHash('sha256').update(block).digest('hex') !== hash) {
      throw new Error(`block ${hash?.slice(0, 12)} in blocks/${pack} is damaged`);
    }
    at += bytes;
  }
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
