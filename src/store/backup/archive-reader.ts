/**
 * Reads a backup's archive from its first byte to its last, and checks every one of them: headers are made again from the
 * manifest and compared, contents have their SHA-256, what lies between must be zeros, and nothing may follow the end.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UsageError } from '../../base/usage-error.ts';
import {
  MANIFEST_HASH_NAME,
  MANIFEST_NAME,
  type Manifest,
  type ManifestFile,
  type ManifestHead,
  parseManifest,
  parseManifestHead,
} from './manifest.ts';
import { BLOCK, END_SIZE, paddingOf, statedSize, statedTime, tarHeader } from './tar-header.ts';

const CHUNK = 1024 * 1024;
/** A million node logs need 300 MB. */
const MANIFEST_MAX = 1024 * 1024 * 1024;
const HEAD_SIZE = 16 * 1024;

/** The archive is not as it was written; `part` is the first that is not. */
export class DamagedArchive extends Error {
  override readonly name = 'DamagedArchive';
  readonly part: string;

  constructor(path: string, part: string, how: string) {
    super(`${path} is damaged at ${part}: ${how}`);
    this.part = part;
  }
}

/** Receives the content of files whose headers were right. What it was given is right only when `end` was called. */
export interface ArchiveVisitor {
  begin(file: ManifestFile, manifest: Manifest): Promise<void>;
  bytes(part: Buffer): Promise<void>;
  end(): Promise<void>;
}

/** Resolves with the manifest when every byte was as it was written; throws DamagedArchive at the first that was not. */
export async function readArchive(
  path: string,
  onBytes: (done: number, total: number) => void,
  visitor?: ArchiveVisitor,
): Promise<Manifest> {
  const file = await openArchive(path);
  try {
    return await new ArchiveReader(path, file, (await file.stat()).size, onBytes, visitor).read();
  } finally {
    await file.close();
  }
}

/** What an archive says about itself in its first bytes, unchecked; undefined where the file is no backup of ours. */
export async function archiveHead(path: string): Promise<ManifestHead | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const head = Buffer.alloc(HEAD_SIZE);
    const { bytesRead } = await file.read(head, 0, HEAD_SIZE, 0);
    const text = head.toString('utf8', 0, bytesRead);
    if (!text.startsWith(`${MANIFEST_NAME}\0`)) return undefined;
    return parseManifestHead(text.slice(BLOCK));
  } finally {
    await file.close();
  }
}

