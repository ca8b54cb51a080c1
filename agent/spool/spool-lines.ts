/** What the spool decides about its bytes: where whole lines end, which go into a batch, what a full spool gives up. Pure. */

const NEWLINE = 0x0a;

/** A batch of lines as they are in the file, ready to be sent as NDJSON. */
export interface Batch {
  readonly lines: readonly string[];
  /** Bytes of the file that the batch stands for, skipped lines included. */
  readonly bytes: number;
  /** Lines that the server would not take: another node's id, or not JSON. */
  readonly skipped: number;
}

/** The first lines of `bytes`, at most `linesMax`; a line without its end does not count. */
export function batchOf(bytes: Buffer, id: string, linesMax: number): Batch {
  const lines: string[] = [];
  let at = 0;
  let skipped = 0;
  while (lines.length + skipped < linesMax) {
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) break;
    const line = bytes.toString('utf8', at, end);
    if (idOf(line) === id) lines.push(line);
    else skipped++;
    at = end + 1;
  }
  return { lines, bytes: at, skipped };
}

/** Where a line that a crash left half-written begins; the length where there is none. */
export function wholeLinesEnd(bytes: Buffer): number {
  return bytes.lastIndexOf(NEWLINE) + 1;
}

export interface Cut {
  /** Bytes from the file's beginning that go. */
  readonly from: number;
  /** Lines that were never sent and go with them. */
  readonly dropped: number;
}

/** Overflow policy of the spool: the oldest half goes, at a line's end, and what was sent goes first. */
export function cutOldestHalf(bytes: Buffer, sentBytes: number): Cut {
  const half = Math.max(sentBytes, Math.floor(bytes.byteLength / 2));
  const end = half === sentBytes ? half : bytes.indexOf(NEWLINE, half - 1) + 1;
  const from = end <= 0 ? bytes.byteLength : end;
  return { from, dropped: countLines(bytes.subarray(sentBytes, from)) };
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

function idOf(line: string): unknown {
  try {
    return (JSON.parse(line) as { id?: unknown } | null)?.id;
  } catch {
    return undefined;
  }
}
