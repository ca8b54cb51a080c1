/** What a job's events tell of its volumes. Pure. */
import type { Job } from '../../../../src/protocol/job.ts';
import { UNREADY_EVENTS } from '../../../../src/protocol/names/job-status.ts';
import { spanText } from '../../parts/format.ts';

export interface Volume {
  readonly id: string;
  /** RFC 3339; undefined where it was not reported. */
  readonly createdAt: string | undefined;
  readonly attachedAt: string | undefined;
  /** When it was said last that it is not ready; undefined where that was not said, or it was attached after that. */
  readonly unreadyAt: string | undefined;
  /** Whether the job waits for it. */
  readonly isUnready: boolean;
}

/** In the job's own order. */
export function volumesOf({ volumeIds, events }: Pick<Job, 'volumeIds' | 'events'>): Volume[] {
  const timeOf = (id: string, eventType: string): string | undefined =>
    events.find((event) => event.eventType === eventType && event.volumnId === id)?.timestamp;
  return volumeIds.map((id) => ({
    id,
    createdAt: timeOf(id, 'Volume-Created'),
    attachedAt: timeOf(id, 'Volume-Attached'),
    ...readinessOf(events, id),
  }));
}

/** A job that runs has its volumes, whether that was reported or not. */
function readinessOf(events: Job['events'], id: string): Pick<Volume, 'unreadyAt' | 'isUnready'> {
  const last = events.findLastIndex((event) => event.volumnId === id);
  const { eventType = '', timestamp } = events[last] ?? {};
  if (!UNREADY_EVENTS.has(eventType)) return { unreadyAt: undefined, isUnready: false };
  return { unreadyAt: timestamp, isUnready: !events.slice(last + 1).some((event) => RUNS.has(event.eventType)) };
}

/** After these the job has its volumes, or another run needs others. */
const RUNS: ReadonlySet<string> = new Set(['Job-Running', 'Job-RestoreSucceeded', 'Job-Creating']);

/** Whether the job waits for a volume still: its status tells only that it did, also once the volume is attached. */
export function waitsForVolume(job: Pick<Job, 'volumeIds' | 'events'>): boolean {
  const isOfNone = job.events.some(({ eventType, volumnId }) => UNREADY_EVENTS.has(eventType) && !volumnId);
  return isOfNone || volumesOf(job).some(({ isUnready }) => isUnready);
}

/** What is told of a volume, with the time behind it where there is one: last that it was not ready, else how it came. */
export function volumeFact(volume: Volume): { readonly text: string; readonly at: string | undefined } {
  const { createdAt, attachedAt, unreadyAt, isUnready } = volume;
  if (unreadyAt !== undefined) return { text: isUnready ? 'since' : 'was not ready at', at: unreadyAt };
  if (createdAt === undefined)
    return { text: attachedAt === undefined ? 'named by the job' : 'attached', at: attachedAt };
  if (attachedAt === undefined) return { text: 'never attached; created', at: createdAt };
  const seconds = (Date.parse(attachedAt) - Date.parse(createdAt)) / 1000;
  return { text: `attached ${spanText(seconds)} after it was created`, at: createdAt };
}
