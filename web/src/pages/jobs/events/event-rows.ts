/** A job's events as its page lists them: newest first, of one kind, checkpoints that went alike in one row. Pure. */

import { isSlow } from '../../../../../src/protocol/explain/step-times.ts';
import type { Job } from '../../../../../src/protocol/job.ts';
import { runsOf, UNREADY_EVENTS } from '../../../../../src/protocol/names/job-status.ts';
import { places } from '../../../../../src/protocol/run-segments.ts';
import type { EventKind } from '../../../lists/event-kinds.ts';
import { countText, spanText } from '../../../parts/format.ts';

type Event = Job['events'][number];

/** Milliseconds since 1970. */
interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

export interface EventRow {
  /** Of the newest event in the row, in the job's own order. */
  readonly index: number;
  /** Of the oldest one. */
  readonly first: number;
  /** Whether it is listed below the row that groups it. */
  readonly isMember: boolean;
  readonly event: Event;
  /** Where the job was; empty before it was placed. */
  readonly nodeOid: string;
  /** Checkpoints in the row, which all went well, or all failed for one reason; 0 where it is a single event. */
  readonly checkpoints: number;
  /** Those of them that took longer than a notice lasts. */
  readonly slow: number;
  /** How long the quickest and the slowest of them took; null where they failed, or the events do not tell. */
  readonly took: readonly [minMs: number, maxMs: number] | null;
  /** Of the oldest event in the row. */
  readonly since: string;
  /** How long after its beginning a checkpoint or a restore succeeded or failed; null of all else. */
  readonly afterMs: number | null;
  /** Which run of the job it begins, from 1; null where it begins none, or the job has one. */
  readonly run: number | null;
}

/** So many events of volumes may come between. */
const NEAR_EVENTS = 20;

const ATTEMPT = 'Job-Checkpointing';
const SUCCEEDED = 'Job-CheckpointSucceeded';
const FAILED = 'Job-CheckpointFailed';

/** Which event begins what an event ends. */
const BEGINS: Readonly<Record<string, string>> = {
  [SUCCEEDED]: ATTEMPT,
  [FAILED]: ATTEMPT,
  'Job-RestoreSucceeded': 'Job-Restoring',
  'Job-RestoreFailed': 'Job-Restoring',
};

const KIND: Readonly<Record<EventKind, RegExp>> = {
  problems: /Failed$|Unready$|^Job-Stopped$/,
  checkpoints: /^Job-Checkpoint/,
  restores: /^Job-Restor/,
  volumes: /^Volume-/,
};

/** After which a job does not go on, or not by itself. */
const STOPS: ReadonlySet<string> = new Set(['Job-Failed', 'Job-RestoreFailed', ...UNREADY_EVENTS]);

/** What went wrong stands out among what went well; red is that the job does not go on. */
export function eventTone(eventType: string): 'bad' | 'warn' | undefined {
  if (STOPS.has(eventType)) return 'bad';
  return eventType === FAILED ? 'warn' : undefined;
}

/** `sight`: only events of that stretch of time. `opened`: the oldest events of groups whose events follow them. */
export function eventRows(
  events: Job['events'],
  kind: EventKind | undefined,
  isGrouped: boolean,
  sight?: Stretch,
  opened: ReadonlySet<number> = new Set(),
): EventRow[] {
  const rows: EventRow[] = [];
  const begins = runsOf(events);
  let group: EventRow | undefined;
  let groupOutcome: string | undefined;
  let members: EventRow[] = [];
  let nodeOid = '';
  const close = (): void => {
    // Turned round, the group stands above them.
    if (group && group.checkpoints > 1 && opened.has(group.first)) rows.push(...members);
    if (group) rows.push(group);
    group = undefined;
    members = [];
  };
  for (const [index, event] of events.entries()) {
    if (event.nodeOid && places(event.eventType)) ({ nodeOid } = event);
    if (kind !== undefined && !KIND[kind].test(event.eventType)) {
      // Checkpoints before and after it are of two runs, or of two nodes; an attempt is part of what it came to.
      if (event.eventType !== ATTEMPT) close();
      continue;
    }
    if (sight && !isWithin(event, sight)) continue;
    const outcome = isGrouped ? outcomeOf(events, index, sight) : undefined;
    if (outcome !== undefined) {
      if (outcome !== groupOutcome) close();
      groupOutcome = outcome;
      const { first = index, since = event.timestamp } = group ?? {};
      group = { ...singleRow(events, index, nodeOid), ...grouped(group, events, index), first, since };
      members.push({ ...singleRow(events, index, nodeOid), isMember: true });
      continue;
    }
    close();
    const run = begins.length > 1 ? begins.indexOf(event) + 1 || null : null;
    rows.push({ ...singleRow(events, index, event.nodeOid || nodeOid), run });
  }
  close();
  return rows.reverse();
}

