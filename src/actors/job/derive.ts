/** What readers see of a job, derived from its events. */
import { isRunning, type Job, type JobDetail, STATUS_UNKNOWN, statusOfEvent } from '../../protocol/job.ts';
import { type TimedEvent, workAtRiskSeconds } from '../../protocol/run-segments.ts';
import { type EpochNs, epochNsOfMs, formatTimestampMs } from '../../protocol/timestamp.ts';
import { type IndexedJob, searchTextOf } from '../../store/records/job-index.ts';
import type { JobState } from './job-state.ts';

export function statusOf(state: JobState): string {
  for (let i = state.events.length - 1; i >= 0; i--) {
    const status = statusOfEvent((state.events[i] as TimedEvent).event.eventType);
    if (status !== undefined) return status;
  }
  return STATUS_UNKNOWN;
}

export function createdAtNs(state: JobState): EpochNs {
  return state.events[0]?.at ?? epochNsOfMs(state.receivedAtMs);
}

export function updatedAtNs(state: JobState): EpochNs {
  return state.events.at(-1)?.at ?? epochNsOfMs(state.receivedAtMs);
}

/** The job resource of interface.md, in the order of its fields. */
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
    createdAt: state.events[0]?.event.timestamp ?? received,
    updatedAt: state.events.at(-1)?.event.timestamp ?? received,
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
  return { nodeOid: event?.nodeOid ?? '', containerId: event?.containerId ?? '' };
}

/** The instance that the job runs on, or ran on last; null where none was named. */
export function nodeOidOf(state: JobState): string | null {
  return placeOf(state).nodeOid || null;
}

/** Without the phase, which depends on nodes. */
export function jobDetailOf(state: JobState, nowMs: number): Omit<JobDetail, 'phase'> {
  const folded = state.folded?.pairs ?? 0;
  return {
    ...jobOf(state),
    checkpoints: {
      attempts: countOf(state, 'Job-Checkpointing') + folded,
      successes: countOf(state, 'Job-CheckpointSucceeded') + folded,
      failures: countOf(state, 'Job-CheckpointFailed'),
    },
    restores: {
      attempts: countOf(state, 'Job-Restoring'),
      successes: countOf(state, 'Job-RestoreSucceeded'),
      failures: countOf(state, 'Job-RestoreFailed'),
    },
    workAtRisk: workAtRisk(state, nowMs),
    ...(folded > 0 ? { foldedCheckpoints: folded } : {}),
  };
}

/** Run seconds since the last good checkpoint, or since the start without one; null unless the job is running. */
export function workAtRisk(state: JobState, nowMs: number): number | null {
  if (!isRunning(statusOf(state))) return null;
  return workAtRiskSeconds(state.events, epochNsOfMs(nowMs));
}

function countOf(state: JobState, eventType: string): number {
  let count = 0;
  for (const { event } of state.events) if (event.eventType === eventType) count++;
  return count;
}
