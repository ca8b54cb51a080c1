/** Writes a backup's archive into a file: room for the manifest, the files one after the other, then the manifest. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { fileErrorOf } from '../files/durable-file.ts';
import {
  MANIFEST_HASH_NAME,
  MANIFEST_NAME,
  type Manifest,
  type ManifestFile,
  type ManifestHead,
  manifestText,
} from './manifest.ts';
import { BLOCK, END_SIZE, paddingOf, tarHeader } from './tar-header.ts';

const CHUNK = 1024 * 1024;
/** 64 digits, two spaces, the name, a line break. */
const HASH_LINE_SIZE = 64 + 2 + MANIFEST_NAME.length + 1;

export interface ArchiveSource {
  readonly path: string;
  readonly file: FileHandle;
  /** The first so many bytes are taken; what is appended meanwhile is not. */
  readonly size: number;
  readonly mtimeMs: number;
}

export class ArchiveWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #room: number;
  readonly #chunk = Buffer.allocUnsafe(CHUNK);
  readonly #files: ManifestFile[] = [];
  #at: number;

  private constructor(path: string, file: FileHandle, room: number) {
    this.#path = path;
    this.#file = file;
    this.#room = room;
    this.#at = BLOCK + room + paddingOf(room) + BLOCK + HASH_LINE_SIZE + paddingOf(HASH_LINE_SIZE);
  }

  /** The file must not exist. */
  static async create(path: string, room: number): Promise<ArchiveWriter> {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
    return new ArchiveWriter(path, await open(path, flags, 0o600), room);
  }

  /** `onBytes` hears of each part that was written. */
  async add({ path, file, size, mtimeMs }: ArchiveSource, onBytes: (bytes: number) => void): Promise<void> {
    await this.#write(tarHeader({ path, size, mtime: Math.floor(mtimeMs / 1000) }));
    const hash = createHash('sha256');
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(this.#chunk, 0, Math.min(CHUNK, size - at), at);
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
      const part = this.#chunk.subarray(0, bytesRead);
      hash.update(part);
      await this.#write(part);
      at += bytesRead;
      onBytes(bytesRead);
    }
    await this.#write(Buffer.alloc(paddingOf(size)));
    this.#files.push({ path, size, mtimeMs, sha256: hash.digest('hex') });
  }

  /** The archive is on disk, whole, when this resolves. */
  async finish(head: ManifestHead): Promise<Manifest> {
    await this.#write(Buffer.alloc(END_SIZE));
    const manifest: Manifest = { ...head, files: this.#files };
    const text = manifestText(manifest, this.#room);
    const line = Buffer.from(`${createHash('sha256').update(text).digest('hex')}  ${MANIFEST_NAME}\n`);
    const mtime = Math.floor(Date.parse(head.createdAt) / 1000);
    this.#at = 0;
    await this.#write(tarHeader({ path: MANIFEST_NAME, size: text.length, mtime }));
    await this.#write(text);
    await this.#write(Buffer.alloc(paddingOf(text.length)));
    await this.#write(tarHeader({ path: MANIFEST_HASH_NAME, size: line.length, mtime }));
    await this.#write(line);
    await this.#write(Buffer.alloc(paddingOf(line.length)));
    await this.#file.sync();
    await this.#file.close();
    return manifest;
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file
        .write(bytes, done, bytes.length - done, this.#at)
        .catch((error: unknown) => Promise.reject(fileErrorOf(error, this.#path)));
      done += bytesWritten;
      this.#at += bytesWritten;
    }
  }
}
