/**
 * Cuts a file at its front or its end: what is kept is copied beside it, and takes its name when it is safe on disk. Anyone who
 * reads the file meanwhile reads the whole of what it was.
 */
import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../files/durable-file.ts';

/** Bytes of UTF-8 that may follow the first of a character. */
const CONTINUATION_MAX = 4;

/** The copy of a file while it is trimmed; one name a file, so that crashes leave at most one. */
export const TRIMMING = '.cairn-trim-';

/** Replaces the file by what it holds from `cut` on. */
export function trimHead(file: string, cut: number): Promise<void> {
  return keepOnly(file, cut, Number.POSITIVE_INFINITY);
}

/** Replaces the file by its first `size` bytes. */
export function cutEnd(file: string, size: number): Promise<void> {
  return keepOnly(file, 0, size);
}

async function keepOnly(file: string, from: number, to: number): Promise<void> {
  const temporary = join(dirname(file), TRIMMING + createHash('sha256').update(file).digest('hex').slice(0, 32));
  try {
    await copyRange(file, { from, to }, temporary);
    await rename(temporary, file);
  } catch (error) {
    // A full disk, most likely: half a copy must not fill it further.
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(file));
}

/**
 * Where the first line at or after `from` begins. Where none does, the place is within the last line, which is longer than what
 * may stay, and where a character of it begins: its end is worth more than nothing.
 */
export async function cutAfter(file: string, from: number, size: number): Promise<number> {
  if (from <= 0) return 0;
  const handle = await open(file, 'r');
  try {
    const buffer = Buffer.alloc(65_536);
    for (let at = from - 1; at < size; ) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) break;
      const newline = buffer.subarray(0, bytesRead).indexOf(0x0a);
      if (newline >= 0 && at + newline + 1 < size) return at + newline + 1;
      at += bytesRead;
    }
    const { bytesRead } = await handle.read(buffer, 0, CONTINUATION_MAX, from);
    const start = buffer.subarray(0, bytesRead).findIndex((byte) => (byte & 0xc0) !== 0x80);
    return from + Math.max(0, start);
  } finally {
    await handle.close();
  }
}

async function copyRange(
  file: string,
  { from, to }: { readonly from: number; readonly to: number },
  target: string,
): Promise<void> {
  // What a crash left of an earlier copy is not wanted.
  await rm(target, { force: true });
  const source = await open(file, 'r');
  try {
    const copy = await open(target, 'wx', 0o640);
    try {
      const buffer = Buffer.alloc(1024 * 1024);
      for (let at = from; at < to; ) {
        const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, to - at), at);
        if (bytesRead === 0) break;
        // Not write(), which may write a part and say so.
        await copy.appendFile(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}
