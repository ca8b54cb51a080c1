/**
 * Keeps a list of jobs as the server has it. Rows do not move under the reader's eyes: while he is in the list with the pointer or the
 * keyboard, or has scrolled down, known rows are renewed where they stand, and new ones are counted.
 */
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useState } from 'react';
import { eventFeed } from '../../api/event-feed.ts';
import { staleKeys } from '../../api/feed-event.ts';
import { isNarrow } from '../../browser/narrow.ts';
import { onTabSeen } from '../../browser/seen.ts';
import { isSortedHere } from '../../lists/job-orders.ts';
import { type JobFilter, type JobRow, jobsPage, jobsQuery } from '../../queries/jobs.ts';
import type { Page } from '../../queries/paging.ts';

/** Between two looks; a list that costs the server a look at every job is read less often. */
const EVERY_MS = 3_000;
const SELDOM_MS = 15_000;
/** What was read longer ago may be old: nobody told of what happened before one looked again. */
const JUST_READ_MS = 250;
/** Pixels that a list may be scrolled and still be at its top. */
const TOP_PX = 20;

type Pages = InfiniteData<Page<JobRow>, string>;

/** `news`: new jobs that the list does not show yet. `take` shows them. */
export function useFollowedJobs(
  filter: Partial<JobFilter>,
  list: RefObject<HTMLElement | null>,
): { readonly news: number; readonly take: () => void } {
  const client = useQueryClient();
  const [news, setNews] = useState(0);
  const show = useCallback(
    (first: Page<JobRow>) => {
      const { queryKey, initialPageParam } = jobsQuery(filter);
      client.setQueryData<Pages>(queryKey, { pages: [first], pageParams: [initialPageParam] });
      setNews(0);
    },
    [client, filter],
  );
  useEffect(() => {
    setNews(0);
    const { queryKey } = jobsQuery(filter);
    const isCostly = filter.q !== undefined || isSortedHere(filter.sort);
    const everyMs = isCostly ? SELDOM_MS : EVERY_MS;
    const abort = new AbortController();
    let isStale = Date.now() - (client.getQueryState(queryKey)?.dataUpdatedAt ?? 0) > JUST_READ_MS;
    let isBehind = false;
    let isReading = false;
    const look = async (): Promise<void> => {
      const known = client.getQueryData<Pages>(queryKey);
      const isDue = isStale || (isBehind && !isHeld(list.current)) || eventFeed.snapshot().state !== 'live';
      if (!known || document.hidden || isReading || !isDue) return;
      isReading = true;
      isStale = false;
      try {
        const first = await jobsPage({ client, filter, signal: abort.signal });
        isBehind = isHeld(list.current);
        if (isBehind) setNews(renewRows(client, filter, first));
        else show(first);
      } catch {
        // The next look tries again.
        isStale = true;
      } finally {
        isReading = false;
      }
    };
    const timer = window.setInterval(() => void look(), everyMs);
    const stop = eventFeed.onEvents((events) => {
      isStale ||= events.some((event) => staleKeys(event).includes('jobs'));
    });
    const stopSeen = onTabSeen(() => {
      isStale = true;
    });
    return () => {
      stop();
      stopSeen();
      window.clearInterval(timer);
      abort.abort();
    };
  }, [client, filter, list, show]);
  const take = useCallback(() => {
    list.current?.scrollTo({ top: 0 });
    if (isNarrow()) window.scrollTo({ top: 0 });
    void jobsPage({ client, filter, signal: new AbortController().signal }).then(show, () => undefined);
  }, [client, filter, list, show]);
  return { news, take };
}

/** Renews rows where they stand. Gives how many others the page has. */
function renewRows(client: QueryClient, filter: Partial<JobFilter>, { rows }: Page<JobRow>): number {
  const fresh = new Map(rows.map((row) => [row.id, row]));
  const { queryKey } = jobsQuery(filter);
  const before = client.getQueryData<Pages>(queryKey);
  const pages =
    before?.pages.map((page) => ({ ...page, rows: page.rows.map((row) => fresh.get(row.id) ?? row) })) ?? [];
  if (before) client.setQueryData<Pages>(queryKey, { ...before, pages });
  for (const page of pages) for (const { id } of page.rows) fresh.delete(id);
  return fresh.size;
}

function isHeld(list: HTMLElement | null): boolean {
  if (!list) return false;
  // In a narrow window the page scrolls.
  const topPx = isNarrow() ? window.scrollY : list.scrollTop;
  return topPx > TOP_PX || list.matches(':hover') || list.querySelector(':focus') !== null;
}
