/** When the figures of a strip were counted, while the server is away and the list below them was never loaded. */
import type { ReactNode } from 'react';
import { useIsAway } from '../api/reachability.ts';
import { LocalTime } from '../parts/time.tsx';
import { useIsLoaded } from '../queries/is-loaded.ts';

interface CountedAtProps {
  /** What the figures are of; those without an answer have none. */
  readonly queries: readonly { readonly data: unknown; readonly dataUpdatedAt: number }[];
}

/** Where all of the page is there, the bar above it tells its age, and once is enough. */
export function CountedAt({ queries }: CountedAtProps): ReactNode {
  // Not whether one waits to be asked again: figures that are fresh do not.
  const isAway = useIsAway();
  const isTold = useIsLoaded();
  // What stands in place of an answer was counted at no time.
  const answered = queries.filter(({ data, dataUpdatedAt }) => data !== undefined && dataUpdatedAt > 0);
  if (!isAway || isTold || answered.length === 0) return null;
  const at = new Date(Math.min(...answered.map(({ dataUpdatedAt }) => dataUpdatedAt))).toISOString();
  return (
    <p className="muted list-note">
      Counted at <LocalTime at={at} />
    </p>
  );
}
