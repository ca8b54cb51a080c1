/** The list of jobs as a stream of bytes, in bounded memory: a head that names the next page, then the rows. */
import { CodedError } from '../../base/errors.ts';
import type { Job } from '../../protocol/job.ts';
import { JOB_FIELDS, tellsOfEvents } from '../../protocol/lists/job-columns.ts';
import type { JobQuery } from '../../protocol/lists/job-query.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import {
  decodeJobRecord,
  hasEventRows,
  type JobHead,
  type JobRecord,
  jobHeadOf,
  jobJsonOf,
} from '../../store/records/job-record.ts';
import type { NodeFate } from '../../store/records/node-record.ts';
import type { BufferPool } from '../bytes/buffer-pool.ts';
import { RowWriter } from '../rows/row-writer.ts';
import type { JobListTask } from '../task/task.ts';
import { Cost } from './cost.ts';
import { GoneNodes } from './gone-nodes.ts';
import { type EventFacts, eventFactsOf } from './job-detail.ts';
import { hasTimes, hasUpdates } from './match.ts';
import { type Page, selectFullPage, selectPage } from './page.ts';
import { textIndexOf } from './text-index.ts';
import { walk } from './walk.ts';
import { wholeJob } from './whole-job.ts';

/** The first chunk of the stream, as JSON. */
export interface JobListHead {
  /** Position of the next page in base64url; null where there is none. */
  readonly next: string | null;
}

/** Rows read before the thread may do something else. */
const SLICE = 500;
/** Rows of a whole list that are sent by themselves, so that its reader hears of it at once. */
const FIRST_SLICE = 16;
/** Bytes of a page that are read at once, so that all of it is of one state of the store; the rest is read as it is sent. */
const AT_ONCE_SIZE_MAX = 4 * 1024 * 1024;
const NOTHING = new Uint8Array(0);
/** Units of search for one page: about 2 ms. */
const PAGE_COST_MAX = 3_000;
/** A page without any row goes on for so many times that much: an empty answer is of little use, so it may take 50 ms. */
const EMPTY_PAGES_MAX = 20;
/** After its first slice it sorts so many times as many jobs on the spot: 20 to 30 ms at most, where looking for them may take all of that. */
const EFFORT = 30;
/** Where there are no more jobs than this, looking at all of them takes that long at most, and no page is cut short. */
const FEW_JOBS = 10_000;

/** An `events` column would be most of the file; who wants it asks for the field. */
const CSV_COLUMNS = JOB_FIELDS.filter((field) => field !== 'events');

/** `bufferPool` has the buffers that came back. */
export async function* jobList(reader: Reader, task: JobListTask, bufferPool?: BufferPool): AsyncGenerator<Uint8Array> {
  const rows = new JobRows(reader, task, bufferPool);
  if (task.limit === null) {
    yield headOf(null);
    yield* everything(reader, task, rows);
  } else {
    const page = await onePage(reader, task, task.limit, rows);
    yield headOf(page.next);
    yield* rowsOf(reader, page, rows);
  }
}

/**
 * What may be answered where others wait: rows, units of search and bytes that together take about a millisecond, which is less
 * than three hops between threads.
 */
const SHORT = { rows: 200, cost: 1_500, bytes: 262_144 } as const;

export interface ShortPage {
  readonly next: Uint8Array | null;
  readonly bytes: Uint8Array;
}

/** A page that is short, of the state of the store that the reader is at. Undefined where it may take long: counted, not timed. */
export function shortPage(reader: Reader, task: JobListTask): ShortPage | undefined {
  const { query, after, limit, isBound } = task;
  if (tellsOfEvents(task.style.fields)) return undefined;
  if (isBound || isSought(query) || limit === null || limit > SHORT.rows) return undefined;
  const page = selectPage(reader, query, after, { limit, costMax: SHORT.cost });
  if (page.next !== null && page.ids.length < limit) return undefined;
  const rows = new JobRows(reader, task, undefined);
  const chunks: Uint8Array[] = [];
  for (const id of page.ids) {
    const job = rows.read(id);
    if (rows.bytesRead > SHORT.bytes) return undefined;
    const chunk = rows.add(job);
    if (chunk) chunks.push(chunk);
  }
  const rest = rows.end();
  return { next: page.next, bytes: chunks.length === 0 ? rest : Buffer.concat([...chunks, rest]) };
}

