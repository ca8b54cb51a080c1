/** What a job's events tell of its volumes. Pure. */
import type { Job } from '../../../../src/protocol/job.ts';

export interface Volume {
  readonly id: string;
  /** RFC 3339; undefined where it was not reported. */
  readonly createdAt: string | undefined;
  readonly attachedAt: string | undefined;
  /** Whether the last that was heard of it is that it is not ready. */
  readonly isUnready: boolean;
}

const UNREADY: ReadonlySet<string> = new Set(['Volume-Unready', 'Volume-RestoreUnready']);

/** In the job's own order. */
export function volumesOf({ volumeIds, events }: Pick<Job, 'volumeIds' | 'events'>): Volume[] {
  const timeOf = (id: string, eventType: string): string | undefined =>
    events.find((event) => event.eventType === eventType && event.volumnId === id)?.timestamp;
  return volumeIds.map((id) => ({
    id,
    createdAt: timeOf(id, 'Volume-Created'),
    attachedAt: timeOf(id, 'Volume-Attached'),
    isUnready: isUnready(events, id),
  }));
}

/** A job that runs has its volumes, whether that was reported or not. */
function isUnready(events: Job['events'], id: string): boolean {
  const last = events.findLastIndex((event) => event.volumnId === id);
  if (!UNREADY.has(events[last]?.eventType ?? '')) return false;
  return !events.slice(last + 1).some(({ eventType }) => RUNS.has(eventType));
}

const RUNS: ReadonlySet<string> = new Set(['Job-Running', 'Job-RestoreSucceeded']);
