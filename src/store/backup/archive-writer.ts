/**
 * Writes a backup's archive into a file: room for the manifest, the files one after the other, then the manifest. Reads and
 * writes are synchronous: a process that backs up does nothing else, and a call by way of the thread pool costs more
 * processor time than a small log's bytes.
 */
import { createHash } from 'node:crypto';
import { constants, readSync, writeSync } from 'node:fs';
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
import type { Pace } from './pace.ts';
import { BLOCK, END_SIZE, paddingOf, tarHeader } from './tar-header.ts';

/** Small files come to the disk together: a call each for header, content and padding costs more than their bytes. */
const CHUNK = 1024 * 1024;
/** 64 digits, two spaces, the name, a line break. */
const HASH_LINE_SIZE = 64 + 2 + MANIFEST_NAME.length + 1;

export interface ArchiveSource {
  readonly path: string;
  /** Open for reading. */
  readonly descriptor: number;
  /** The first so many bytes are taken; what is appended meanwhile is not. */
  readonly size: number;
  readonly mtimeMs: number;
}

export class ArchiveWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #room: number;
  readonly #pace: Pace | undefined;
  readonly #chunk = Buffer.allocUnsafe(CHUNK);
  readonly #files: ManifestFile[] = [];
  /** Bytes of the chunk that are not written yet; the first belongs at `#at`. */
  #filled = 0;
  #at: number;

  private constructor(path: string, file: FileHandle, room: number, pace: Pace | undefined) {
    this.#path = path;
    this.#file = file;
    this.#room = room;
    this.#pace = pace;
    this.#at = BLOCK + room + paddingOf(room) + BLOCK + HASH_LINE_SIZE + paddingOf(HASH_LINE_SIZE);
  }

  /** The file must not exist. Without a pace it is written as fast as it can be. */
  static async create(path: string, room: number, pace?: Pace): Promise<ArchiveWriter> {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
    return new ArchiveWriter(path, await open(path, flags, 0o600), room, pace);
  }

  /** `onBytes` hears of each part that was written. */
  async add({ path, descriptor, size, mtimeMs }: ArchiveSource, onBytes: (bytes: number) => void): Promise<void> {
    await this.#write(tarHeader({ path, size, mtime: Math.floor(mtimeMs / 1000) }));
    const hash = createHash('sha256');
    for (let at = 0; at < size; ) {
      if (this.#filled === CHUNK) await this.#empty();
      const bytesRead = readSync(descriptor, this.#chunk, this.#filled, Math.min(CHUNK - this.#filled, size - at), at);
      if (bytesRead === 0) throw new Error(`${path} became shorter while it was read`);
      hash.update(this.#chunk.subarray(this.#filled, this.#filled + bytesRead));
      this.#filled += bytesRead;
      at += bytesRead;
      onBytes(bytesRead);
    }
    await this.#write(Buffer.alloc(paddingOf(size)));
    this.#files.push({ path, size, mtimeMs, sha256: hash.digest('hex') });
  }

  /** The archive is on disk, whole, when this resolves. */
  async finish(head: ManifestHead): Promise<Manifest> {
    await this.#write(Buffer.alloc(END_SIZE));
    await this.#empty();
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
    await this.#empty();
    await this.#file.sync();
    await this.#file.close();
    return manifest;
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      if (this.#filled === CHUNK) await this.#empty();
      const copied = bytes.copy(this.#chunk, this.#filled, done);
      this.#filled += copied;
      done += copied;
    }
  }

  async #empty(): Promise<void> {
    try {
      for (let done = 0; done < this.#filled; ) {
        const written = writeSync(this.#file.fd, this.#chunk, done, this.#filled - done, this.#at);
        done += written;
        this.#at += written;
      }
      await this.#pace?.wrote(this.#filled, () => this.#file.datasync());
    } catch (error) {
      throw fileErrorOf(error, this.#path);
    }
    this.#filled = 0;
  }
}
