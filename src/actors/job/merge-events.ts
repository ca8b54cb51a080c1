/** Puts new events into a job's list: sorted by time, then arrival; an identical event is taken once. */
import { EVENTS_PER_JOB_MAX, type JobEvent } from '../../protocol/job.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';
import type { Folded } from './job-state.ts';

/** Where the event goes, or -1 where the list has it already. Its place is behind all events of the same time. */
export function placeFor(events: readonly TimedEvent[], added: TimedEvent): number {
  const place = firstAfter(events, added.at);
  for (let i = place - 1; i >= 0 && (events[i] as TimedEvent).at === added.at; i--) {
    if (isSameEvent((events[i] as TimedEvent).event, added.event)) return -1;
  }
  return place;
}

/** Whether a folded pair may have been this event; it was counted then, and is not counted again. */
export function wasFolded(folded: Folded | null, added: TimedEvent): boolean {
  if (!folded || added.at > folded.through) return false;
  return added.event.eventType === 'Job-Checkpointing' || added.event.eventType === 'Job-CheckpointSucceeded';
}

/**
 * Folds the oldest Job-Checkpointing/-CheckpointSucceeded pairs until the list fits. The last pair stays: it is what a
 * restore would use; so does the first event, which is when the job began. Nothing else is dropped, so a list of other
 * events may stay too long; the caller refuses then.
 */
export function foldOldestPairs(
  events: readonly TimedEvent[],
  folded: Folded | null,
  eventsMax = EVENTS_PER_JOB_MAX,
): { events: readonly TimedEvent[]; folded: Folded | null } {
  let excess = events.length - eventsMax;
  if (excess <= 0) return { events, folded };
  const dropped = new Set<number>();
  const lastSuccess = events.findLastIndex(({ event }) => event.eventType === 'Job-CheckpointSucceeded');
  let attempt = -1;
  let pairs = folded?.pairs ?? 0;
  let through = folded?.through ?? (events[0] as TimedEvent).at;
  for (let i = 1; i < lastSuccess && excess > 0; i++) {
    const { event, at } = events[i] as TimedEvent;
    if (event.eventType === 'Job-Checkpointing') attempt = i;
    else if (event.eventType === 'Job-CheckpointFailed') attempt = -1;
    else if (event.eventType === 'Job-CheckpointSucceeded' && attempt >= 0) {
      dropped.add(attempt).add(i);
      attempt = -1;
      pairs++;
      through = at;
      excess -= 2;
    }
  }
  if (dropped.size === 0) return { events, folded };
  return { events: events.filter((_, i) => !dropped.has(i)), folded: { pairs, through } };
}

/** Adds what is not there yet, in order of first sight. */
export function union(known: readonly string[], added: Iterable<string>): readonly string[] {
  const all = new Set(known);
  for (const item of added) if (item !== '') all.add(item);
  return all.size === known.length ? known : [...all];
}

function isSameEvent(a: JobEvent, b: JobEvent): boolean {
  return (
    a.timestamp === b.timestamp &&
    a.eventType === b.eventType &&
    a.nodeOid === b.nodeOid &&
    a.containerId === b.containerId &&
    a.batchJobId === b.batchJobId &&
    a.volumnId === b.volumnId
  );
}

/** Index of the first event later than `at`. */
function firstAfter(events: readonly TimedEvent[], at: EpochNs): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle] as TimedEvent).at <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
