/** What readers see of a job, derived from its events. */
import { COUNTED_EVENTS, type CountedEvent, type Job, STATUS_UNKNOWN, statusOfEvent } from '../../protocol/job.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import { type EpochNs, epochNsOfMs, formatTimestampMs } from '../../protocol/timestamp.ts';
import { type IndexedJob, searchTextOf } from '../../store/records/job-index.ts';
import type { JobState } from './job-state.ts';

export function statusOf(state: JobState): string {
  for (let i = state.events.length - 1; i >= 0; i--) {
    const status = statusOfEvent((state.events[i] as TimedEvent).event.eventType);
    if (status !== undefined) return status;
  }
  return state.sealed?.walk.status ?? STATUS_UNKNOWN;
}

export function createdAtNs({ sealed, events, receivedAtMs }: JobState): EpochNs {
  return sealed?.first.at ?? events[0]?.at ?? epochNsOfMs(receivedAtMs);
}

export function updatedAtNs({ sealed, events, receivedAtMs }: JobState): EpochNs {
  return events.at(-1)?.at ?? sealed?.last.at ?? epochNsOfMs(receivedAtMs);
}

/** The job resource of interface.md, in the order of its fields; of a long job with the events that are not sealed. */
export function jobOf(state: JobState): Job {
  const received = formatTimestampMs(state.receivedAtMs);
  const place = placeOf(state);
  return {
    id: state.id,
    queueName: state.queueName,
    ...(state.name === undefined ? {} : { name: state.name }),
    ...(state.cpus === undefined ? {} : { cpus: state.cpus }),
    ...(state.memoryInMB === undefined ? {} : { memoryInMB: state.memoryInMB }),
    ...(state.maxRootFSUsageMB === undefined ? {} : { maxRootFSUsageMB: state.maxRootFSUsageMB }),
    createdAt: state.sealed?.first.timestamp ?? state.events[0]?.event.timestamp ?? received,
    updatedAt: state.events.at(-1)?.event.timestamp ?? state.sealed?.last.timestamp ?? received,
    status: statusOf(state),
    nodeOid: place.nodeOid,
    containerId: place.containerId,
    spotProtCount: countOf(state, 'Job-RestoreSucceeded'),
    batchJobIds: [...state.batchJobIds],
    volumeIds: [...state.volumeIds],
    events: state.events.map(({ event }) => event),
  };
}

/** What the indexes of the store know of the job. */
export function indexedJobOf(state: JobState): IndexedJob {
  const { id, queueName, name, batchJobIds, volumeIds } = state;
  const place = placeOf(state);
  return {
    id,
    queueName,
    name: name ?? '',
    status: statusOf(state),
    nodeOid: place.nodeOid,
    created: createdAtNs(state),
    updated: updatedAtNs(state),
    text: searchTextOf({ id, queueName, name, ...place, batchJobIds, volumeIds }),
  };
}

/** Where the job runs, or ran last: what its latest Job-Creating or Job-Restoring says. */
function placeOf(state: JobState): { readonly nodeOid: string; readonly containerId: string } {
  const event = state.events.findLast(
    (timed) => timed.event.eventType === 'Job-Creating' || timed.event.eventType === 'Job-Restoring',
  )?.event;
  if (event) return { nodeOid: event.nodeOid ?? '', containerId: event.containerId ?? '' };
  const sealed = state.sealed?.walk;
  return { nodeOid: sealed?.segments.nodeOid ?? '', containerId: sealed?.containerId ?? '' };
}

/** The instance that the job runs on, or ran on last; null where none was named. */
export function nodeOidOf(state: JobState): string | null {
  return placeOf(state).nodeOid || null;
}

function countOf(state: JobState, eventType: CountedEvent): number {
  let count = state.sealed?.walk.counts[COUNTED_EVENTS.indexOf(eventType)] ?? 0;
  for (const { event } of state.events) if (event.eventType === eventType) count++;
  return count;
}