/** What is looked for job by job, in an order that says nothing of it. */
function isSought({ by, filter }: JobQuery): boolean {
  if (filter.q !== undefined || (hasUpdates(filter) && by !== 'updatedAt')) return true;
  return hasTimes(filter) && by !== 'createdAt' && by !== 'updatedAt';
}

interface FilledPage extends Page {
  /** Jobs of the first ids, read of the same state of the store as the ids; null where one has gone. */
  readonly jobs: readonly (JobRow | null)[];
}

async function onePage(
  reader: Reader,
  { query, after, isBound }: JobListTask,
  limit: number,
  rows: JobRows,
): Promise<FilledPage> {
  let page: Page = { ids: [], next: after };
  // The cost of a page grows with its size, or a large one would always be short.
  const isFew = reader.count('job') <= FEW_JOBS;
  const costMax = isFew ? Number.POSITIVE_INFINITY : PAGE_COST_MAX * Math.max(1, limit / 200);
  const pause = async (): Promise<void> => {
    await aTurn();
    reader.refresh();
  };
  const texts = query.filter.q === undefined ? undefined : textIndexOf(reader);
  if (isBound) page = await selectFullPage(reader, query, after, { limit, costMax: PAGE_COST_MAX, pause, texts });
  let cost = new Cost();
  // Of jobs that are looked at for a text, so many at once would take too long.
  const effort = query.filter.q === undefined ? EFFORT : 1;
  for (let i = 0; i < EMPTY_PAGES_MAX && !isBound; i++) {
    reader.refresh();
    cost = cost.next(i === 0 ? 1 : effort);
    page = selectPage(reader, query, page.next, { limit, costMax, texts }, cost);
    if (page.ids.length > 0 || page.next === null) break;
    await aTurn();
  }
  const jobs: (JobRow | null)[] = [];
  for (let i = 0; i < page.ids.length && rows.bytesRead < AT_ONCE_SIZE_MAX; i++) {
    const job = rows.read(page.ids[i] as string);
    jobs.push(job instanceof Uint8Array ? Uint8Array.from(job) : job);
  }
  return { ...page, jobs };
}

async function* rowsOf(reader: Reader, { ids, jobs }: FilledPage, rows: JobRows): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < ids.length; i++) {
    if (i > jobs.length && i % SLICE === 0) {
      await aTurn();
      reader.refresh();
    }
    const job = jobs[i];
    const chunk = rows.add(job === undefined ? rows.read(ids[i] as string) : job);
    if (chunk) yield chunk;
  }
  const rest = rows.end();
  if (rest.byteLength > 0) yield rest;
}

async function* everything(reader: Reader, task: JobListTask, rows: JobRows): AsyncGenerator<Uint8Array> {
  let next = task.after;
  let cost = new Cost();
  let isFirst = true;
  do {
    reader.refresh();
    cost = cost.next();
    const slice = oneSlice(reader, task, next, { rows, cost, count: isFirst ? FIRST_SLICE : SLICE });
    next = slice.next;
    yield slice.chunk ?? (isFirst ? rows.flush() : NOTHING);
    isFirst = false;
    await aTurn();
  } while (next);
  const rest = rows.end();
  if (rest.byteLength > 0) yield rest;
}

/** Found and read without a pause; after a pause the search starts again, because the store has changed meanwhile. */
function oneSlice(
  reader: Reader,
  { query }: JobListTask,
  after: Uint8Array | null,
  { rows, cost, count }: { readonly rows: JobRows; readonly cost: Cost; readonly count: number },
): { readonly next: Uint8Array | null; readonly chunk?: Uint8Array } {
  let found = 0;
  for (const { id, position } of walk({ reader, query, cost }, after)) {
    const chunk = id === undefined ? undefined : rows.add(rows.read(id));
    if (chunk) return { next: position, chunk };
    if (id !== undefined) found++;
    if (found >= count || cost.spent >= PAGE_COST_MAX) return { next: position };
  }
  return { next: null };
}