async function openArchive(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot read ${path}: ${error.code}`);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new UsageError(`cannot read ${path}: it is not a regular file`);
}

class ArchiveReader {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #total: number;
  readonly #onBytes: (done: number, total: number) => void;
  readonly #visitor: ArchiveVisitor | undefined;
  readonly #chunk = Buffer.allocUnsafe(CHUNK);
  #at = 0;

  constructor(
    path: string,
    file: FileHandle,
    total: number,
    onBytes: (done: number, total: number) => void,
    visitor: ArchiveVisitor | undefined,
  ) {
    this.#path = path;
    this.#file = file;
    this.#total = total;
    this.#onBytes = onBytes;
    this.#visitor = visitor;
  }

  async read(): Promise<Manifest> {
    const manifest = await this.#manifest();
    for (const file of manifest.files) await this.#content(file, manifest);
    const end = await this.#take(END_SIZE, 'its end');
    if (end.some((byte) => byte !== 0)) throw this.#damaged('its end', 'the last two blocks are not zeros');
    if (this.#at !== this.#total) throw this.#damaged('its end', `${this.#total - this.#at} bytes follow it`);
    this.#onBytes(this.#total, this.#total);
    return manifest;
  }

  async #manifest(): Promise<Manifest> {
    const header = await this.#take(BLOCK, MANIFEST_NAME);
    const [size, mtime] = [statedSize(header), statedTime(header)];
    if (size === undefined || mtime === undefined || !sameHeader(header, MANIFEST_NAME, size, mtime))
      throw this.#damaged(MANIFEST_NAME, 'its header is not that of a Cairn backup');
    if (size > MANIFEST_MAX) throw this.#damaged(MANIFEST_NAME, `it has ${size} bytes`);
    const text = await this.#take(size, MANIFEST_NAME);
    await this.#padding(size, MANIFEST_NAME);
    const line = `${createHash('sha256').update(text).digest('hex')}  ${MANIFEST_NAME}\n`;
    const hashHeader = await this.#take(BLOCK, MANIFEST_HASH_NAME);
    if (!sameHeader(hashHeader, MANIFEST_HASH_NAME, line.length, mtime))
      throw this.#damaged(MANIFEST_HASH_NAME, 'its header has changed');
    const stored = (await this.#take(line.length, MANIFEST_HASH_NAME)).toString('latin1');
    if (stored !== line) throw this.#damaged(MANIFEST_NAME, `its SHA-256 is not the one in ${MANIFEST_HASH_NAME}`);
    await this.#padding(line.length, MANIFEST_HASH_NAME);
    let manifest: Manifest;
    try {
      manifest = parseManifest(text.toString('utf8'));
    } catch (error) {
      throw new Error(`cannot read ${MANIFEST_NAME} of ${this.#path}: ${(error as Error).message}`);
    }
    for (const { path } of manifest.files)
      if (!isSafePath(path)) throw this.#damaged(MANIFEST_NAME, `it names a path outside the archive`);
    return manifest;
  }

  async #content(file: ManifestFile, manifest: Manifest): Promise<void> {
    const { path, size, mtimeMs, sha256 } = file;
    const expected = tarHeader({ path, size, mtime: Math.floor(mtimeMs / 1000) });
    if (!(await this.#take(expected.length, path)).equals(expected))
      throw this.#damaged(path, 'its header has changed');
    await this.#visitor?.begin(file, manifest);
    const hash = createHash('sha256');
    for (let left = size; left > 0; ) {
      const part = await this.#take(Math.min(CHUNK, left), path, this.#chunk);
      hash.update(part);
      await this.#visitor?.bytes(part);
      left -= part.length;
    }
    if (hash.digest('hex') !== sha256) throw this.#damaged(path, 'its SHA-256 is not the one in the manifest');
    await this.#padding(size, path);
    await this.#visitor?.end();
  }

  async #padding(size: number, part: string): Promise<void> {
    const bytes = await this.#take(paddingOf(size), part);
    if (bytes.some((byte) => byte !== 0)) throw this.#damaged(part, 'the bytes after it are not zeros');
  }

  async #take(size: number, part: string, into = Buffer.alloc(size)): Promise<Buffer> {
    if (this.#at + size > this.#total) throw this.#damaged(part, 'the archive ends there');
    for (let done = 0; done < size; ) {
      const { bytesRead } = await this.#file.read(into, done, size - done, this.#at).catch((error: unknown) => {
        throw this.#damaged(part, `it cannot be read (${(error as NodeJS.ErrnoException).code})`);
      });
      if (bytesRead === 0) throw this.#damaged(part, 'the archive ends there');
      done += bytesRead;
      this.#at += bytesRead;
    }
    this.#onBytes(this.#at, this.#total);
    return into.subarray(0, size);
  }

  #damaged(part: string, how: string): DamagedArchive {
    return new DamagedArchive(this.#path, part, how);
  }
}

function sameHeader(header: Buffer, path: string, size: number, mtime: number): boolean {
  return header.equals(tarHeader({ path, size, mtime }));
}

/** Anyone who writes a manifest of his own must not write outside the folders that are restored. */
function isSafePath(path: string): boolean {
  const segments = path.split('/');
  return (
    (segments[0] === 'data' || segments[0] === 'logs') &&
    segments.length > 1 &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..' && !segment.includes('\0'))
  );
}
