/**
 * While the server is away nothing is asked of it: answers stay on the page as they are, also those that would have been
 * replaced, and what was to be asked is asked as soon as the event feed is back.
 */
import { onlineManager, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { type EventFeed, eventFeed } from './event-feed.ts';

export function pauseWhileAway(client: QueryClient, feed: EventFeed): void {
  const isThere = (): boolean => {
    const { state, isAnswering } = feed.snapshot();
    return state !== 'away' || isAnswering;
  };
  onlineManager.setEventListener((setOnline) => feed.subscribe(() => setOnline(isThere())));
  let isLive = true;
  feed.subscribe(() => {
    const wasLive = isLive;
    isLive = feed.snapshot().state === 'live';
    // What failed before the feed noticed would stay failed.
    if (isLive && !wasLive)
      void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  });
}

/** Why something cannot be done then. */
export const AWAY_TEXT = 'The server cannot be reached';

/** Whether the server cannot be reached, so that nothing can be changed. */
export function useIsAway(): boolean {
  return useSyncExternalStore(eventFeed.subscribe, isAway);
}

function isAway(): boolean {
  const { awaySinceMs, isAnswering } = eventFeed.snapshot();
  return awaySinceMs !== undefined && !isAnswering;
}
