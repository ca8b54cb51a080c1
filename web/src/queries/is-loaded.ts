/** Whether the page has an age while the server is away: of what was never loaded there is none. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';

/** What the page shows that is no query, and was never loaded. */
let unread = 0;
const watchers = new Set<() => void>();

function count(change: number): void {
  unread += change;
  for (const tell of watchers) tell();
}

/** For what is loaded otherwise than by queries: the page is not whole as long as the caller is drawn. */
export function useUnread(isUnread = true): void {
  useEffect(() => {
    if (!isUnread) return undefined;
    count(1);
    return () => count(-1);
  }, [isUnread]);
}

/** Whether nothing of the page waits for its first answer while the server is away. */
export function useIsLoaded(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (onChange) => {
      watchers.add(onChange);
      const leave = cache.subscribe(onChange);
      return () => {
        watchers.delete(onChange);
        leave();
      };
    },
    () =>
      unread === 0 &&
      cache.findAll({ type: 'active', fetchStatus: 'paused' }).every(({ state }) => state.data !== undefined),
  );
}
