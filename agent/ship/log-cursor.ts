/**
 * How far one log file has been shipped. The server's log is one endless stream; the worker's file is rotated or
 * truncated now and then, and each time a new generation begins at offset 0 of the file:
 *
 *   server   0 ─── generation 1 ─── sentBase ── generation 2 ── sentBase + fileOffset ─►
 *   worker                              0 ─────────────────────── fileOffset ─── size
 *
 * One rule makes every crash harmless: a new generation is on disk (`logs.json`) before the first of its bytes is sent. So
 * whatever size the server answers, bytes beyond `sentBase` are of the generation that the state names. Pure.
 */
export interface FileIdentity {
  readonly device: string;
  readonly inode: string;
}

/** The first bytes of the file: an inode is used again after a file was removed, and a truncated file keeps its own. */
export interface FileHead {
  readonly headBytes: number;
  /** SHA-256, hexadecimal. */
  readonly headHash: string;
}

export interface LogCursor extends FileIdentity, FileHead {
  readonly fileOffset: number;
  readonly sentBase: number;
}

/** Enough to tell two logs apart: most lines begin with a time. */
export const HEAD_BYTES_MAX = 256;

const NO_HEAD: FileHead = { headBytes: 0, headHash: '' };

export function newCursor({ device, inode }: FileIdentity): LogCursor {
  return { device, inode, ...NO_HEAD, fileOffset: 0, sentBase: 0 };
}

export function serverOffsetOf({ sentBase, fileOffset }: LogCursor): number {
  return sentBase + fileOffset;
}

export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.device === b.device && a.inode === b.inode;
}

/** The server has taken `bytes` more. */
export function advanced(cursor: LogCursor, bytes: number): LogCursor {
  return { ...cursor, fileOffset: cursor.fileOffset + bytes };
}

export function withHead(cursor: LogCursor, head: FileHead): LogCursor {
  return { ...cursor, headBytes: head.headBytes, headHash: head.headHash };
}

/** The file starts again, in place or as another file; what was sent stays sent. */
export function nextGeneration(cursor: LogCursor, { device, inode }: FileIdentity): LogCursor {
  return { device, inode, ...NO_HEAD, fileOffset: 0, sentBase: serverOffsetOf(cursor) };
}

/**
 * Where to go on when the server says how much it has. `fileSize` is null where the generation's file is gone.
 *
 * - It has a part of this generation: go on behind it, whatever we thought.
 * - It has less than was sent before this generation (its disk was lost): what is still here is sent again.
 * - It has more than the file holds (another sender, a truncated file): go on with the file where we are.
 */
export function reconciled(cursor: LogCursor, serverSize: number, fileSize: number | null): LogCursor {
  const offset = serverSize - cursor.sentBase;
  if (offset < 0) return { ...cursor, sentBase: serverSize, fileOffset: 0 };
  if (fileSize === null || offset <= fileSize) return { ...cursor, fileOffset: offset };
  const fileOffset = Math.min(cursor.fileOffset, fileSize);
  return { ...cursor, sentBase: serverSize - fileOffset, fileOffset };
}
