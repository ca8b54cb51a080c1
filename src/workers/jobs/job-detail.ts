/** One job with what is derived from its events, as GET /api/v1/job/{id} gives it. */
import { CodedError } from '../../base/errors.ts';
import { COUNTED_EVENTS, isRunning, type Job, type JobDetail, type JobEvent } from '../../protocol/job.ts';
import { ENDINGS, eventsOfRun, statusEventOf, statusOfEvent, UNREADY_EVENTS } from '../../protocol/names/job-status.ts';
import { phaseOf } from '../../protocol/phase.ts';
import { RiskWalk } from '../../protocol/run-segments.ts';
import { epochMsOf, epochNsOfMs, formatTimestampMs, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { EventRow, readEventRows } from '../../store/records/job-event-row.ts';
import {
  decodeJobRecord,
  hasEventRows,
  type JobMeta,
  type JobRecord,
  jobJsonOf,
  jobMetaOf,
  type StoredWalk,
} from '../../store/records/job-record.ts';
import { type NodeFate, nodeFateOf } from '../../store/records/node-record.ts';
import { savedRiskOf, savedSegmentsOf } from '../../store/records/stored-walk.ts';
import { ChunkBuilder } from '../rows/chunks.ts';
import type { JobDetailTask } from '../task/task.ts';
import { jobParts } from './whole-job.ts';

/** Bytes of a record, and rows, that are read and copied within a millisecond or two. */
const SMALL = { bytes: 131_072, rows: 16 } as const;

/** Whether the job may be read where nobody must wait for long. */
export function isSmallJob(record: Uint8Array): boolean {
  if (record.byteLength > SMALL.bytes) return false;
  return !hasEventRows(record) || (jobMetaOf(record).sealed?.next ?? 0) <= SMALL.rows;
}

/** The JSON of the job. `record` is the caller's own, and of the state of the store that the reader is at. */
export function jobDetailText(
  reader: Reader,
  id: string,
  record: Uint8Array,
  { nowMs, warnings }: Pick<JobDetailTask, 'nowMs' | 'warnings'>,
): string {
  return Buffer.concat([...detailParts(reader, id, record, nowMs, warnings)]).toString('utf8');
}

/** The same as a stream of bytes, which may be read slowly. Throws `notFound` before the first one. */
export async function* jobDetail(reader: Reader, { id, nowMs, warnings }: JobDetailTask): AsyncGenerator<Uint8Array> {
  reader.refresh();
  const record = reader.get('job', textKey(id));
  if (!record) throw new CodedError('notFound');
  const builder = new ChunkBuilder();
  let chunks: Uint8Array[] = [];
  for (const part of detailParts(reader, id, record, nowMs, warnings)) {
    builder.push(part);
    if (builder.isFull) chunks.push(builder.take());
    if (part.byteLength > 0) continue;
    yield* chunks;
    chunks = [];
    // An empty chunk is not sent: it lets others have the thread.
    yield part;
    reader.refresh();
  }
  yield* chunks;
  yield builder.take();
}

function* detailParts(
  reader: Reader,
  id: string,
  record: Uint8Array,
  nowMs: number,
  warnings: readonly string[],
): Generator<Uint8Array> {
  const derived = derivedOf(reader, decodeJobRecord(record), nowMs);
  const more = { ...derived, ...(warnings.length > 0 ? { warnings } : {}) };
  const parts = hasEventRows(record) ? jobParts(reader, id, record) : [jobJsonOf(record)];
  let held: Uint8Array | undefined;
  for (const part of parts) {
    if (held) yield held;
    held = part;
  }
  // The last part ends with the job's closing brace.
  if (held) yield held.subarray(0, -1);
  yield Buffer.from(`,${JSON.stringify(more).slice(1)}`);
}

type Derived = Omit<JobDetail, keyof Job>;

function derivedOf(reader: Reader, { meta, job }: JobRecord, nowMs: number): Derived {
  const walk = meta.sealed?.walk;
  const folded = meta.folded?.pairs ?? 0;
  const counts = COUNTED_EVENTS.map((type, i) => {
    return (walk?.counts[i] ?? 0) + job.events.filter(({ eventType }) => eventType === type).length;
  });
  let fate: NodeFate | undefined;
  const fateOf = (): NodeFate => {
    fate ??= nodeFateOf(reader, job.nodeOid);
    return fate;
  };
  const [attempts = 0, successes = 0, failures = 0, restores = 0, restored = 0, unrestored = 0] = counts;
  return {
    checkpoints: { attempts: attempts + folded, successes: successes + folded, failures },
    restores: { attempts: restores, successes: restored, failures: unrestored },
    ...(isRunning(job.status) ? riskOf(walk, job, fateOf(), nowMs) : NOTHING_AT_RISK),
    ...(folded > 0 ? { foldedCheckpoints: folded } : {}),
    phase: phaseOf(job.status, () => fateOf().isGone),
  };
}

/**
 * What a list tells of a job's events on request; each is null where no event among the newest tells it. But `lastCheckpointAt` is
 * told however many events came after it, unless an earlier version put that one away. `statusSince` and
 * `lastEventDetail` are of the event that the status comes from: what comes after it, as when a job is archived, says nothing of why.
 * `fields`: those that are asked for; the others are left out where they cost something of their own.
 */
export function eventFactsOf(reader: Reader, id: string, record: JobRecord, asked: AskedFacts): Partial<EventFacts> {
  const { fields } = asked;
  const isAsked = (...names: readonly (keyof EventFacts)[]): boolean => {
    return fields === undefined || names.some((name) => fields.includes(name));
  };
  return {
    ...(isAsked('workAtRisk', 'unsavedSeconds') ? atRiskOf(record, asked) : {}),
    ...(isAsked('lastCheckpointAt') ? { lastCheckpointAt: lastCheckpointOf(reader, id, record) } : {}),
    ...(isAsked('statusSince', 'lastEventDetail') ? statusFactsOf(reader, id, record) : {}),
  };
}

interface AskedFacts {
  readonly fateOf: (nodeOid: string) => NodeFate;
  readonly nowMs: number;
  readonly fields?: readonly string[];
}

function atRiskOf({ meta, job }: JobRecord, { fateOf, nowMs }: AskedFacts): AtRisk {
  return isRunning(job.status) ? riskOf(meta.sealed?.walk, job, fateOf(job.nodeOid), nowMs) : NOTHING_AT_RISK;
}

function lastCheckpointOf(reader: Reader, id: string, { meta, job }: JobRecord): string | null {
  // The checkpoints of a run that is over are set aside, which matters once there is another run.
  const isWanted = ({ eventType }: { readonly eventType: string }): boolean =>
    eventType === SAVED || ENDINGS.has(eventType);
  const run = eventsOfRun(job.events);
  // Of a run that began among these events, nothing that has left the record is told.
  const mayBeSealed =
    run.length === job.events.length && Boolean(meta.sealed?.walk.counts[COUNTED_EVENTS.indexOf(SAVED)]);
  const last =
    run.findLast(({ eventType }) => eventType === SAVED) ??
    (mayBeSealed ? lastSealed(reader, id, meta, isWanted) : undefined);
  return last?.eventType === SAVED ? last.timestamp : mayBeSealed && !last ? savedAtOf(meta) : null;
}

function statusFactsOf(
  reader: Reader,
  id: string,
  { meta, job }: JobRecord,
): Pick<EventFacts, 'statusSince' | 'lastEventDetail'> {
  const told =
    statusEventOf(job.status, job.events) ??
    lastSealed(reader, id, meta, ({ eventType }) => statusOfEvent(eventType) === job.status);
  return { statusSince: told?.timestamp ?? null, lastEventDetail: told ? detailOf(told) : null };
}

/** Farther back than is read: to the millisecond. */
function savedAtOf({ sealed }: JobMeta): string | null {
  const savedAt = sealed ? savedRiskOf(sealed.walk).savedAt : null;
  return savedAt === null ? null : formatTimestampMs(epochMsOf(savedAt));
}

/** Few report why a volume is not ready; which it is helps as much. */
function detailOf({ detail, eventType, volumnId }: Job['events'][number]): string | null {
  if (detail) return detail;
  return volumnId && UNREADY_EVENTS.has(eventType) ? `volume ${volumnId} is not ready` : null;
}

const SAVED = 'Job-CheckpointSucceeded';
/** A row has dozens of events. More would be read for each job of a list. */
const ROWS_READ = 2;

/** Of the events that left the record, as all of them do now and then: the newest of those of the last rows that are wanted. */
function lastSealed(
  reader: Reader,
  id: string,
  { sealed }: JobMeta,
  isWanted: (event: JobEvent) => boolean,
): JobEvent | undefined {
  if (!sealed) return undefined;
  try {
    const rows = [...readEventRows(reader, id, Math.max(0, sealed.next - ROWS_READ))];
    const events = rows.flatMap(([number, bytes]) =>
      new EventRow(number, bytes).events.filter(({ event }) => isWanted(event)),
    );
    return events.length === 0 ? undefined : events.reduce((last, one) => (one.at >= last.at ? one : last)).whole;
  } catch (error) {
    // A damaged row costs itself, and not the job.
    if (error instanceof CodedError && error.name === 'recordDamaged') return undefined;
    throw error;
  }
}

export interface EventFacts extends AtRisk {
  readonly lastCheckpointAt: string | null;
  readonly statusSince: string | null;
  readonly lastEventDetail: string | null;
}

/** Until when the job may have run: a node that is gone runs nothing. Of one that is not known nobody can say. */
export function ranUntilMs({ updatedAt }: Pick<Job, 'updatedAt'>, { lastSignMs }: NodeFate, nowMs: number): number {
  if (lastSignMs === null) return nowMs;
  return Math.min(nowMs, Math.max(lastSignMs, toldMsOf(updatedAt)));
}

function toldMsOf(updatedAt: string): number {
  return updatedAt === '' ? 0 : epochMsOf(mustParseTimestamp(updatedAt));
}

type AtRisk = Pick<JobDetail, 'workAtRisk' | 'unsavedSeconds'>;
const NOTHING_AT_RISK: AtRisk = { workAtRisk: null, unsavedSeconds: null };

/** What a job that runs has not saved. On a node that is not known it is unsaved up to what was told last: more is a guess. */
function riskOf(
  stored: StoredWalk | undefined,
  job: Pick<Job, 'events' | 'updatedAt'>,
  fate: NodeFate,
  nowMs: number,
): AtRisk {
  const walk = riskWalkOf(stored, job);
  return {
    workAtRisk: walk.secondsAt(epochNsOfMs(ranUntilMs(job, fate, nowMs))),
    unsavedSeconds: walk.unsavedAt(epochNsOfMs(knownUntilMs(job, fate, nowMs))),
  };
}

/** Until when the job is known to have run, if it does. */
export function knownUntilMs(job: Pick<Job, 'updatedAt'>, fate: NodeFate, nowMs: number): number {
  const isUnknown = fate.isGone && fate.lastSignMs === null;
  return isUnknown ? Math.min(nowMs, toldMsOf(job.updatedAt)) : ranUntilMs(job, fate, nowMs);
}

/** Past all events of the job. */
export function riskWalkOf(stored: StoredWalk | undefined, { events }: Pick<Job, 'events'>): RiskWalk {
  const walk = stored ? new RiskWalk(savedRiskOf(stored), savedSegmentsOf(stored)) : new RiskWalk();
  for (const event of events) walk.pass({ at: mustParseTimestamp(event.timestamp), event: event as JobEvent });
  return walk;
}
