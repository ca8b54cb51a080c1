/** What the event stream told since the page was opened, newest first. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import { eventFeed, type FeedEvent } from '../../api/event-feed.ts';
import { wordsOf } from '../../parts/format.ts';
import { Empty } from '../../parts/states.tsx';
import { Age } from '../../parts/time.tsx';

const ROWS = 12;

export function RecentChanges(): ReactNode {
  const { recent } = useSyncExternalStore(eventFeed.subscribe, eventFeed.snapshot);
  return (
    <section className="panel" aria-labelledby="recent">
      <h2 id="recent">What changed</h2>
      {recent.length === 0 ? (
        <Empty title="Nothing yet: events appear here as they happen" />
      ) : (
        <ul className="rows">
          {recent.slice(0, ROWS).map((event) => (
            <Change key={event.position} event={event} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Change({ event: { name, data } }: { event: FeedEvent }): ReactNode {
  return (
    <li>
      <Subject data={data} />
      <span className="muted">{whatOf(name, data)}</span>
      <Age of={String(data['time'])} />
    </li>
  );
}

function Subject({ data }: { data: FeedEvent['data'] }): ReactNode {
  if (typeof data['job'] === 'string')
    return (
      <Link to="/job" search={{ id: data['job'] }}>
        {data['job']}
      </Link>
    );
  if (typeof data['node'] === 'string')
    return (
      <Link to="/node" search={{ id: data['node'] }}>
        {data['node']}
      </Link>
    );
  return <Link to="/settings">Configuration</Link>;
}

function whatOf(name: string, data: FeedEvent['data']): string {
  const event = data['event'];
  if (name === 'job.event' && typeof event === 'object' && event !== null && 'eventType' in event)
    return wordsOf(String(event.eventType).replace(/^Job-/, '').replace('-', ' '));
  if (name === 'config.changed' && Array.isArray(data['keys'])) return data['keys'].join(', ');
  if (name === 'gap') return `${String(data['missed'])} events could not be had`;
  return wordsOf(name.replace(/^\w+\./, ''));
}
