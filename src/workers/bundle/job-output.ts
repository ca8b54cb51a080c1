/** A job's output over all its copies, as the bundle has it: what one uninterrupted run would have written. */
import type { FileHandle } from 'node:fs/promises';
import { idSchema } from '../../protocol/id.ts';
import type { JobDetail, JobEvent } from '../../protocol/job.ts';
import { jobOutputOf, joinOutput, lastCopyOutput, type Output, type OutputPart } from '../../protocol/job-output.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { isPlainFile, listNodeLogs, readLogBase } from '../../store/logs/node-log-files.ts';
import { nodeLogFile } from '../../store/logs/node-log-name.ts';
import { readNodePrice } from '../../store/records/node-record.ts';
import { jobDetailText } from '../jobs/job-detail.ts';
import type { JobOutputPage, JobOutputTask } from '../task/task.ts';
import { bytesOf, tryOpen } from './stored-bytes.ts';
import type { TarEntry } from './tar.ts';

export interface JobOutputOptions {
  readonly logFolder: string;
  readonly job: string;
  readonly events: readonly JobEvent[];
  /** The node that the events call so; undefined for what is no node. */
  readonly nodeIdOf: (nodeOid: string) => string | undefined;
}

/** Bytes of one page of output. */
const PAGE_SIZE = 1024 * 1024;

/** A job may call its node anything; what is no id has neither record nor folder. */
export function nodeIdIn(reader: Reader, oid: string): string | undefined {
  const id = readNodePrice(reader, oid)?.nodeId ?? oid;
  return idSchema.safeParse(id).success ? id : undefined;
}

/** Looks for a log that is cut just between two looks at it; then it is as it was before. */
const LOOKS_MAX = 5;

/** The joined output; nothing where no node has a log of it. */
export async function* jobOutput(reader: Reader, output: Output, options: JobOutputOptions): AsyncGenerator<TarEntry> {
  const logs = await openLogs(reader, output, options);
  try {
    if (logs.size === 0) return;
    const parts = joinOutput(options.events, output, ...looks(logs, options)).map((part) => storedPart(part, logs));
    const size = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const modified = [...logs.values()].reduce((last, log) => (log.modified > last ? log.modified : last), new Date(0));
    yield { path: `output/${output}.log`, size, modified, bytes: joinedBytes(parts) };
  } finally {
    for (const { handle } of logs.values()) await handle.close();
  }
}

/** Empty where there is nothing at or behind the position: the copy that is being restored may have to catch up first. */
export async function jobOutputPage(reader: Reader, task: JobOutputTask): Promise<JobOutputPage> {
  const { jobId, output, onlyLastCopy, logFolder, from } = task;
  const { events, isOver } = jobIn(reader, task);
  const nodeIdOf = (oid: string): string | undefined => nodeIdIn(reader, oid);
  const options: JobOutputOptions = { logFolder, job: jobId, events, nodeIdOf };
  const logs = await openLogs(reader, output, options);
  try {
    const parts = (onlyLastCopy ? lastCopyOutput : joinOutput)(events, output, ...looks(logs, options));
    const part = parts.find(({ at, from: begin, to }) => at + to - begin > from);
    if (!part) return { bytes: new Uint8Array(0), next: from, more: false, isOver };
    const { handle, base } = logs.get(part.log) as StoredLog;
    // In the sender's log: behind what was sent before, and behind what the caps have removed.
    const start = Math.max(part.from + Math.max(0, from - part.at), base);
    const bytes = new Uint8Array(Math.max(0, Math.min(PAGE_SIZE, part.to - start)));
    const { bytesRead } =
      bytes.byteLength === 0 ? { bytesRead: 0 } : await handle.read(bytes, 0, bytes.byteLength, start - base);
    // A file that ends before its size is cut just now: what is missing comes from another file, or not at all.
    const next = part.at + (bytesRead === 0 ? part.to : start + bytesRead) - part.from;
    return {
      bytes: bytes.slice(0, bytesRead),
      next,
      more: parts.some(({ at, from: begin, to }) => at + to - begin > next),
      isOver,
    };
  } finally {
    for (const { handle } of logs.values()) await handle.close();
  }
}

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'stopped']);

function jobIn(
  reader: Reader,
  { jobId, nowMs }: JobOutputTask,
): { readonly events: readonly JobEvent[]; readonly isOver: boolean } {
  reader.refresh();
  const record = reader.get('job', textKey(jobId));
  if (!record) return { events: [], isOver: true };
  const job = JSON.parse(jobDetailText(reader, jobId, record, { nowMs, warnings: [] })) as JobDetail;
  return { events: job.events as JobEvent[], isOver: ENDED.has(job.phase ?? '') };
}

/** Which log a node has, and its size. */
function looks(
  logs: ReadonlyMap<string, StoredLog>,
  { nodeIdOf }: JobOutputOptions,
): [(nodeOid: string) => string | undefined, (nodeId: string) => number] {
  const logOf = (nodeOid: string): string | undefined => {
    const nodeId = nodeIdOf(nodeOid);
    return nodeId !== undefined && logs.has(nodeId) ? nodeId : undefined;
  };
  return [logOf, (nodeId) => (logs.get(nodeId) as StoredLog).end];
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