/** A job's own JSON, a view that is good until the next read; or what was chosen of it, as the answer has it. */
type JobRow = Uint8Array | string;

/** Writes jobs, and what is made of them where that is asked for: it is no part of the record. */
class JobRows {
  readonly #reader: Reader;
  readonly #writer: RowWriter;
  readonly #nodes: GoneNodes;
  /** Null where all of the record is written as it is. */
  readonly #fields: readonly string[] | null;
  readonly #tellsPhase: boolean;
  readonly #needsEvents: boolean;
  readonly #tellsOfEvents: boolean;
  readonly #nowMs: number;
  #bytesRead = 0;

  constructor(reader: Reader, { style, nowMs }: JobListTask, bufferPool: BufferPool | undefined) {
    this.#reader = reader;
    this.#fields = style.fields ?? (style.format === 'csv' ? CSV_COLUMNS : null);
    this.#tellsOfEvents = tellsOfEvents(style.fields);
    this.#needsEvents = this.#fields?.includes('events') ?? true;
    this.#writer = new RowWriter(style, CSV_COLUMNS, bufferPool);
    this.#nodes = new GoneNodes(reader);
    this.#tellsPhase = this.#fields?.includes('phase') === true;
    this.#nowMs = nowMs;
  }

  /** With all events where the rows tell of them. Null where the job has gone, or is damaged, which must not cost the list the others. */
  read(id: string): JobRow | null {
    try {
      const record = this.#reader.view('job', textKey(id));
      if (!record) return null;
      return this.#fields ? this.#chosen(id, record, this.#fields) : this.#whole(id, record);
    } catch (error) {
      if (error instanceof CodedError && error.name === 'recordDamaged') return null;
      throw error;
    }
  }

  /** Of jobs: what is chosen of them may be far less. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  #whole(id: string, record: Uint8Array): Uint8Array {
    const json = hasEventRows(record) ? wholeJob(this.#reader, id, Uint8Array.from(record)) : jobJsonOf(record);
    this.#bytesRead += json.byteLength;
    return json;
  }

  /** Parses the record once, and of it no more than is asked for: a list has thousands. */
  #chosen(id: string, record: Uint8Array, fields: readonly string[]): string {
    if (!this.#needsEvents) this.#bytesRead += record.byteLength;
    // A view is good until the next read, so what is made of it comes first.
    const decoded = this.#tellsOfEvents ? decodeJobRecord(record) : undefined;
    const job: JobHead = this.#needsEvents
      ? parsedJob(this.#whole(id, record))
      : (decoded?.job ?? jobHeadOf(jobJsonOf(record)));
    const facts = decoded && this.#factsOf(id, decoded, fields);
    // Into the object that was parsed for this row: a copy of it costs as much as parsing it.
    const row: Record<string, unknown> = job;
    if (this.#tellsPhase) row['phase'] = this.#nodes.phaseOf(job);
    return this.#writer.textOf(Object.assign(row, facts));
  }

  #factsOf(id: string, record: JobRecord, fields: readonly string[]): Partial<EventFacts> {
    const fateOf = (nodeOid: string): NodeFate => this.#nodes.fateOf(nodeOid);
    return eventFactsOf(this.#reader, id, record, { fateOf, nowMs: this.#nowMs, fields });
  }

  /** A job that was removed since it was found is left out. */
  add(row: JobRow | null): Uint8Array | undefined {
    if (row === null) return undefined;
    return typeof row === 'string' ? this.#writer.addText(row) : this.#writer.add(row);
  }

  /** What was added and not given yet; may be empty. */
  flush(): Uint8Array {
    return this.#writer.flush();
  }

  end(): Uint8Array {
    return this.#writer.end();
  }
}

function headOf(next: Uint8Array | null): Uint8Array {
  const head: JobListHead = { next: next && Buffer.from(next).toString('base64url') };
  return Uint8Array.from(Buffer.from(JSON.stringify(head)));
}

function parsedJob(json: Uint8Array): Job {
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8')) as Job;
}

function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
