/** One open log file: its descriptor keeps it readable when it is renamed or removed. No decisions here. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FileHead, type FileIdentity, HEAD_BYTES_MAX } from './log-cursor.ts';
import { isRotatedName, type Sibling } from './rotation.ts';

/** Files beside a log that are looked at. Overflow policy: the rest is not searched; their bytes would be missed. */
const SIBLINGS_MAX = 1_000;

export class LogFile {
  readonly identity: FileIdentity;
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle, identity: FileIdentity) {
    this.#handle = handle;
    this.identity = identity;
  }

  /** Null where there is no file. Throws where it cannot be read, or is not a plain file. */
  static async open(path: string): Promise<LogFile | null> {
    let handle: FileHandle;
    try {
      // Without O_NONBLOCK, opening a named pipe would wait for its writer.
      handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
    try {
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) throw new Error(`${path} is not a plain file`);
      return new LogFile(handle, identityOf(stats));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  async changedNs(): Promise<bigint> {
    return (await this.#handle.stat({ bigint: true })).mtimeNs;
  }

  /** At most `length` bytes; fewer at the file's end. */
  async read(offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#handle.read(buffer, 0, length, offset);
    return buffer.subarray(0, bytesRead);
  }

  async head(length: number): Promise<FileHead> {
    const bytes = await this.read(0, Math.min(length, HEAD_BYTES_MAX));
    return { headBytes: bytes.byteLength, headHash: createHash('sha256').update(bytes).digest('hex') };
  }

  /** Whether it still begins as the head says. */
  async beginsWith({ headBytes, headHash }: FileHead): Promise<boolean> {
    if (headBytes === 0) return true;
    const head = await this.head(headBytes);
    return head.headBytes === headBytes && head.headHash === headHash;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** What is at the path now; null where nothing is. */
export async function tryIdentity(path: string): Promise<FileIdentity | null> {
  try {
    return identityOf(await stat(path, { bigint: true }));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Rotated generations beside the log, in no order. */
export async function findSiblings(path: string): Promise<Sibling[]> {
  const folder = dirname(path);
  const names = (await readdir(folder).catch(() => [])).filter((name) => isRotatedName(basename(path), name));
  const siblings: Sibling[] = [];
  for (const name of names.slice(0, SIBLINGS_MAX)) {
    const file = join(folder, name);
    const stats = await stat(file, { bigint: true }).catch(() => undefined);
    if (stats?.isFile()) siblings.push({ path: file, ...identityOf(stats), changedNs: stats.mtimeNs });
  }
  return siblings;
}

function identityOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): FileIdentity {
  return { device: String(dev), inode: String(ino) };
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