function singleRow(events: Job['events'], index: number, nodeOid: string): EventRow {
  const event = events[index] as Event;
  const { timestamp: since } = event;
  return {
    ...{ index, first: index, event, nodeOid, checkpoints: 0, slow: 0, took: null, since, isMember: false },
    ...{ afterMs: afterMsOf(events, index), run: null },
  };
}

/** Volumes may come between; another job event may not. */
function afterMsOf(events: Job['events'], index: number): number | null {
  const begin = BEGINS[events[index]?.eventType ?? ''];
  if (begin === undefined) return null;
  const before = events
    .slice(Math.max(0, index - NEAR_EVENTS), index)
    .findLast(({ eventType }) => eventType.startsWith('Job-'));
  if (before?.eventType !== begin) return null;
  return Date.parse(events[index]?.timestamp ?? '') - Date.parse(before.timestamp);
}

/** How long slow checkpoints of a row took: `2 m 8 s to 3 m 49 s, all slow`; empty where none was slow. */
export function slowText({ checkpoints, slow, took }: Counted): string {
  if (slow === 0) return '';
  const which = slow === checkpoints ? 'all slow' : `${countText(slow)} slow`;
  if (!took) return which;
  const [min, max] = took.map((ms) => spanText(ms / 1000));
  return `${min === max ? min : `${min} to ${max}`}, ${which}`;
}

/** Of a kind, and of a stretch of time. */
export function countShown(events: Job['events'], kind: EventKind | undefined, sight: Stretch | undefined): number {
  const isShown = (event: Event): boolean =>
    (kind === undefined || KIND[kind].test(event.eventType)) && (sight === undefined || isWithin(event, sight));
  return events.filter(isShown).length;
}

function isWithin({ timestamp }: Event, { startMs, endMs }: Stretch): boolean {
  const atMs = Date.parse(timestamp);
  return atMs >= startMs && atMs <= endMs;
}

type Counted = Pick<EventRow, 'checkpoints' | 'slow' | 'took'>;

/** What a row tells of its checkpoints, with one more event of them. */
function grouped(group: EventRow | undefined, events: Job['events'], index: number): Counted {
  const { checkpoints = 0, slow = 0, took = null } = group ?? {};
  const event = events[index] as Event;
  if (event.eventType === ATTEMPT) return { checkpoints, slow, took };
  if (event.eventType === FAILED) return { checkpoints: checkpoints + 1, slow, took };
  const begun = events[index - 1];
  const ms = Date.parse(event.timestamp) - Date.parse(begun?.timestamp ?? '');
  const isTold = begun?.eventType === ATTEMPT;
  return {
    checkpoints: checkpoints + 1,
    slow: slow + (isSlow(event) ? 1 : 0),
    took: isTold ? [Math.min(took?.[0] ?? ms, ms), Math.max(took?.[1] ?? ms, ms)] : took,
  };
}

/**
 * What a checkpoint came to, or the attempt that led to it, alike for those that may stand in one row: one that succeeded, of which
 * at most is told that it was slow, or that failed for a reason. Undefined of all else, and where the outcome is out of sight.
 */
function outcomeOf(events: Job['events'], index: number, sight: Stretch | undefined): string | undefined {
  const event = events[index];
  const end = event?.eventType === ATTEMPT ? events[index + 1] : event;
  if (end && sight && !isWithin(end, sight)) return undefined;
  if (end?.eventType === SUCCEEDED) return !end.detail || isSlow(end) ? SUCCEEDED : undefined;
  // Reasons that differ by a process or a file number are one.
  return end?.eventType === FAILED ? `${FAILED} ${(end.detail ?? '').replaceAll(/\d+/g, '0')}` : undefined;
}
