/**
 * The images of one job in the folder that the nodes share. An image is written beside its place, flushed and renamed, so
 * that it is whole or not there; what is in it is verified by its manifest.
 *
 *   <image path>/<job id>/<epoch>-<number>/   manifest.json and the engine's files
 *   <image path>/<job id>/blocks/             blocks shared between images
 *   <image path>/<job id>/aside/              damaged, unfit and superseded images
 *   <image path>/<job id>/.tmp-<name>/        one that is being written
 */
import { createHash } from 'node:crypto';
import { createReadStream, constants as fsConstants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { COMPRESSION, type Compression, mustBeReadable } from './block-codec.ts';
import { type BlockWork, ON_THIS_THREAD, withBlockWorkers } from './block-workers.ts';
import { assemble, BLOCKED_FROM_BYTES, type BlockEntry, entriesOf, indexOf, listText, PackWriter } from './blocks.ts';
import { type Manifest, manifestSchema } from './manifest.ts';

const IMAGE_NAME = /^\d{1,15}-\d{1,9}$/;
/** Its epoch is the first number. */
const UNFINISHED = /^\.tmp-(?:gone-)*(\d+)-/;
const BLOCKS_SUFFIX = '.blocks';
/** Deltas upon deltas keep packs alive of which little is used: beyond twice the image's size everything is stored again. */
const PACKED_TIMES_MAX = 2;
/** Below this an image is stored before threads have started. */
const THREADS_FROM_BYTES = 16_777_216;

interface CopyParts {
  readonly source: string;
  readonly target: string;
  /** Paths below the source, and their sizes. */
  readonly all: readonly string[];
  readonly sizes: readonly number[];
  readonly imageBytes: number;
  readonly pack: PackWriter;
}

export interface Stored {
  readonly files: Manifest['files'];
  /** `zstd` where at least one block that the image uses is compressed. */
  readonly compression: Compression;
  readonly imageBytes: number;
  readonly storedBytes: number;
}

export class ImageStore {
  readonly folder: string;

  constructor(imagePath: string, jobId: string) {
    this.folder = join(imagePath, jobId);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** How often it could not be restored, by any node. */
  failures(name: string): string {
    return join(this.folder, `.failures-${name}`);
  }

  get blocks(): string {
    return join(this.folder, 'blocks');
  }

  /** Finished images, in no order. Empty where there is no folder. */
  async names(): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.filter((name) => IMAGE_NAME.test(name));
  }

  /** Throws a sentence where it cannot be read or trusted. */
  async manifest(name: string): Promise<Manifest> {
    await this.#mustBeOurs(this.path(name), 'it');
    await this.#mustBeOurs(join(this.path(name), 'manifest.json'), 'manifest.json');
    const text = await readFile(join(this.path(name), 'manifest.json'), 'utf8').catch(() => {
      throw new Error('manifest.json is missing');
    });
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw new Error('manifest.json is damaged');
    }
    const parsed = manifestSchema.safeParse(json);
    if (!parsed.success) throw new Error(`manifest.json is damaged: ${parsed.error.issues[0]?.path.join('.')}`);
    return parsed.data;
  }

  /**
   * Stores the files of `source` as the image `name`, except its manifest. Nothing of it counts before `publish`.
   * `previous` is the image whose blocks are used again where they are the same.
   */
  async store(source: string, name: string, previous: string | null): Promise<Stored> {
    const target = this.path(`.tmp-${name}`);
    await rm(target, { recursive: true, force: true });
    await mkdir(target, { recursive: true, mode: 0o700 });
    await mkdir(this.blocks, { recursive: true, mode: 0o700 });
    const all = await filesBelow(source);
    const sizes = await Promise.all(all.map(async (path) => (await stat(path)).size));
    const imageBytes = sizes.reduce((sum, size) => sum + size, 0);
    const known = previous === null ? [] : await this.#lists(previous).catch(() => []);
    const isCrowded = (await this.#packedBytes()) > PACKED_TIMES_MAX * imageBytes;
    // Blocks that this Node cannot read would make an image that it cannot restore.
    const readable = known.map((list) => list.filter(({ place }) => isReadable(place?.compression)));
    const index = indexOf(isCrowded ? [] : readable);
    const copy = (work: BlockWork): Promise<Stored> => {
      const pack = new PackWriter(this.blocks, name, index, work);
      return this.#copy({ source, target, all, sizes, imageBytes, pack });
    };
    return imageBytes < THREADS_FROM_BYTES ? copy(ON_THIS_THREAD) : withBlockWorkers(copy);
  }

  async #copy({ source, target, all, sizes, imageBytes, pack }: CopyParts): Promise<Stored> {
    let compression: Compression = 'none';
    const files: Record<string, { sha256: string; bytes: number }> = {};
    let storedBytes = 0;
    try {
      for (const [i, path] of all.entries()) {
        const bytes = sizes[i] as number;
        const inner = relative(source, path);
        const stored = bytes >= BLOCKED_FROM_BYTES ? `${inner}${BLOCKS_SUFFIX}` : inner;
        await mkdir(dirname(join(target, stored)), { recursive: true, mode: 0o700 });
        if (stored === inner) await copyFile(path, join(target, stored), fsConstants.COPYFILE_FICLONE);
        else {
          const entries = await pack.store(path);
          if (entries.some(({ place }) => place?.compression === 'zstd')) compression = 'zstd';
          await writeFile(join(target, stored), listText(entries), { mode: 0o600 });
        }
        await syncPath(join(target, stored));
        files[stored] = await sumOf(join(target, stored));
        storedBytes += files[stored].bytes;
      }
    } finally {
      await pack.close();
    }
    return { files, compression, imageBytes, storedBytes: storedBytes + pack.bytes };
  }

  /** From now on it is an image. Durable when it resolves. */
  async publish(name: string, manifest: Manifest): Promise<void> {
    const temporary = this.path(`.tmp-${name}`);
    await writeFile(join(temporary, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o400 });
    await syncPath(join(temporary, 'manifest.json'));
    for (const path of await filesBelow(temporary)) await chmod(path, 0o400);
    // It has none where an earlier image holds all of its blocks.
    await chmod(join(this.blocks, `${name}.pack`), 0o400).catch(() => {});
    await syncPath(temporary);
    await syncPath(this.blocks);
    await rename(temporary, this.path(name));
    await syncPath(this.folder);
  }

  /** Puts the engine's files together in `target`, each verified. Throws a sentence that names the damage. */
  async materialise(name: string, manifest: Manifest, target: string | null): Promise<void> {
    mustBeReadable(manifest.compression ?? 'none');
    for (const [path, { sha256, bytes }] of Object.entries(manifest.files)) {
      const stored = join(this.path(name), path);
      await this.#mustBeOurs(stored, path);
      const sum = await sumOf(stored).catch(() => null);
      if (!sum) throw new Error(`${path} is missing`);
      if (sum.sha256 !== sha256 || sum.bytes !== bytes) throw new Error(`${path} is damaged`);
      const isList = path.endsWith(BLOCKS_SUFFIX);
      const out = target === null ? null : join(target, isList ? path.slice(0, -BLOCKS_SUFFIX.length) : path);
      if (out !== null) await mkdir(dirname(out), { recursive: true, mode: 0o700 });
      if (isList) await assemble(this.blocks, entriesOf(await readFile(stored, 'utf8')), out);
      else if (out !== null) await copyFile(stored, out, fsConstants.COPYFILE_FICLONE);
    }
  }

  /** Moves an image aside, and keeps it with the reason. */
  async setAside(name: string, why: string): Promise<void> {
    const folder = join(this.folder, 'aside');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const target = join(folder, `${name}.${Date.now()}`);
    await rename(this.path(name), target).catch(() => {});
    await writeFile(`${target}.why`, `${why}\n`).catch(() => {});
    // The next image may get the same name.
    await rm(this.failures(name), { force: true }).catch(() => {});
  }

  /** What a killed save or removal, or a superseded node, left. Images of later epochs than `epochMax` are left alone. */
  async removeUnfinished(epochMax = Number.POSITIVE_INFINITY): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    const isLater = (name: string): boolean => Number(UNFINISHED.exec(name)?.[1]) > epochMax;
    for (const name of names.filter((entry) => entry.startsWith('.tmp-') && !isLater(entry))) await this.#remove(name);
  }

  /** Removes unfinished images, all but the `keep` newest of the sorted names, and packs without a reference. */
  async sweep(ascending: readonly string[], keep: number, inUse: string | null): Promise<void> {
    await this.removeUnfinished();
    const kept = ascending.slice(-keep);
    for (const name of ascending) if (!kept.includes(name) && name !== inUse) await this.#remove(name);
    const used = new Set<string>();
    for (const folder of [...(await this.names()), ...(await this.#asides())]) {
      for (const { place } of (await this.#lists(folder).catch(() => [])).flat()) if (place) used.add(place.pack);
    }
    for (const pack of await readdir(this.blocks).catch(() => [])) {
      if (!used.has(pack)) await rm(join(this.blocks, pack), { force: true });
    }
  }

  /** Renamed before it is removed: half an image must not be seen as one. */
  async #remove(name: string): Promise<void> {
    const gone = this.path(`.tmp-gone-${name.replace(/^\.tmp-/, '')}`);
    await rename(this.path(name), gone).catch(() => {});
    await rm(gone, { recursive: true, force: true });
  }

  async #asides(): Promise<string[]> {
    const names = await readdir(join(this.folder, 'aside')).catch(() => []);
    return names.filter((name) => !name.endsWith('.why')).map((name) => join('aside', name));
  }

  async #lists(name: string): Promise<BlockEntry[][]> {
    const paths = (await filesBelow(this.path(name))).filter((path) => path.endsWith(BLOCKS_SUFFIX));
    return Promise.all(paths.map(async (path) => entriesOf(await readFile(path, 'utf8'))));
  }

  async #packedBytes(): Promise<number> {
    const names = await readdir(this.blocks).catch(() => []);
    const sizes = await Promise.all(
      names.map(async (name) => (await stat(join(this.blocks, name)).catch(() => null))?.size ?? 0),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /**
   * An image holds memory that is about to run with the job's rights: it must be the agent's own. Packs need no such look:
   * each block is read once and compared with the sum in its list.
   */
  async #mustBeOurs(path: string, what: string): Promise<void> {
    const { uid, mode } = await lstat(path).catch(() => {
      throw new Error(`${what} is missing`);
    });
    if (uid !== process.getuid?.()) throw new Error(`${what} belongs to user ${uid}, not to the agent's user`);
    // A link has every right and leads anywhere.
    if ((mode & 0o022) !== 0) throw new Error(`other users can write to ${what}`);
  }
}

function isReadable(compression: Compression | undefined): boolean {
  return compression !== 'zstd' || COMPRESSION === 'zstd';
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

async function sumOf(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).byteLength;
  }
  return { sha256: hash.digest('hex'), bytes };
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
