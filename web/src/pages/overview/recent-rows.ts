/** What changed, in rows: of a job or a node only the latest, and nodes that did the same together. Pure. */
import type { FeedEvent } from '../../api/feed-event.ts';

export interface RecentRow {
  /** The latest of them. */
  readonly event: FeedEvent;
  /** Nodes that did the same; 1 where it is about one job, node or change of settings. */
  readonly count: number;
}

/** So many nodes that did the same are one row: else they push out all else. */
const TOGETHER = 3;

/** When it happened, RFC 3339: a job's event may be told long after it. */
export function timeOf({ data: { event, time } }: FeedEvent): string {
  const isOfJob = typeof event === 'object' && event !== null && 'timestamp' in event;
  return String(isOfJob ? event.timestamp : time);
}

/** Newest first; `events` are in the order in which the server heard of them, the newest first. */
export function recentRows(events: readonly FeedEvent[]): RecentRow[] {
  const known = new Set<string>();
  const latest = events
    .toSorted((a, b) => Date.parse(timeOf(b)) - Date.parse(timeOf(a)))
    .filter((event) => {
      const subject = subjectOf(event);
      return subject === undefined || (!known.has(subject) && known.add(subject));
    });
  const counts = new Map<string, number>();
  for (const { name, data } of latest)
    if (typeof data['node'] === 'string' && name !== 'job.event') counts.set(name, (counts.get(name) ?? 0) + 1);
  const shown = new Set<string>();
  return latest.flatMap((event) => {
    const count = counts.get(event.name) ?? 1;
    if (count < TOGETHER) return [{ event, count: 1 }];
    if (shown.has(event.name)) return [];
    shown.add(event.name);
    return [{ event, count }];
  });
}

function subjectOf({ data: { job, node } }: FeedEvent): string | undefined {
  if (typeof job === 'string') return `job ${job}`;
  return typeof node === 'string' ? `node ${node}` : undefined;
}
