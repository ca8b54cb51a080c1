/** Puts new events into a job's list: sorted by time, then arrival; an identical event is taken once. */
import { EVENTS_PER_JOB_MAX, type JobEvent } from '../../protocol/job.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import { SealedEvent } from '../../store/records/job-event-row.ts';
import { progressAt } from './folded-progress.ts';
import type { Folded } from './job-state.ts';

export interface MergedEvents {
  readonly events: readonly TimedEvent[];
  /** Places in `events` of those that are new, ascending. */
  readonly arrived: readonly number[];
}

/**
 * Merges two lists that are sorted by time, in one pass over both: an update of 10,000 events costs what they cost, however
 * they lie between the known ones. A new event stands behind all known ones of its time; one that is known is left out.
 */
export function mergeEvents(known: readonly TimedEvent[], arriving: readonly TimedEvent[]): MergedEvents {
  const events: TimedEvent[] = [];
  const arrived: number[] = [];
  /** What the events of one time say. Most are alone at theirs, and nobody looks at all their fields. */
  let said: { readonly at: TimedEvent['at'] | null; readonly identities: Set<string> } = NOTHING_SAID;
  let next = 0;
  for (const added of arriving) {
    for (; next < known.length && (known[next] as TimedEvent).at <= added.at; next++)
      events.push(known[next] as TimedEvent);
    if (events.at(-1)?.at === added.at) {
      if (said.at !== added.at) said = { at: added.at, identities: identitiesAt(added.at, events) };
      const identity = identityOf(added.event);
      if (said.identities.has(identity)) continue;
      said.identities.add(identity);
    }
    arrived.push(events.length);
    events.push(added);
  }
  for (; next < known.length; next++) events.push(known[next] as TimedEvent);
  return arrived.length === 0 ? { events: known, arrived } : { events, arrived };
}

const NOTHING_SAID = { at: null, identities: new Set<string>() };

/** Of the last events, which are those of this time. */
function identitiesAt(at: TimedEvent['at'], events: readonly TimedEvent[]): Set<string> {
  const identities = new Set<string>();
  for (let i = events.length - 1; i >= 0 && events[i]?.at === at; i--)
    identities.add(identityOf(wholeOf(events[i] as TimedEvent)));
  return identities;
}

/** Whether a folded pair may have been this event; it was counted then, and is not counted again. */
export function wasFolded(folded: Folded | null, added: TimedEvent): boolean {
  if (!folded || added.at > folded.through) return false;
  return added.event.eventType === 'Job-Checkpointing' || added.event.eventType === 'Job-CheckpointSucceeded';
}

/**
 * Folds the oldest Job-Checkpointing/-CheckpointSucceeded pairs until the list fits. The last pair stays: it is what a
 * restore would use; so does the first event, which is when the job began. What the folded ones told of the job's progress is
 * kept as a mark. Nothing else is dropped, so a list of other events may stay too long; the caller refuses then.
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
      if (at > through) through = at;
      excess -= 2;
    }
  }
  if (dropped.size === 0) return { events, folded };
  const mark = progressAt(events, folded, through);
  return { events: events.filter((_, i) => !dropped.has(i)), folded: { pairs, through, mark } };
}

/** Adds what is not there yet, in order of first sight. */
export function union(known: readonly string[], added: Iterable<string>): readonly string[] {
  const all = new Set(known);
  for (const item of added) if (item !== '') all.add(item);
  return all.size === known.length ? known : [...all];
}

/** With all its fields, also where it stands in a row. */
function wholeOf(timed: TimedEvent): JobEvent {
  return timed instanceof SealedEvent ? timed.whole : timed.event;
}

/** Two events of one time are the same where every other field is: `08:00:00Z` and `08:00:00.0Z` are one time. */
function identityOf(event: JobEvent): string {
  const { eventType, nodeOid, containerId, batchJobId, volumnId, detail, stdoutBytes, stderrBytes } = event;
  return JSON.stringify([eventType, nodeOid, containerId, batchJobId, volumnId, detail, stdoutBytes, stderrBytes]);
}
