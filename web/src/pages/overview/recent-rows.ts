/** What changed, in rows: of a job or a node only the latest, and nodes that did the same together. Pure. */
import { STATUS_EVENTS, statusOfEvent } from '../../../../src/protocol/names/job-status.ts';
import type { FeedEvent } from '../../api/feed-event.ts';
import type { LostNode, NotableJob } from '../../lists/counted.ts';

export interface RecentRow {
  /** The latest of them. */
  readonly event: FeedEvent;
  /** Nodes that did the same; 1 where it is about one job, node or change of settings. */
  readonly count: number;
  /** Seconds from the first of them to the latest. */
  readonly spanSeconds: number;
  /** Whether it has ended without an event: a server that starts gives every node time to send its next heartbeat. */
  readonly isOver: boolean;
  /** Whether it is the first of what happened before the time that is told whole. */
  readonly beginsEarlier?: true;
}

/** So many nodes that did the same are one row: else they push out all else. */
const TOGETHER = 3;

/** When it happened, RFC 3339: a job's event may be told long after it. */
export function timeOf({ data: { event, time } }: FeedEvent): string {
  const isOfJob = typeof event === 'object' && event !== null && 'timestamp' in event;
  return String(isOfJob ? event.timestamp : time);
}

/** The latest events of all kinds, and those that are notable, of which some are older than the latest that are kept. */
export function withNotable(latest: readonly FeedEvent[], notable: readonly FeedEvent[]): readonly FeedEvent[] {
  if (latest === notable) return latest;
  const known = new Set(latest.map(({ position }) => position));
  return [...latest, ...notable.filter(({ position }) => !known.has(position))];
}

/** Whether a node that was late is so no more: it is not among those that are, as they were read at `readMs`. */
export function isOnTime({ name, data }: FeedEvent, late: readonly string[], readMs: number): boolean {
  return name === 'node.late' && Date.parse(String(data['time'])) < readMs && !late.includes(String(data['node']));
}

/** The events without the nodes that are late only since these were read: other figures of the page do not count them yet. */
export function withLate(events: readonly FeedEvent[], late: readonly string[], readMs: number): readonly FeedEvent[] {
  return events.filter(
    (event) => event.name !== 'node.late' || late.includes(String(event.data['node'])) || isOnTime(event, late, readMs),
  );
}

interface FailedJob {
  readonly id: string;
  /** RFC 3339. */
  readonly failedAt: string;
}

/** The events, and those of jobs that failed: a busy fleet pushes these out of what the stream still tells. */
export function withFailed(events: readonly FeedEvent[], failed: readonly FailedJob[]): readonly FeedEvent[] {
  return withNotableJobs(
    events,
    failed.map(({ id, failedAt }) => ({ id, status: 'Failed', since: failedAt })),
  );
}

/** The events, and what happened last to these jobs. */
export function withNotableJobs(events: readonly FeedEvent[], jobs: readonly NotableJob[]): readonly FeedEvent[] {
  return [
    ...events,
    ...jobs.map(({ id, status, since }) => ({
      position: `job ${id}`,
      name: 'job.event',
      data: { job: id, event: { eventType: eventTypeOf(status), timestamp: since } },
    })),
  ];
}

/** Of the event after which a job has that status. */
function eventTypeOf(status: string): string {
  return STATUS_EVENTS.find((eventType) => statusOfEvent(eventType) === status) ?? '';
}

/**
 * The events, with exactly these nodes as lost, each when the server declared it so: other figures of the page say the same. That
 * it was late is over.
 */
export function withLost(events: readonly FeedEvent[], lost: readonly LostNode[]): readonly FeedEvent[] {
  const untold = new Map(lost.map(({ id, endedAt }) => [id, endedAt]));
  const isLost = new Set<unknown>(untold.keys());
  for (const { name, data } of events) if (name === 'node.lost') untold.delete(String(data['node']));
  return [
    ...events.filter(({ name, data }) =>
      name === 'node.lost' ? isLost.has(data['node']) : !(name === 'node.late' && untold.has(String(data['node']))),
    ),
    ...[...untold].map(([node, time]) => ({ position: `lost ${node}`, name: 'node.lost', data: { node, time } })),
  ];
}

/**
 * Of the time since then, epoch milliseconds; what happened before follows: of a quiet hour there is little to tell. Nodes that did
 * the same before and since are two rows.
 */
