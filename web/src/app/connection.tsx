/** Whether the page follows the server, and how old it is while it does not. */
import { type ReactNode, useSyncExternalStore } from 'react';
import { eventFeed } from '../api/event-feed.ts';
import { CopyButton } from '../parts/command-line.tsx';
import { AgeAway, clockText, LocalTime } from '../parts/time.tsx';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { useIsLoaded } from '../queries/is-loaded.ts';

const CONNECTION = {
  connecting: { label: 'Connecting', title: 'Opening the stream of events' },
  live: { label: 'Live', title: 'The page follows the server’s events' },
  refused: {
    label: 'Not live',
    title: 'The server answers, but refuses the stream of events. The page reconnects by itself.',
  },
  away: {
    label: 'Offline',
    title: 'The server cannot be reached. The page reconnects by itself.',
  },
} as const;

export function Connection(): ReactNode {
  const { state, isAnswering, awaySinceMs, hasHeard } = useSyncExternalStore(eventFeed.subscribe, eventFeed.snapshot);
  const shown = state === 'away' && isAnswering ? 'refused' : state;
  const { label, title } = CONNECTION[shown];
  return (
    <span className={`connection connection-${shown}`} role="status" title={title}>
      <span className="dot" aria-hidden="true" />
      {label}
      {/* The bar that says since when scrolls away. */}
      {shown === 'away' && awaySinceMs !== undefined && hasHeard ? (
        <>
          <span className="connection-since"> since </span>
          <Clock at={new Date(awaySinceMs).toISOString()} />
        </>
      ) : null}
    </span>
  );
}

function Clock({ at }: { at: string }): ReactNode {
  // Drawn again as the zone is chosen.
  usePreference(timeZone);
  return <time dateTime={at}>{clockText(at)}</time>;
}

const STATUS_COMMAND = 'systemctl status cairn';

/** Says how old the page is while the server cannot be reached. */
export function AwayBar(): ReactNode {
  const { awaySinceMs, isAnswering, hasHeard } = useSyncExternalStore(eventFeed.subscribe, eventFeed.snapshot);
  if (awaySinceMs === undefined || isAnswering) return null;
  return (
    <p className="away">
      {hasHeard ? <Since at={new Date(awaySinceMs).toISOString()} /> : 'The server cannot be reached.'} The page
      reconnects by itself.
      <span className="away-hint">
        {' '}
        If it does not, see on the server’s machine whether the service runs:{' '}
        <span className="inline-command">
          <code>{STATUS_COMMAND}</code>
          <CopyButton text={STATUS_COMMAND} what="the command" />
        </span>
      </span>
    </p>
  );
}

/** What the page shows stays, however little it is, and is as old as that; of what was never loaded there is no age. */
function Since({ at }: { at: string }): ReactNode {
  const when = (
    <>
      <LocalTime at={at} /> (<AgeAway of={at} />)
    </>
  );
  return useIsLoaded() ? (
    <>The server has not been reachable since {when}. Everything shown was loaded before; ages are as of then.</>
  ) : (
    <>
      The server has not been reachable since {when}. What is missing here was not loaded before; ages are as of then.
    </>
  );
}
