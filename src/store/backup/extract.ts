/** Writes an archive's files below a folder, each on disk before the next begins, and checks every byte again meanwhile. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileErrorOf, syncFolder } from '../files/durable-file.ts';
import { makeFolders } from '../files/folders.ts';
import { readArchive } from './archive-reader.ts';
import type { Manifest, ManifestFile } from './manifest.ts';

const FOLDER_MODE = 0o700;

/** `placeOf` names the file for an entry's path, or null where the entry is not wanted. */
export async function extractArchive(
  archive: string,
  placeOf: (path: string) => string | null,
  onBytes: (done: number, total: number) => void,
): Promise<Manifest> {
  const folders = new Set<string>();
  let open: OpenFile | null = null;
  try {
    const manifest = await readArchive(archive, onBytes, {
      begin: async (file) => {
        const place = placeOf(file.path);
        open = place === null ? null : await OpenFile.create(place, file);
        if (place !== null) folders.add(dirname(place));
      },
      bytes: async (part) => open?.write(part),
      end: async () => {
        await open?.finish();
        open = null;
      },
    });
    for (const folder of folders) await syncFolder(folder);
    return manifest;
  } finally {
    await (open as OpenFile | null)?.close();
  }
}

class OpenFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #mtimeMs: number;

  private constructor(path: string, handle: FileHandle, mtimeMs: number) {
    this.#path = path;
    this.#handle = handle;
    this.#mtimeMs = mtimeMs;
  }

  static async create(path: string, { mtimeMs }: ManifestFile): Promise<OpenFile> {
    await makeFolders(dirname(path), FOLDER_MODE);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    return new OpenFile(path, await open(path, flags, 0o600), mtimeMs);
  }

  async write(part: Buffer): Promise<void> {
    try {
      await this.#handle.writeFile(part);
    } catch (error) {
      throw fileErrorOf(error, this.#path);
    }
  }

  async finish(): Promise<void> {
    await this.#handle.utimes(this.#mtimeMs / 1000, this.#mtimeMs / 1000);
    await this.#handle.sync();
    await this.#handle.close();
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(() => {});
  }
}
