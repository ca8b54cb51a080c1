/** What the event stream told of the last hour, newest first. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState, useSyncExternalStore } from 'react';
import { eventFeed } from '../../api/event-feed.ts';
import { failedSinceQuery } from '../../api/failed-jobs.ts';
import type { FeedEvent } from '../../api/feed-event.ts';
import { lateNodesQuery, lostNodesQuery } from '../../api/queries.ts';
import { LongId } from '../../names/long-id.tsx';
import { NodeName } from '../../names/node-link.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { countText, eventText, wordsOf } from '../../parts/format.ts';
import { Empty, Loading } from '../../parts/states.tsx';
import { Age } from '../../parts/time.tsx';
import { isOnTime, type RecentRow, recentRows, timeOf, withFailed, withLost } from './recent-rows.ts';

const ROWS = 8;
const HOUR_MS = 3_600_000;

export function RecentChanges(): ReactNode {
  const [isAll, setAll] = useState(false);
  const kept = useSyncExternalStore(eventFeed.subscribe, isAll ? recentOf : notableOf);
  const since = useNowMs(60_000) - HOUR_MS;
  const { data: late, dataUpdatedAt } = useQuery(lateNodesQuery);
  // The same answer as that of what needs attention: the two lists agree.
  const { data: failed } = useQuery(failedSinceQuery);
  const { data: lost } = useQuery(lostNodesQuery);
  const hasLookedBack = useSyncExternalStore(eventFeed.subscribe, lookedBack);
  const rows = useMemo(() => {
    const isOver = (event: FeedEvent): boolean => late !== undefined && isOnTime(event, late, dataUpdatedAt);
    const known = withLost(withFailed(kept, failed?.jobs ?? []), lost ?? []);
    const events = known.filter((event) => Date.parse(timeOf(event)) >= since);
    return recentRows(events, isOver).slice(0, ROWS);
  }, [kept, since, late, dataUpdatedAt, failed, lost]);
  return (
    <section className="panel" aria-labelledby="recent">
      <div className="panel-head">
        <h2 id="recent">
          What changed <span className="muted">in the last hour</span>
        </h2>
        <button type="button" className="compact" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'Notable only' : 'Show all'}
        </button>
      </div>
      {rows.length === 0 && !hasLookedBack ? (
        <Loading what="what changed" />
      ) : rows.length === 0 ? (
        <Empty title="Nothing notable in the last hour" />
      ) : (
        <ul className="rows">
          {rows.map((row) => (
            <Change key={row.event.position} row={row} />
          ))}
        </ul>
      )}
    </section>
  );
}

// One of them, not the whole snapshot: a fleet at work sends hundreds of events that are not notable.
const recentOf = (): readonly FeedEvent[] => eventFeed.snapshot().recent;
const lookedBack = (): boolean => {
  const { hasLookedBack, state } = eventFeed.snapshot();
  return hasLookedBack || state === 'away';
};
const notableOf = (): readonly FeedEvent[] => eventFeed.snapshot().notable;

function Change({ row: { event, count, isOver } }: { row: RecentRow }): ReactNode {
  const { name, data } = event;
  return (
    <li>
      {count > 1 ? <Nodes count={count} name={isOver ? '' : name} /> : <Subject data={data} />}
      {isOver ? <span className="muted">Late, on time since</span> : <What text={whatOf(name, data)} />}
      <Age of={timeOf(event)} />
    </li>
  );
}

/** Of an event's name, the state that its nodes are in afterwards; without one they are in the list of those that run. */
const STATE_AFTER: Readonly<Record<string, string>> = {
  'node.late': 'late',
  'node.lost': 'lost',
  'node.deregistered': 'deregistered',
};

function Nodes({ count, name }: { count: number; name: string }): ReactNode {
  const state = STATE_AFTER[name];
  return (
    <Link to="/nodes" search={state === undefined ? {} : { state, sort: '-lastHeartbeat' }}>
      {countText(count)} nodes
    </Link>
  );
}

/** Failures stand out, and what may become one. */
function What({ text }: { text: string }): ReactNode {
  const tone = /failed|lost/i.test(text) ? 'bad' : /late|stopped|restoring|interrupt/i.test(text) ? 'warn' : 'plain';
  return <span className={tone === 'plain' ? 'muted' : `muted ${tone}`}>{text}</span>;
}

function Subject({ data }: { data: FeedEvent['data'] }): ReactNode {
  if (typeof data['job'] === 'string')
    return (
      <Link to="/job" search={{ id: data['job'] }} title={data['job']}>
        <LongId id={data['job']} />
      </Link>
    );
  if (typeof data['node'] === 'string')
    return (
      <Link to="/node" search={{ id: data['node'] }} title={data['node']}>
        <NodeName id={data['node']} />
      </Link>
    );
  return <Link to="/settings">Configuration</Link>;
}

function whatOf(name: string, data: FeedEvent['data']): string {
  const event = data['event'];
  if (name === 'job.event' && typeof event === 'object' && event !== null && 'eventType' in event)
    return eventText(String(event.eventType));
  if (name === 'config.changed' && Array.isArray(data['keys'])) return data['keys'].join(', ');
  if (name === 'gap') return `${String(data['missed'])} events are no longer available`;
  return wordsOf(name.replace(/^\w+\./, ''));
}
