/** Which answers an event makes stale. Asked again at most every few seconds, however busy the fleet is. */
import type { QueryClient } from '@tanstack/react-query';
import type { EventFeed } from './event-feed.ts';
import type { FeedEvent } from './feed-event.ts';

const REFRESH_MS = 3_000;
const GONE_OR_BACK = /^node\.(lost|deregistered|alive|registered)$/;

export function keepFresh(client: QueryClient, feed: EventFeed): void {
  const stale = new Set<string>();
  let timer: number | undefined;
  const refresh = (): void => {
    timer = undefined;
    // A hidden page asks nothing; it catches up when it is seen again.
    if (document.hidden) return;
    for (const key of stale) void client.invalidateQueries({ queryKey: [key] });
    stale.clear();
  };
  const later = (): void => {
    if (timer === undefined) timer = window.setTimeout(refresh, REFRESH_MS);
  };
  feed.onEvents((events) => {
    for (const event of events) for (const key of staleKeys(event)) stale.add(key);
    later();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && stale.size > 0) later();
  });
}

/** The first parts of the keys of the answers that it makes stale. */
export function staleKeys({ name, data }: FeedEvent): readonly string[] {
  // Whether a job is stranded depends on its node; no event of the job tells.
  if (GONE_OR_BACK.test(name)) return ['nodes', 'jobs'];
  if (name.startsWith('node.')) return ['nodes'];
  if (name === 'job.event') return ['jobs', 'summary', 'series', ...(isFailure(data) ? ['failures'] : [])];
  if (name === 'job.removed') return ['jobs'];
  if (name === 'config.changed') return ['config', 'idp'];
  return ['nodes', 'jobs', 'summary', 'series', 'failures', 'config'];
}

/** To find all failures of a range the server looks at many jobs: not for each event of any other job. */
function isFailure({ event }: FeedEvent['data']): boolean {
  return typeof event === 'object' && event !== null && 'eventType' in event && event.eventType === 'Job-Failed';
}
