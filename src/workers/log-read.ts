/** Bytes of a log file in chunks. A file that was truncated meanwhile ends early. */
import { open } from 'node:fs/promises';
import { CodedError } from '../base/errors.ts';

const CHUNK_SIZE = 256 * 1024;

export async function* logRead(file: string, from: number, to: number): AsyncGenerator<Uint8Array> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new CodedError('notFound') : error;
  });
  try {
    for (let at = from; at < to; ) {
      const bytes = new Uint8Array(Math.min(CHUNK_SIZE, to - at));
      const { bytesRead } = await handle.read(bytes, 0, bytes.byteLength, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield bytesRead === bytes.byteLength ? bytes : bytes.slice(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
