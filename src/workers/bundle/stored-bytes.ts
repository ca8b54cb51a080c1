/** Files of the log folder, opened without following a link and read in pieces. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const CHUNK_SIZE = 64 * 1024;

/** As many bytes as there were; a log that is trimmed meanwhile is another file then, and this one stays whole. */
export async function* bytesOf(handle: FileHandle, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; ) {
    const bytes = Buffer.allocUnsafe(Math.min(CHUNK_SIZE, to - at));
    const { bytesRead } = await handle.read(bytes, 0, bytes.byteLength, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield bytes.subarray(0, bytesRead);
  }
}

/** Undefined where there is no such file, or a symbolic link in its place. */
export async function tryOpen(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') return undefined;
    throw error;
  }
}