export function recentFirst(
  events: readonly FeedEvent[],
  sinceMs: number,
  isOver: (event: FeedEvent) => boolean,
): RecentRow[] {
  const isRecent = (event: FeedEvent): boolean => Date.parse(timeOf(event)) >= sinceMs;
  const recent = events.filter(isRecent);
  const subjects = new Set(recent.map(subjectOf));
  const earlier = events.filter((event) => !isRecent(event) && !subjects.has(subjectOf(event) ?? ''));
  const [first, ...others] = recentRows(earlier, isOver);
  return [...recentRows(recent, isOver), ...(first ? [{ ...first, beginsEarlier: true as const }, ...others] : [])];
}

/** Newest first; `events` are in the order in which the server heard of them, the newest first. */
export function recentRows(events: readonly FeedEvent[], isOver: (event: FeedEvent) => boolean): RecentRow[] {
  const known = new Set<string>();
  const latest = events
    .toSorted((a, b) => Date.parse(timeOf(b)) - Date.parse(timeOf(a)))
    .filter((event) => {
      const subject = subjectOf(event);
      return subject === undefined || (!known.has(subject) && known.add(subject));
    });
  const bursts = burstsOf(latest);
  // A drain that was undone is an event of the same name.
  const groupOf = (event: FeedEvent): string =>
    `${event.name} ${String(event.data['drained'])} ${isOver(event)} ${bursts.get(event) ?? ''}`;
  // The newest comes first, so the last one that is seen is the first.
  const groups = new Map<string, { readonly count: number; readonly first: FeedEvent }>();
  for (const event of latest) {
    const isOfNode = typeof event.data['node'] === 'string' && event.name !== 'job.event';
    if (!isOfNode) continue;
    const { count = 0 } = groups.get(groupOf(event)) ?? {};
    groups.set(groupOf(event), { count: count + 1, first: event });
  }
  const shown = new Set<string>();
  const comings = comingsOf(events);
  return latest.flatMap((event) => {
    const group = groupOf(event);
    const { count, first } = groups.get(group) ?? { count: 1, first: event };
    const row = { event, isOver: isOver(event) };
    if (count < TOGETHER) return [{ ...row, count: 1, spanSeconds: 0 }];
    if (shown.has(group)) return [];
    shown.add(group);
    const all = comings.get(event.name);
    const spanMs = Date.parse(timeOf(event)) - Date.parse(timeOf(all?.first ?? first));
    return [{ ...row, count: all?.nodes.size ?? count, spanSeconds: spanMs / 1_000 }];
  });
}

/** So many nodes that are lost within seconds of each other are one event of the fleet, and not among those of an hour. */
const BURST_MIN = 5;
const BURST_GAP_MS = 10_000;

/** Of each lost node that went together with others: by which one of them, the last, they are told apart. The newest first. */
function burstsOf(latest: readonly FeedEvent[]): ReadonlyMap<FeedEvent, string> {
  const bursts = new Map<FeedEvent, string>();
  let run: FeedEvent[] = [];
  const close = (): void => {
    if (run.length >= BURST_MIN) for (const event of run) bursts.set(event, run[0]?.position ?? '');
    run = [];
  };
  for (const event of latest) {
    if (event.name !== 'node.lost') continue;
    const last = run.at(-1);
    if (last && Date.parse(timeOf(last)) - Date.parse(timeOf(event)) > BURST_GAP_MS) close();
    run.push(event);
  }
  close();
  return bursts;
}

/** Nodes that came, and that went, whatever became of them since: the log, which such a row leads to, has a line of each. */
function comingsOf(
  events: readonly FeedEvent[],
): ReadonlyMap<string, { readonly nodes: ReadonlySet<unknown>; readonly first: FeedEvent }> {
  const comings = new Map<string, { readonly nodes: Set<unknown>; first: FeedEvent }>();
  for (const event of events) {
    if (event.name !== 'node.registered' && event.name !== 'node.deregistered') continue;
    const all = comings.get(event.name) ?? { nodes: new Set(), first: event };
    all.nodes.add(event.data['node']);
    if (Date.parse(timeOf(event)) < Date.parse(timeOf(all.first))) all.first = event;
    comings.set(event.name, all);
  }
  return comings;
}

function subjectOf({ data: { job, node } }: FeedEvent): string | undefined {
  if (typeof job === 'string') return `job ${job}`;
  return typeof node === 'string' ? `node ${node}` : undefined;
}
