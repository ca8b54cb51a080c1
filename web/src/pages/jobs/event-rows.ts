/** A job's events as its page lists them: newest first, of one kind, checkpoints that went well in one row. Pure. */
import type { Job } from '../../../../src/protocol/job.ts';

type Event = Job['events'][number];

/** Milliseconds since 1970. */
interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

export interface EventRow {
  /** Of the newest event in the row, in the job's own order. */
  readonly index: number;
  readonly event: Event;
  /** Checkpoints in the row that went well; 0 where it is a single event. */
  readonly checkpoints: number;
  /** Of the oldest event in the row. */
  readonly since: string;
}

export const EVENT_KINDS = ['problems', 'checkpoints', 'restores', 'volumes'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

const KIND: Readonly<Record<EventKind, RegExp>> = {
  problems: /Failed$|Unready$|^Job-Stopped$/,
  checkpoints: /^Job-Checkpoint/,
  restores: /^Job-Restor/,
  volumes: /^Volume-/,
};

/** `sight`: only events of that stretch of time. */
export function eventRows(
  events: Job['events'],
  kind: EventKind | undefined,
  isGrouped: boolean,
  sight?: Stretch,
): EventRow[] {
  const rows: EventRow[] = [];
  let group: EventRow | undefined;
  const close = (): void => {
    if (group) rows.push(group);
    group = undefined;
  };
  for (const [index, event] of events.entries()) {
    if (kind !== undefined && !KIND[kind].test(event.eventType)) continue;
    if (sight && !isWithin(event, sight)) continue;
    if (isGrouped && isGoodCheckpoint(events, index)) {
      const checkpoints = (group?.checkpoints ?? 0) + (event.eventType === 'Job-Checkpointing' ? 0 : 1);
      group = { index, event, checkpoints, since: group?.since ?? event.timestamp };
      continue;
    }
    close();
    rows.push({ index, event, checkpoints: 0, since: event.timestamp });
  }
  close();
  return rows.reverse();
}

/** Of a stretch of time. */
export function countWithin(events: Job['events'], sight: Stretch): number {
  return events.filter((event) => isWithin(event, sight)).length;
}

function isWithin({ timestamp }: Event, { startMs, endMs }: Stretch): boolean {
  const atMs = Date.parse(timestamp);
  return atMs >= startMs && atMs <= endMs;
}

/** One that succeeded without a word, or the attempt that led to it. */
function isGoodCheckpoint(events: Job['events'], index: number): boolean {
  const event = events[index];
  if (event?.eventType === 'Job-CheckpointSucceeded') return event.detail === undefined;
  const next = events[index + 1];
  return event?.eventType === 'Job-Checkpointing' && next?.eventType === 'Job-CheckpointSucceeded' && !next.detail;
}
