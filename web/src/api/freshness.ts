/** Which answers an event makes stale. Asked again at most every few seconds, however busy the fleet is. */
import type { QueryClient } from '@tanstack/react-query';
import { isTabSeen, onTabSeen } from '../browser/seen.ts';
import type { EventFeed } from './event-feed.ts';
import { staleKeys } from './feed-event.ts';

const REFRESH_MS = 3_000;

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
  // While nobody looked, no event was told; the list of jobs sees to itself.
  onTabSeen(() => {
    if (isTabSeen()) void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'job-pages' });
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && stale.size > 0) later();
  });
}
