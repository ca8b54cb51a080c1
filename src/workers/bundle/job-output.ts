/** A job's output over all its copies, as the bundle has it: what one uninterrupted run would have written. */
import type { FileHandle } from 'node:fs/promises';
import type { JobEvent } from '../../protocol/job.ts';
import { jobOutputOf, joinOutput, type Output, type OutputPart } from '../../protocol/job-output.ts';
import type { Reader } from '../../store/kv/store.ts';
import { isPlainFile, listNodeLogs, nodeLogFile, readLogBase } from '../../store/logs/node-log-files.ts';
import { bytesOf, tryOpen } from './stored-bytes.ts';
import type { TarEntry } from './tar.ts';

export interface JobOutputOptions {
  readonly logFolder: string;
  readonly job: string;
  readonly events: readonly JobEvent[];
  /** The node that the events call so; undefined for what is no node. */
  readonly nodeIdOf: (nodeOid: string) => string | undefined;
}

/** Looks for a log that is cut just between two looks at it; then it is as it was before. */
const LOOKS_MAX = 5;

/** The joined output; nothing where no node has a log of it. */
export async function* jobOutput(reader: Reader, output: Output, options: JobOutputOptions): AsyncGenerator<TarEntry> {
  const { events, nodeIdOf } = options;
  const logs = await openLogs(reader, output, options);
  try {
    if (logs.size === 0) return;
    const logOf = (nodeOid: string): string | undefined => {
      const nodeId = nodeIdOf(nodeOid);
      return nodeId !== undefined && logs.has(nodeId) ? nodeId : undefined;
    };
    const sizeOf = (nodeId: string): number => (logs.get(nodeId) as StoredLog).end;
    const parts = joinOutput(events, output, logOf, sizeOf).map((part) => storedPart(part, logs));
    const size = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const modified = [...logs.values()].reduce((last, log) => (log.modified > last ? log.modified : last), new Date(0));
    yield { path: `output/${output}.log`, size, modified, bytes: joinedBytes(parts) };
  } finally {
    for (const { handle } of logs.values()) await handle.close();
  }
}

interface StoredLog {
  readonly handle: FileHandle;
  /** Bytes of the sender's log that the caps have removed. */
  readonly base: number;
  /** Size of the sender's log. */
  readonly end: number;
  readonly modified: Date;
}

interface StoredPart {
  readonly handle: FileHandle;
  readonly from: number;
  readonly to: number;
}

/** What the caps have removed is missing in the whole too. */
function storedPart({ log, from, to }: OutputPart, logs: ReadonlyMap<string, StoredLog>): StoredPart {
  const { handle, base } = logs.get(log) as StoredLog;
  return { handle, from: Math.max(from - base, 0), to: Math.max(to - base, 0) };
}

async function* joinedBytes(parts: readonly StoredPart[]): AsyncGenerator<Uint8Array> {
  for (const { handle, from, to } of parts) yield* bytesOf(handle, from, to);
}

/** By node id. */
async function openLogs(
  reader: Reader,
  output: Output,
  { logFolder, job, events, nodeIdOf }: JobOutputOptions,
): Promise<ReadonlyMap<string, StoredLog>> {
  const logs = new Map<string, StoredLog>();
  const nodeIds = new Set(events.map(({ nodeOid }) => (nodeOid ? nodeIdOf(nodeOid) : undefined)));
  for (const nodeId of nodeIds) {
    if (nodeId === undefined) continue;
    for (const listed of await listNodeLogs(logFolder, nodeId)) {
      const path = listed.split('/').slice(3).map(decodeURIComponent).join('/');
      const whose = jobOutputOf(path);
      if (whose?.job !== job || whose.output !== output || logs.has(nodeId)) continue;
      const log = await openLog(reader, logFolder, { nodeId, path });
      if (log) logs.set(nodeId, log);
    }
  }
  return logs;
}

async function openLog(
  reader: Reader,
  logFolder: string,
  name: { readonly nodeId: string; readonly path: string },
): Promise<StoredLog | undefined> {
  const file = nodeLogFile(logFolder, name);
  if (!file || !(await isPlainFile(logFolder, name))) return undefined;
  for (let look = 1; ; look++) {
    const before = readLogBase(reader, name);
    const handle = await tryOpen(file);
    if (!handle) return undefined;
    const { size, mtime } = await handle.stat();
    const known = readLogBase(reader, name);
    if (JSON.stringify(before) !== JSON.stringify(known) && look < LOOKS_MAX) {
      await handle.close();
      continue;
    }
    // The size shows whether a cut that was begun is done.
    const isDone = known?.next != null && size === known.size - known.next;
    const base = (isDone ? known.next : known?.base) ?? 0;
    return { handle, base, end: base + size, modified: mtime };
  }
}
