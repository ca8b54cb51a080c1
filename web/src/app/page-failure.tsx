/** What stands in place of a page that cannot be shown. It is tried again by itself when the server is back. */
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { eventFeed } from '../api/event-feed.ts';
import { Failure } from '../parts/states.tsx';

export function PageFailure({ error, reset }: { error: unknown; reset: () => void }): ReactNode {
  const { state } = useSyncExternalStore(eventFeed.subscribe, eventFeed.snapshot);
  const router = useRouter();
  const retry = useCallback(() => {
    // Loads the page's file again before the boundary shows it.
    void router.invalidate().then(reset);
  }, [router, reset]);
  const wasAway = useRef(state === 'away');
  useEffect(() => {
    if (state === 'away') wasAway.current = true;
    if (state !== 'live' || !wasAway.current) return;
    wasAway.current = false;
    retry();
  }, [state, retry]);
  return <Failure error={error} retry={retry} />;
}
