/** Reading a file that a setting names: it may be anything that a path can lead to, and the server must not hang on it or swell. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** A chain of certificates has some kilobytes. */
const SIZE_MAX = 1024 * 1024;

/** The content of a regular file of at most a mebibyte. Anything else rejects with an error whose `code` says what it is. */
export async function readBoundedFile(path: string): Promise<Buffer> {
  // Without waiting for a pipe's writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refused(path, 'not a regular file');
    if (stats.size > SIZE_MAX) throw refused(path, 'larger than 1 MiB');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function refused(path: string, code: string): Error {
  return Object.assign(new Error(`cannot read ${path}: it is ${code}`), { code });
}
