/** Whether the page has an age while the server is away: of what was never loaded there is none. */
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Whether nothing of the page waits for its first answer while the server is away. */
export function useIsLoaded(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => cache.findAll({ type: 'active', fetchStatus: 'paused' }).every(({ state }) => state.data !== undefined),
  );
}
