/**
 * Bytes of an open log file in chunks, or only its lines with texts. The file is named by its descriptor: between the
 * look at its size and the reading, a rotation may have given its name to another file. The code that opened it closes it, when
 * the task has ended. A file that was truncated meanwhile ends early.
 */
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { LineFilter } from '../../base/lines/line-filter.ts';
import { BUFFER_SIZE, type BufferPool } from '../bytes/buffer-pool.ts';
import type { LogReadTask } from '../task/task.ts';

export const readAt = promisify(read);

/** `bufferPool` has the buffers that came back. */
export async function* logRead(
  { fd, from, to, texts }: LogReadTask,
  bufferPool?: BufferPool,
): AsyncGenerator<Uint8Array> {
  const filter = texts.length === 0 ? null : new LineFilter(texts);
  for (let at = from; at < to; ) {
    const bytes = roomFor(to - at, bufferPool);
    const { bytesRead } = await readAt(fd, bytes, 0, bytes.byteLength, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    const part = bytes.subarray(0, bytesRead);
    const chunk = filter ? owned(filter.push(part)) : part;
    // Also where it is empty: a search that finds nothing can be cancelled.
    yield chunk;
  }
  const last = filter && owned(filter.end());
  if (last && last.byteLength > 0) yield last;
}

/** A filter keeps the end of what it was given, but of that no buffer ever comes back. */
function roomFor(size: number, bufferPool: BufferPool | undefined): Uint8Array {
  return size < BUFFER_SIZE ? new Uint8Array(size) : (bufferPool?.take() ?? new Uint8Array(BUFFER_SIZE));
}

/** In a buffer of its own, which the stream hands to another thread. */
function owned(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
