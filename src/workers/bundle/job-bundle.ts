/**
 * Everything about one job as a compressed tar, made as it is sent: the job, the server log's lines that name it, its output
 * joined over its copies, and of each node that it was on the facts and the logs. The nodes may be gone: their records and logs outlive them.
 */
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { CodedError } from '../../base/errors.ts';
import type { Job, JobDetail, JobEvent } from '../../protocol/job.ts';
import { OUTPUTS } from '../../protocol/job-output.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { isPlainFile, listNodeLogs } from '../../store/logs/node-log-files.ts';
import { nodeLogFile } from '../../store/logs/node-log-name.ts';
import { decodeNodeRecord } from '../../store/records/node-record.ts';
import { isLogOf } from '../../store/records/queue-node.ts';
import { jobDetailText } from '../jobs/job-detail.ts';
import type { JobBundleTask } from '../task/task.ts';
import { grepLines, type OpenLog, sizeOfGrepLines } from './grep-lines.ts';
import { jobOutput, nodeIdIn } from './job-output.ts';
import { bytesOf, tryOpen } from './stored-bytes.ts';
import { type TarEntry, tarOf } from './tar.ts';

const CHUNK_SIZE = 64 * 1024;
/** Logs shrink to a tenth at the lowest level already, and the next ones cost three times the time. */
const GZIP_LEVEL = 1;
/** Backups of the server log that there may be. */
const BACKUPS_MAX = 1_000;

export async function* jobBundle(reader: Reader, task: JobBundleTask): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: CHUNK_SIZE });
  // A failure of either side ends the other, and reaches the code that iterates; there is nothing to do here.
  pipeline(Readable.from(tarOf(entriesOf(reader, task)), { objectMode: false }), gzip, () => {});
  for await (const chunk of gzip) yield Uint8Array.from(chunk as Buffer);
}

async function* entriesOf(reader: Reader, task: JobBundleTask): AsyncGenerator<TarEntry> {
  const job = readJob(reader, task);
  yield textEntry('job.json', `${JSON.stringify(job, null, 2)}\n`, new Date(job.updatedAt));
  if (!task.queues) yield* serverLog(task);
  const { events } = job;
  const nodeIdOf = (oid: string): string | undefined => nodeIdIn(reader, oid);
  for (const output of OUTPUTS)
    yield* jobOutput(reader, output, {
      logFolder: task.logFolder,
      job: task.jobId,
      events: events as JobEvent[],
      nodeIdOf,
    });
  for (const nodeId of nodesOf(reader, job)) {
    const record = reader.get('node', textKey(nodeId));
    if (record) {
      const { factsJson, state, endedAtMs, lastBeatWallMs } = decodeNodeRecord(record);
      const text = `${factsJson.slice(0, -1)},"state":"${state}"}\n`;
      yield textEntry(`nodes/${nodeId}/node.json`, text, new Date(endedAtMs ?? lastBeatWallMs));
    }
    yield* nodeLogs(reader, task, nodeId);
  }
}

/** It may have gone since the bundle was asked for. */
function readJob(reader: Reader, { jobId, nowMs }: JobBundleTask): JobDetail {
  reader.refresh();
  const record = reader.get('job', textKey(jobId));
  if (!record) throw new CodedError('notFound');
  return JSON.parse(jobDetailText(reader, jobId, record, { nowMs, warnings: [] })) as JobDetail;
}

/** Ids of the nodes; where a record is gone already, what the job calls the node. */
function nodesOf(reader: Reader, { events }: Job): ReadonlySet<string> {
  reader.refresh();
  const nodeOids = [...new Set(events.flatMap(({ nodeOid }) => nodeOid || []))];
  return new Set(nodeOids.map((oid) => nodeIdIn(reader, oid)).filter((id) => id !== undefined));
}

function textEntry(path: string, text: string, modified: Date): TarEntry {
  const bytes = Buffer.from(text);
  return { path, size: bytes.byteLength, modified, bytes: Readable.from([bytes]) };
}

async function* serverLog({ jobId, serverLogFile, serverLogName }: JobBundleTask): AsyncGenerator<TarEntry> {
  const logs = await openServerLogs(serverLogFile);
  try {
    const size = await sizeOfGrepLines(logs, jobId);
    const modified = logs.at(-1)?.modified ?? new Date(0);
    yield { path: serverLogName, size, modified, bytes: grepLines(logs, jobId) };
  } finally {
    for (const { handle } of logs) await handle.close();
  }
}

interface DatedLog extends OpenLog {
  readonly modified: Date;
}

/** The log and its backups, oldest first. Opened newest first: a rotation meanwhile shows a file twice, and hides none. */
async function openServerLogs(file: string): Promise<readonly DatedLog[]> {
  const logs: DatedLog[] = [];
  const seen = new Set<number>();
  for (let i = 0; i <= BACKUPS_MAX; i++) {
    const handle = await tryOpen(i === 0 ? file : `${file}.${i}`);
    if (!handle && i > 0) break;
    if (!handle) continue;
    const { ino, size, mtime } = await handle.stat();
    if (seen.has(ino)) await handle.close();
    else logs.unshift({ handle, size, modified: mtime });
    seen.add(ino);
  }
  return logs;
}

async function* nodeLogs(
  reader: Reader,
  { logFolder, queues }: JobBundleTask,
  nodeId: string,
): AsyncGenerator<TarEntry> {
  for (const listed of await listNodeLogs(logFolder, nodeId)) {
    const path = listed.split('/').slice(3).map(decodeURIComponent).join('/');
    if (queues && !isLogOf(reader, path, queues)) continue;
    const name = { nodeId, path };
    const file = nodeLogFile(logFolder, name);
    const handle = file && (await isPlainFile(logFolder, name)) ? await tryOpen(file) : undefined;
    if (!handle) continue;
    try {
      const { size, mtime } = await handle.stat();
      yield { path: `nodes/${nodeId}/${path}`, size, modified: mtime, bytes: bytesOf(handle, 0, size) };
    } finally {
      await handle.close();
    }
  }
}
