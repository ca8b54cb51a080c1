/** Whether the page follows the server, and how old it is while it does not. */
import { type ReactNode, useSyncExternalStore } from 'react';
import { eventFeed } from '../api/event-feed.ts';
import { Age, LocalTime } from '../parts/time.tsx';

const CONNECTION = {
  connecting: { label: 'Connecting', title: 'Opening the stream of events' },
  live: { label: 'Live', title: 'The page follows the server’s events' },
  refused: {
    label: 'Not live',
    title: 'The server answers, but refuses the stream of events. The page keeps trying to open it.',
  },
  away: {
    label: 'Offline',
    title: 'The server cannot be reached. The page keeps what it has, and keeps trying to connect.',
  },
} as const;

export function Connection(): ReactNode {
  const { state, isAnswering } = useSyncExternalStore(eventFeed.subscribe, eventFeed.snapshot);
  const shown = state === 'away' && isAnswering ? 'refused' : state;
  const { label, title } = CONNECTION[shown];
  return (
    <span className={`connection connection-${shown}`} role="status" title={title}>
      <span className="dot" aria-hidden="true" />
      {label}
    </span>
  );
}

/** Says how old the page is while the server cannot be reached. What it shows stays. */
export function AwayBar(): ReactNode {
  const { awaySinceMs, isAnswering } = useSyncExternalStore(eventFeed.subscribe, eventFeed.snapshot);
  if (awaySinceMs === undefined || isAnswering) return null;
  const at = new Date(awaySinceMs).toISOString();
  return (
    <p className="away">
      The server cannot be reached. You see data from <LocalTime at={at} /> (<Age of={at} />
      ). The page reconnects by itself.
    </p>
  );
}
