/** Lines of log files that name an id, found in two passes: a tar header tells the size before the bytes. */
import type { FileHandle } from 'node:fs/promises';

const CHUNK_SIZE = 256 * 1024;
/** A longer line is cut: no log of ours has one. */
const LINE_SIZE_MAX = 1024 * 1024;
const NEWLINE = 0x0a;

/** An open file with the size that it had then; it only grows. */
export interface OpenLog {
  readonly handle: FileHandle;
  readonly size: number;
}

export async function sizeOfGrepLines(logs: readonly OpenLog[], id: string): Promise<number> {
  let size = 0;
  for await (const lines of grepLines(logs, id)) size += lines.byteLength;
  return size;
}

/** Whole lines, each with its end, in the order of the files. */
export async function* grepLines(logs: readonly OpenLog[], id: string): AsyncGenerator<Uint8Array> {
  const names = nameOf(id);
  const rough = Buffer.from(id);
  for (const { handle, size } of logs) {
    let rest: Buffer = Buffer.alloc(0);
    for (let at = 0; at < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_SIZE, size - at));
      const { bytesRead } = await handle.read(chunk, 0, chunk.byteLength, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      yield* matching(bytes.subarray(0, end), rough, names);
      rest = bytes.byteLength - end > LINE_SIZE_MAX ? Buffer.alloc(0) : bytes.subarray(end);
    }
  }
}

function* matching(bytes: Buffer, rough: Buffer, names: RegExp): Generator<Uint8Array> {
  // Nearly no line names the job: the search is for the id, and only where it is found for the line.
  for (let found = bytes.indexOf(rough); found >= 0; ) {
    const start = bytes.lastIndexOf(NEWLINE, found) + 1;
    const end = bytes.indexOf(NEWLINE, found) + 1;
    const line = bytes.subarray(start, end);
    if (names.test(line.toString('utf8'))) yield line;
    found = bytes.indexOf(rough, end);
  }
}

/** The id itself, and not a part of another one. */
function nameOf(id: string): RegExp {
  const literal = id.replace(/[.@-]/g, '\\$&');
  return new RegExp(`(?<![A-Za-z0-9._:@-])${literal}(?![A-Za-z0-9_@-]|[.:][A-Za-z0-9])`);
}
