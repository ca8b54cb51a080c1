/** What a job's events tell of its volumes. Pure. */
import type { Job } from '../../../../src/protocol/job.ts';

export interface Volume {
  readonly id: string;
  /** RFC 3339; undefined where it was not reported. */
  readonly createdAt: string | undefined;
  readonly attachedAt: string | undefined;
}

/** In the job's own order. */
export function volumesOf({ volumeIds, events }: Pick<Job, 'volumeIds' | 'events'>): Volume[] {
  const timeOf = (id: string, eventType: string): string | undefined =>
    events.find((event) => event.eventType === eventType && event.volumnId === id)?.timestamp;
  return volumeIds.map((id) => ({
    id,
    createdAt: timeOf(id, 'Volume-Created'),
    attachedAt: timeOf(id, 'Volume-Attached'),
  }));
}

/** Mean seconds from an attempt to its outcome; undefined where none has come to one. */
export function meanSeconds(events: Job['events'], attempt: string, outcomes: readonly string[]): number | undefined {
  let count = 0;
  let totalMs = 0;
  let sinceMs: number | undefined;
  for (const { eventType, timestamp } of events) {
    if (eventType === attempt) sinceMs = Date.parse(timestamp);
    else if (outcomes.includes(eventType) && sinceMs !== undefined) {
      totalMs += Date.parse(timestamp) - sinceMs;
      count++;
      sinceMs = undefined;
    }
  }
  return count === 0 ? undefined : totalMs / count / 1000;
}
