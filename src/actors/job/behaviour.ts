/** The job actor: merges updates, derives, writes the record with its indexes, and posts samples to the aggregators. */

import { unreachable } from '../../base/assert.ts';
import type { Now } from '../../base/clock.ts';
import {
  EVENTS_PER_JOB_MAX,
  isTerminal,
  type JobEvent,
  type SentJobEvent,
  statusOfEvent,
  weightOfEvents,
} from '../../protocol/job.ts';
import { queueObjectId, SYSTEM_TOTAL, sampleTimeFault } from '../../protocol/metric.ts';
import { places, type TimedEvent } from '../../protocol/run-segments.ts';
import { epochMsOf, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { EventRow, jobEventKey, readEventRows } from '../../store/records/job-event-row.ts';
import { jobIndexWrites } from '../../store/records/job-index.ts';
import { type NodePrice, readNodePrice } from '../../store/records/node-record.ts';
import { queueNodeKey } from '../../store/records/queue-node.ts';
import { hasSeries, QUEUE_METRICS, type SeriesEnv, seriesRows } from '../../store/series/series-index.ts';
import type { Sample } from '../aggregator/messages.ts';
import { sampleMessages } from '../aggregator/sample-batch.ts';
import type { Behaviour, OutgoingMessage, Signal, Step, Write } from '../runtime/behaviour.ts';
import { claimAfter, claimOf, fence, lookUpClaim, lookUpFence } from './claims.ts';
import { indexedJobOf, nodeOidOf, statusOf, updatedAtNs } from './derive.ts';
import type { JobSample } from './formulas.ts';
import { eventCountOf, type JobState, NONE_UNSTORED, newJobState } from './job-state.ts';
import { union, wasFolded } from './merge-events.ts';
import type { ClaimJob, ExpireJob, JobMessage, UpdateJob } from './messages.ts';
import type { RowWrites } from './sealing.ts';
import { nodesToPrice } from './segment-prices.ts';
import { hydrateJob, recordOf } from './stored-job.ts';
import { needsSealed, type Taken, takeEvents } from './take-events.ts';

/**
 * A job is forgotten soon: 200,000 of them take 500 MiB, and to read one again takes some 20 µs. Updates that follow one another
 * find it in memory.
 */
const IDLE_MS = 5_000;
/** Terminal events beyond the events that a job may have. */
const ENDS_MAX = 100;

export interface JobEventSignal extends Signal {
  readonly type: 'job.event';
  readonly job: string;
  readonly queue: string;
  /** Instance of the node that the job is on by now; null while it has none. */
  readonly nodeOid: string | null;
  readonly event: JobEvent;
}

/** Samples that the job has just made, for the process' own totals. */
export interface JobSamplesSignal extends Signal {
  readonly type: 'job.samples';
  readonly queue: string;
  readonly samples: readonly JobSample[];
}

export interface JobRemovedSignal extends Signal {
  readonly type: 'job.removed';
  readonly job: string;
  readonly queue: string;
}

export const jobBehaviour: Behaviour<JobState, JobMessage, SeriesEnv> = {
  kind: 'job',
  hydrate,
  prepare: lookUp,
  receive,
  // An event is 20 µs: merged, sampled, written, told. One of long texts is several.
  weightOf: (message) => (message.type === 'update' ? 4 + 2 * weightOfEvents(message.update.events ?? []) : 1),
  stored: (state) => (state.unstored.size > 0 ? { ...state, unstored: NONE_UNSTORED } : state),
  idleMs: () => IDLE_MS,
};

function hydrate(id: string, reader: Reader): JobState {
  return hydrateJob(id, reader.get('job', textKey(id)));
}

/** Adds what only the store knows. */
function lookUp(state: JobState, message: JobMessage, reader: Reader, { wallMs }: Now): JobMessage {
  switch (message.type) {
    case 'claim':
      return lookUpClaim(state, message, reader, wallMs);
    case 'expire':
      reader.refresh();
      return state.sealed ? { ...message, rows: rowNumbers(state, reader) } : message;
    case 'update':
      return lookUpUpdate(state, message, reader, wallMs);
    default:
      return unreachable(message);
  }
}

/** Who holds the claim, prices of the nodes that the events place the job on, sealed events, and whether the queue is new. */
function lookUpUpdate(state: JobState, message: UpdateJob, reader: Reader, wallMs: number): UpdateJob {
  reader.refresh();
  const arriving = arrivingOf(state, message);
  const rows = needsSealed(state, arriving) ? readRows(state, reader) : undefined;
  const prices = new Map<string, NodePrice>();
  if (arriving.length > 0) {
    for (const nodeOid of nodesToPrice(state, arriving, rows)) {
      const price = readNodePrice(reader, nodeOid);
      if (price) prices.set(nodeOid, price);
    }
  }
  const newQueue = !hasSeries(reader, queueObjectId(message.update.queueName), QUEUE_METRICS[0] as string);
  const fenced = lookUpFence(state, message, reader, wallMs);
  return { ...fenced, arriving, prices, newQueue, ...(rows ? { rows } : {}) };
}

/** All rows of the job, also those that are on their way to the disk. */
function readRows(state: JobState, reader: Reader): EventRow[] {
  const rows = new Map<number, Uint8Array>(readEventRows(reader, state.id));
  for (const [number, row] of state.unstored) {
    if (row) rows.set(number, row);
    else rows.delete(number);
  }
  return [...rows].sort(([a], [b]) => a - b).map(([number, bytes]) => new EventRow(number, bytes));
}

function rowNumbers(state: JobState, reader: Reader): number[] {
  const numbers = new Set(state.unstored.keys());
  for (const [number] of readEventRows(reader, state.id)) numbers.add(number);
  return [...numbers];
}

function receive(state: JobState, message: JobMessage, now: Now, env: SeriesEnv): Step<JobState> {
  switch (message.type) {
    case 'update':
      return update(state, message, now, env);
    case 'claim':
      return claim(state, message, now);
    case 'expire':
      return expire(state, message);
    default:
      return unreachable(message);
  }
}

function update(state: JobState, message: UpdateJob, now: Now, env: SeriesEnv): Step<JobState> {
  const { update: sent, prices = new Map(), newQueue = false } = message;
  const fenced = fence(state, message);
  if ('refuse' in fenced) return { state, refuse: fenced.refuse };
  const described = { ...describe(state, sent, now), claim: fenced.claim };
  const arriving = message.arriving ?? arrivingOf(state, message);
  const taken = takeEvents(described, arriving, message.rows, prices);
  const { added, rows: eventRows } = taken;
  if (added.length > 0 && eventCountOf(taken.state) > roomFor(added)) {
    const reason = `the job has ${EVENTS_PER_JOB_MAX} events, and no checkpoint pair is left to fold`;
    return { state, refuse: { name: 'invalid', fields: { events: reason } } };
  }
  // An event too old or too far ahead is kept, but no level holds its time.
  const samples = [...submitted(state, taken), ...taken.samples].filter(
    ({ at }) => sampleTimeFault(epochMsOf(at), now.wallMs) === undefined,
  );
  const next: JobState = {
    ...taken.state,
    batchJobIds: union(described.batchJobIds, textsOf(added, 'batchJobId')),
    volumeIds: union(described.volumeIds, textsOf(added, 'volumnId')),
    claim: claimAfter(taken.state, added, sent.epoch),
    unstored: eventRows.size > 0 ? new Map([...state.unstored, ...eventRows]) : state.unstored,
  };
  const rows = newQueue && samples.length > 0 ? seriesRows(queueObjectId(next.queueName), QUEUE_METRICS) : [];
  if (rows.length > 0 && !env.takeSeries(queueObjectId(next.queueName), QUEUE_METRICS)) {
    const reason = 'creating this queue would exceed the series limit';
    return { state, refuse: { name: 'tooManySeries', fields: { queueName: reason } } };
  }
  return {
    state: next,
    reply: { events: added.length },
    writes: [
      ...writesOf(state, next),
      ...eventRowWrites(state.id, eventRows),
      ...placeWrites(state, next, added),
      ...rows,
    ],
    deliver: messagesOf(next.queueName, samples),
    signals: signalsOf(next, added, samples),
  };
}

function claim(state: JobState, message: ClaimJob, now: Now): Step<JobState> {
  const claimed = claimOf(state, message);
  if ('refuse' in claimed) return { state, refuse: claimed.refuse };
  const made: Partial<JobState> = state.exists
    ? {}
    : { exists: true, queueName: message.queueName ?? '', receivedAtMs: now.wallMs };
  const next: JobState = { ...state, ...made, claim: claimed.claim };
  return { state: next, reply: claimed.reply, writes: writesOf(state, next) };
}

/** A job at its limit of events can still end; otherwise it would count as running, and be kept, forever. */
function roomFor(added: readonly JobEvent[]): number {
  return (
    EVENTS_PER_JOB_MAX + (added.every(({ eventType }) => isTerminal(statusOfEvent(eventType) ?? '')) ? ENDS_MAX : 0)
  );
}

function signalsOf(
  state: JobState,
  added: readonly JobEvent[],
  samples: readonly JobSample[],
): (JobEventSignal | JobSamplesSignal)[] {
  if (added.length === 0) return [];
  const { id: job, queueName: queue } = state;
  const now = nodeOidOf(state);
  const events = added.map(
    (event): JobEventSignal => ({ type: 'job.event', job, queue, nodeOid: event.nodeOid ?? now, event }),
  );
  return samples.length === 0 ? events : [...events, { type: 'job.samples', queue, samples }];
}

/** The update's own fields; what it does not mention stays. */
function describe(state: JobState, sent: UpdateJob['update'], now: Now): JobState {
  return {
    ...state,
    exists: true,
    queueName: sent.queueName,
    ...(typeof sent.name === 'string' ? { name: sent.name } : {}),
    ...(typeof sent.cpus === 'number' ? { cpus: sent.cpus } : {}),
    ...(typeof sent.memoryInMB === 'number' ? { memoryInMB: sent.memoryInMB } : {}),
    ...(typeof sent.maxRootFSUsageMB === 'number' ? { maxRootFSUsageMB: sent.maxRootFSUsageMB } : {}),
    batchJobIds: union(state.batchJobIds, sent.batchJobIds ?? []),
    receivedAtMs: state.exists ? state.receivedAtMs : now.wallMs,
  };
}

/** The events of an update that count, in the order of their times. */
function arrivingOf(state: JobState, { update: { events } }: UpdateJob): TimedEvent[] {
  return (events ?? [])
    .map(timedEvent)
    .filter((timed) => !wasFolded(state.folded, timed))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** The sample of the job's first event. */
function submitted(before: JobState, { state }: Taken): JobSample[] {
  const at = state.sealed?.first.at ?? state.events[0]?.at;
  return eventCountOf(before) > 0 || at === undefined ? [] : [{ metric: 'jobSubmitted', at, value: 1 }];
}

function textsOf(events: readonly JobEvent[], field: 'batchJobId' | 'volumnId'): string[] {
  return events.map((event) => event[field] ?? '');
}

function timedEvent(sent: SentJobEvent): TimedEvent {
  // Field by field: an update may have 10,000 events, and each spread makes an object.
  const event: { -readonly [K in keyof JobEvent]: JobEvent[K] } = {
    timestamp: sent.timestamp,
    eventType: sent.eventType,
  };
  if (typeof sent.nodeOid === 'string') event.nodeOid = sent.nodeOid;
  if (typeof sent.containerId === 'string') event.containerId = sent.containerId;
  if (typeof sent.batchJobId === 'string') event.batchJobId = sent.batchJobId;
  if (typeof sent.volumnId === 'string') event.volumnId = sent.volumnId;
  if (typeof sent.detail === 'string') event.detail = sent.detail;
  if (typeof sent.stdoutBytes === 'number') event.stdoutBytes = sent.stdoutBytes;
  if (typeof sent.stderrBytes === 'number') event.stderrBytes = sent.stderrBytes;
  return { at: mustParseTimestamp(sent.timestamp), event };
}

function messagesOf(queueName: string, samples: readonly JobSample[]): OutgoingMessage[] {
  if (samples.length === 0) return [];
  const sent: Sample[] = samples.map(({ metric, at, value }) => {
    const timeMs = epochMsOf(at);
    return [metric, timeMs, Number(at - BigInt(timeMs) * 1_000_000n), value];
  });
  return sampleMessages([SYSTEM_TOTAL, queueObjectId(queueName)], sent);
}

function writesOf(before: JobState, after: JobState): Write[] {
  return [
    { table: 'job', key: textKey(after.id), value: recordOf(after) },
    ...jobIndexWrites(before.exists ? indexedJobOf(before) : null, indexedJobOf(after)),
  ];
}

/** Nodes that the job came to, and, where it came to another queue, the node that it is on. */
function placeWrites(before: JobState, { queueName, ...after }: JobState, added: readonly JobEvent[]): Write[] {
  const oids = added.filter(({ eventType }) => places(eventType)).map(({ nodeOid }) => nodeOid ?? '');
  if (before.exists && before.queueName !== queueName) oids.push(nodeOidOf({ queueName, ...after }) ?? '');
  const named = [...new Set(oids)].filter((oid) => oid !== '');
  return named.map((oid) => ({ table: 'queueNode', key: queueNodeKey(oid, queueName), value: NO_BYTES }));
}

const NO_BYTES = new Uint8Array(0);

function eventRowWrites(id: string, rows: RowWrites): Write[] {
  return Array.from(rows, ([number, value]) => ({ table: 'jobEvent', key: jobEventKey(id, number), value }) as Write);
}

function expire(state: JobState, message: ExpireJob): Step<JobState> {
  const status = statusOf(state);
  const beforeMs = status === 'Succeeded' ? message.succeededBeforeMs : message.failedBeforeMs;
  if (!state.exists || !isTerminal(status) || epochMsOf(updatedAtNs(state)) >= beforeMs)
    return { state, reply: { removed: false } };
  const writes: Write[] = [
    { table: 'job', key: textKey(state.id), value: null },
    ...eventRowWrites(state.id, new Map((message.rows ?? []).map((number) => [number, null]))),
    ...jobIndexWrites(indexedJobOf(state), null),
  ];
  const signal: JobRemovedSignal = { type: 'job.removed', job: state.id, queue: state.queueName };
  return { state: newJobState(state.id), reply: { removed: true }, writes, signals: [signal], stop: true };
}
