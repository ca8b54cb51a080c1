/**
 * Whether the rows in which jobs are listed are those of the job records. Most of these rows are nothing but a key, and LMDB has
 * no checksum for keys: a bit that the disk flips in one leaves a job out of some lists, or puts it in a wrong place.
 */
import { mustParseTimestamp } from '../../protocol/timestamp.ts';
import { afterKey, compareKeys, textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { WriteBatch } from '../kv/write-batch.ts';
import { jobEventKey, readEventRows } from './job-event-row.ts';
import {
  type IndexedJob,
  idAtEnd,
  JOB_INDEX_KINDS,
  type JobIndexKind,
  type JobIndexWrite,
  jobIndexWrites,
  searchTextOf,
} from './job-index.ts';
import { decodeJobRecord, jobHeadOf, jobJsonOf } from './job-record.ts';

/** A row that is not as it should be, and the write that mends it: a value for one that is missing, null for one too many. */
export interface JobRowFinding extends JobIndexWrite {
  /** As far as the row tells. */
  readonly job: string;
}

/** Jobs, and rows, between two looks at the newest state of the store. */
const SLICE = 1_000;
const INDEXES = ['jobByCreated', 'jobIndex'] as const;
/** Rows of a job in `jobIndex`. */
const ROWS_PER_JOB = Object.keys(JOB_INDEX_KINDS).length;

/** What the indexes know of a job, from its record. Throws where that is damaged. */
export function indexedJobOf(record: Uint8Array): IndexedJob {
  const head = jobHeadOf(jobJsonOf(record));
  const { id, queueName, name = '', status, nodeOid, createdAt, updatedAt } = head;
  const [created, updated] = [mustParseTimestamp(createdAt), mustParseTimestamp(updatedAt)];
  return { id, queueName, name, status, nodeOid, created, updated, text: searchTextOf(head) };
}

/**
 * The rows that are missing, then those that no job has; in slices, each of one state of the store: a server may write
 * meanwhile. Rows of damaged records are left alone.
 */
export function* jobRowFindings(reader: Reader): Generator<readonly JobRowFinding[]> {
  let isWhole = true;
  for (const missing of inSlices(reader, 'job', (_, record) => missingRows(reader, record))) {
    isWhole = false;
    yield missing;
  }
  reader.refresh();
  const jobs = reader.count('job');
  // Where each job has its rows, and there are not more of them, each row has its job.
  if (isWhole && reader.count('jobByCreated') === jobs && reader.count('jobIndex') === ROWS_PER_JOB * jobs) return;
  for (const table of INDEXES)
    yield* inSlices(reader, table, (key) => {
      const job = jobOfRow(table, key);
      const record = job === undefined ? undefined : reader.get('job', textKey(job));
      if (record && (!isReadable(record) || rowsOf(record).some((row) => isRow(row, table, key)))) return [];
      return [{ table, key, value: null, job: job ?? '' }];
    });
}

/** What is left of jobs whose records are damaged: those, their events and their rows. Nobody could ever remove them otherwise. */
export function* damagedJobs(
  reader: Reader,
): Generator<{ readonly jobs: readonly string[]; readonly batch: WriteBatch }> {
  const damaged = new Set<string>();
  const slices = inSlices(reader, 'job', (key, record) => (isReadable(record) ? [] : [Buffer.from(key).toString()]));
  for (const ids of slices) for (const id of ids) damaged.add(id);
  if (damaged.size === 0) return;
  for (const table of INDEXES)
    for (const keys of inSlices(reader, table, (key) => (damaged.has(jobOfRow(table, key) ?? '') ? [key] : []))) {
      const batch = new WriteBatch();
      for (const key of keys) batch.remove(table, key);
      yield { jobs: [], batch };
    }
  for (const id of damaged) {
    const batch = new WriteBatch();
    for (const [number] of readEventRows(reader, id)) batch.remove('jobEvent', jobEventKey(id, number));
    // Last: until then the next attempt finds it.
    batch.remove('job', textKey(id));
    yield { jobs: [id], batch };
  }
}

/** What `find` finds in each slice of a table, where that is anything. */
function* inSlices<T>(
  reader: Reader,
  table: 'job' | (typeof INDEXES)[number],
  find: (key: Uint8Array, value: Uint8Array) => readonly T[],
): Generator<readonly T[]> {
  let start: Uint8Array | undefined;
  for (let isMore = true; isMore; ) {
    reader.refresh();
    const range = { ...(start ? { start } : {}), limit: SLICE, keysOnly: table !== 'job' };
    const found: T[] = [];
    let count = 0;
    isMore = false;
    for (const { key, value } of reader.range(table, range)) {
      count++;
      found.push(...find(key, value));
      // A damaged key may be out of order; from there this would go round and round.
      if (start && compareKeys(key, start) < 0) continue;
      start = afterKey(key);
      isMore = true;
    }
    if (found.length > 0) yield found;
    isMore &&= count === SLICE;
  }
}

function missingRows(reader: Reader, record: Uint8Array): JobRowFinding[] {
  if (!isReadable(record)) return [];
  const { id: job } = indexedJobOf(record);
  return rowsOf(record)
    .filter(({ table, key }) => reader.view(table, key) === undefined)
    .map((row) => ({ ...row, job }));
}

function rowsOf(record: Uint8Array): JobIndexWrite[] {
  return jobIndexWrites(null, indexedJobOf(record));
}

function isRow(row: JobIndexWrite, table: string, key: Uint8Array): boolean {
  return row.table === table && Buffer.compare(row.key, key) === 0;
}

function isReadable(record: Uint8Array): boolean {
  try {
    decodeJobRecord(record);
    return true;
  } catch {
    return false;
  }
}

/** Texts that stand before the time of a row, or before the id where it has no time. */
const TEXTS: Readonly<Record<JobIndexKind, number>> = {
  updated: 0,
  queue: 1,
  queueUpdated: 1,
  status: 1,
  statusUpdated: 1,
  node: 1,
  nodeUpdated: 1,
  name: 1,
  queueStatus: 2,
  queueStatusUpdated: 2,
  queueByName: 2,
  outcomeByName: 2,
  queueByNode: 2,
  outcomeByNode: 2,
  queueById: 1,
  outcomeById: 1,
};
const TEXTS_BY_NUMBER = new Map(
  Object.entries(JOB_INDEX_KINDS).map(([kind, number]) => [number as number, TEXTS[kind as JobIndexKind]]),
);
const BY_ID: ReadonlySet<number> = new Set([JOB_INDEX_KINDS.queueById, JOB_INDEX_KINDS.outcomeById]);

/** Undefined where the row is too damaged to tell. */
function jobOfRow(table: (typeof INDEXES)[number], key: Uint8Array): string | undefined {
  if (table === 'jobByCreated') return idAtEnd(key);
  const kind = key[0] as number;
  let at = 1;
  for (let texts = TEXTS_BY_NUMBER.get(kind) ?? 0; texts > 0; texts--) {
    const zero = key.indexOf(0, at);
    if (zero < 0) return undefined;
    at = zero + 1;
  }
  if (!BY_ID.has(kind)) return idAtEnd(key.subarray(at));
  return at < key.byteLength - 1 ? Buffer.from(key.subarray(at, -1)).toString('latin1') : undefined;
}
