/**
 * Reads the log that conmon keeps of a container (driver k8s-file), back into the bytes that the container wrote. Pure.
 *
 *   <RFC 3339 time> stdout F the rest of a line      and a line break
 *   <RFC 3339 time> stderr P a part of a line        and no line break
 */
export type StreamName = 'stdout' | 'stderr';

export interface LogEntry {
  /** Wall clock, when conmon had it from the container. */
  readonly timeMs: number;
  readonly stream: StreamName;
  readonly bytes: Buffer;
}

const LINE_BREAK = 0x0a;
const SPACE = 0x20;
const NEWLINE = Buffer.from('\n');

/** Cuts what is read of the log into entries. Lines that are none are left out. */
export class ContainerLog {
  #rest: Buffer = Buffer.alloc(0);

  /** The entries that `bytes` completes. */
  push(bytes: Buffer): LogEntry[] {
    const all = this.#rest.byteLength === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const entries: LogEntry[] = [];
    let at = 0;
    for (let end = all.indexOf(LINE_BREAK); end >= 0; end = all.indexOf(LINE_BREAK, at)) {
      const entry = tryEntry(all.subarray(at, end));
      if (entry) entries.push(entry);
      at = end + 1;
    }
    this.#rest = Buffer.from(all.subarray(at));
    return entries;
  }
}

function tryEntry(line: Buffer): LogEntry | null {
  const timeEnd = line.indexOf(SPACE);
  const streamEnd = line.indexOf(SPACE, timeEnd + 1);
  const kindEnd = streamEnd + 2;
  if (timeEnd < 0 || streamEnd < 0 || line[kindEnd] !== SPACE) return null;
  const timeMs = Date.parse(line.toString('latin1', 0, timeEnd));
  const stream = line.toString('latin1', timeEnd + 1, streamEnd);
  const kind = line.toString('latin1', streamEnd + 1, kindEnd);
  if (Number.isNaN(timeMs) || (stream !== 'stdout' && stream !== 'stderr') || (kind !== 'F' && kind !== 'P'))
    return null;
  const text = line.subarray(kindEnd + 1);
  return { timeMs, stream, bytes: kind === 'F' ? Buffer.concat([text, NEWLINE]) : text };
}

/** Bytes of each stream that conmon had by then. */
export function bytesBy(entries: readonly LogEntry[], timeMs: number): Record<StreamName, number> {
  const counts = { stdout: 0, stderr: 0 };
  for (const entry of entries) if (entry.timeMs <= timeMs) counts[entry.stream] += entry.bytes.byteLength;
  return counts;
}
