/**
 * The public events (contract section 7): what happened to nodes, jobs and the configuration, in one order for all
 * readers. A position numbers an event; it is the `id` of the server-sent event, and what a reader resumes from.
 */
import { CodedError } from '../base/errors.ts';
import { idSchema, queueNameSchema } from './id.ts';

export const EVENT_TYPES = [
  'node.registered',
  'node.late',
  'node.lost',
  'node.alive',
  'node.deregistered',
  'node.drained',
  'node.interruption',
  'job.event',
  'job.removed',
  'config.changed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const TYPES: ReadonlySet<unknown> = new Set(EVENT_TYPES);

export function isEventType(value: unknown): value is EventType {
  return TYPES.has(value);
}

/** `gap` is made for a reader, never stored: it says that the events from one position to another are no longer available. */
export const EVENT_NAMES = [...EVENT_TYPES, 'gap'] as const;

export interface PublicEvent {
  readonly type: EventType;
  readonly timeMs: number;
  /** For the filters; empty where the event has none. */
  readonly queue: string;
  readonly job: string;
  readonly node: string;
  /** The JSON object that readers get. */
  readonly json: string;
}

/** What a reader wants to see; null asks for everything. An event that has no queue fits no filter of queues. */
export interface EventFilter {
  readonly types: readonly string[] | null;
  readonly queues: readonly string[] | null;
  readonly jobs: readonly string[] | null;
  /** Node ids, and the instance ids that stand for them in job events. */
  readonly nodes: readonly string[] | null;
  /** Of a reader who is bound to queues. */
  readonly scope?: EventScope;
}

export interface EventScope {
  readonly queues: readonly string[];
  /** Seals positions: 16 bytes, base64url. */
  readonly key: string;
}

export const EVERYTHING: EventFilter = { types: null, queues: null, jobs: null, nodes: null };

/** Names in one filter: more is a mistake, and each event is compared with all of them. */
const FILTER_NAMES_MAX = 100;

export function fitsFilter(event: PublicEvent, { types, queues, jobs, nodes }: EventFilter): boolean {
  return (
    (types === null || types.includes(event.type)) &&
    (queues === null || queues.includes(event.queue)) &&
    (jobs === null || jobs.includes(event.job)) &&
    (nodes === null || nodes.includes(event.node))
  );
}

/** The filter of a query; throws `invalid` with a reason for every bad parameter. */
export function eventFilterOf(query: URLSearchParams): EventFilter {
  const faults: Record<string, string> = {};
  const names = (parameter: string, isName: (name: string) => boolean, rule: string): string[] | null => {
    const sent = query.getAll(parameter);
    if (sent.length === 0) return null;
    const list = [...new Set(sent.join(',').split(','))];
    const bad = list.find((name) => !isName(name));
    if (list.length > FILTER_NAMES_MAX) faults[parameter] = `has more than ${FILTER_NAMES_MAX} names`;
    else if (bad !== undefined) faults[parameter] = `${JSON.stringify(bad.slice(0, 64))} ${rule}`;
    return list;
  };
  const isId = (name: string): boolean => idSchema.safeParse(name).success;
  const filter: EventFilter = {
    types: names(
      'types',
      (name) => EVENT_NAMES.some((known) => known === name),
      `is not one of ${EVENT_NAMES.join(', ')}`,
    ),
    queues: names('queue', (name) => queueNameSchema.safeParse(name).success, 'is not a queue name'),
    jobs: names('job', isId, 'is not a job id'),
    nodes: names('node', isId, 'is not a node id'),
  };
  if (Object.keys(faults).length > 0) throw new CodedError('invalid', undefined, faults);
  return filter;
}

/** One server-sent event. JSON has no line break, so `data` is one line. */
export function eventFrame(position: number | string, event: PublicEvent): string {
  return `event: ${event.type}\nid: ${position}\ndata: ${event.json}\n\n`;
}

/** Events `from` to `to` are gone, or the reader asked for what never was. Resuming goes on behind them. */
export function gapFrame(timeMs: number, from: number, to: number, resumeAfter: number): string {
  const data = { time: new Date(timeMs).toISOString(), from, to, missed: Math.max(0, to - from + 1) };
  return `event: gap\nid: ${resumeAfter}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment that tells the position: a reader that saw nothing it asked for still resumes from here. */
export function positionFrame(position: number | string, word: string): string {
  return `: ${word}\nid: ${position}\n\n`;
}
