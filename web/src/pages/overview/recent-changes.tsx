/** What the event stream told: of the last hour, and before it where there is room. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useMemo, useState, useSyncExternalStore } from 'react';
import { eventFeed } from '../../api/event-feed.ts';
import type { FeedEvent } from '../../api/feed-event.ts';
import { useNarrow } from '../../browser/narrow.ts';
import type { LostNodes } from '../../lists/counted.ts';
import { lostListOf } from '../../lists/list-links.ts';
import { LongId } from '../../names/long-id.tsx';
import { NodeName } from '../../names/node-link.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { countText, eventText, wordsOf } from '../../parts/format.ts';
import { Empty, Loading } from '../../parts/states.tsx';
import { Age, Ages } from '../../parts/time.tsx';
import { failedSinceQuery, lateNodesQuery, lostNodesQuery, notableJobsQuery } from '../../queries/troubles.ts';
import {
  isOnTime,
  type RecentRow,
  recentFirst,
  timeOf,
  withFailed,
  withLate,
  withLost,
  withNotable,
  withNotableJobs,
} from './recent-rows.ts';
import { useRowsShown } from './rows-shown.ts';

const HOUR_MS = 3_600_000;
/** So high is a row at least; on a phone it has two lines. */
const ROW_REM = { wide: 2, narrow: 3.4 };
/** What happens within it happens at once. */
const MOMENT_SECONDS = 60;
/** Of many nodes the moment of one would tell of a blow. */
const isAtOnce = ({ spanSeconds }: RecentRow): boolean => spanSeconds < MOMENT_SECONDS;

export function RecentChanges(): ReactNode {
  const [isAll, setAll] = useState(false);
  const isNarrow = useNarrow();
  const shown = useRowsShown();
  const latest = useSyncExternalStore(eventFeed.subscribe, isAll ? recentOf : notableOf);
  const notable = useSyncExternalStore(eventFeed.subscribe, notableOf);
  const kept = useMemo(() => withNotable(latest, notable), [latest, notable]);
  const since = useNowMs(60_000) - HOUR_MS;
  // The same answers as those of what needs attention: the two lists agree.
  const { data: late, dataUpdatedAt } = useQuery(lateNodesQuery);
  const { data: failed } = useQuery(failedSinceQuery);
  const { data: lost } = useQuery(lostNodesQuery);
  const { data: jobs } = useQuery(notableJobsQuery);
  const hasLookedBack = useSyncExternalStore(eventFeed.subscribe, lookedBack);
  const rows = useMemo(() => {
    const ids = late?.map(({ id }) => id) ?? [];
    const isOver = (event: FeedEvent): boolean => isOnTime(event, ids, dataUpdatedAt);
    const told = withLate(kept, ids, dataUpdatedAt);
    const ofNodes = lost ? withLost(told, lost.nodes) : told;
    const known = withNotableJobs(withFailed(ofNodes, failed?.newest ?? []), jobs ?? []);
    return recentFirst(known, since, isOver).slice(0, shown);
  }, [kept, since, late, dataUpdatedAt, failed, lost, jobs, shown]);
  return (
    <section className="panel" aria-labelledby="recent">
      <div className="panel-head">
        <h2 id="recent">
          What changed <span className="muted">latest first</span>
        </h2>
        <button type="button" className="text-button small" aria-pressed={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'Show notable only' : 'Show all kinds'}
        </button>
      </div>
      {/* What the stream told since the page was opened is a part, and would soon be another one. */}
      {!hasLookedBack ? (
        <div style={{ minHeight: `${shown * ROW_REM[isNarrow ? 'narrow' : 'wide']}rem` }}>
          <Loading what="what changed" />
        </div>
      ) : rows.length === 0 ? (
        <Empty title="Nothing notable yet" />
      ) : (
        <ul className={rows.every(isAtOnce) ? 'rows' : 'rows rows-ages'}>
          {rows.map((row) => (
            <Fragment key={row.event.position}>
              {row.beginsEarlier ? (
                <li className="muted small">More than an hour ago, as far as it is still known</li>
              ) : null}
              <Change row={row} list={listOf(row, late?.length, lost)} />
            </Fragment>
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

function Change(props: { row: RecentRow; list: NodeList | undefined }): ReactNode {
  const { row, list } = props;
  const { event, count, spanSeconds, isOver } = row;
  const { name, data } = event;
  const at = timeOf(event);
  return (
    <li>
      {count > 1 ? <Nodes count={count} list={list} lines={linesOf(row)} /> : <Subject data={data} />}
      {isOver ? <span className="muted">Late, no longer</span> : <What text={whatOf(name, data)} />}
      {isAtOnce(row) ? <Age of={at} /> : <Ages from={beforeText(at, spanSeconds)} to={at} />}
    </li>
  );
}

/** What the log of the server says of each: no list of nodes is of those that came or went within a time. */
const LINES: Readonly<Record<string, string>> = {
  'node.deregistered': 'node deregistered',
  'node.registered': 'node registered',
};

/** From the first of them on; undefined where the log has no line for each. */
function linesOf({ event, spanSeconds }: RecentRow): LogLines | undefined {
  const text = LINES[event.name];
  if (text === undefined) return undefined;
  return { q: `"${text}"`, from: beforeText(timeOf(event), spanSeconds) };
}

function beforeText(at: string, seconds: number): string {
  return new Date(Date.parse(at) - seconds * 1_000).toISOString();
}

interface LogLines {
  readonly q: string;
  readonly from: string;
}

type NodeList = (ReturnType<typeof lostListOf> & { readonly heartbeatBefore?: string }) | { readonly state: 'late' };

/** The list of exactly these nodes; undefined where there is none, as of those that registered within the hour. */
function listOf(row: RecentRow, late: number | undefined, lost: LostNodes | undefined): NodeList | undefined {
  const { event, count, isOver } = row;
  if (event.name === 'node.late' && !isOver && count === late) return { state: 'late' };
  if (event.name !== 'node.lost' || !lost) return undefined;
  return count === lost.nodes.length ? lostListOf(lost) : lostWithin(row, lost);
}

const MS_AROUND = 1;

/** Those that were lost together, by when they fell silent; undefined where others did so within that time. */
function lostWithin({ event, count, spanSeconds }: RecentRow, lost: LostNodes): NodeList | undefined {
  const toMs = Date.parse(timeOf(event));
  const isOfRow = ({ endedAt }: LostNodes['nodes'][number]): boolean =>
    Date.parse(endedAt) <= toMs && Date.parse(endedAt) >= toMs - spanSeconds * 1_000;
  const beats = lost.nodes.filter(isOfRow).map(({ lastHeartbeat }) => Date.parse(lastHeartbeat));
  const [from, to] = [Math.min(...beats), Math.max(...beats)];
  const inThem = lost.nodes.filter(({ lastHeartbeat }) => {
    const beatMs = Date.parse(lastHeartbeat);
    return from <= beatMs && beatMs <= to;
  });
  if (beats.length !== count || inThem.length !== count) return undefined;
  return {
    ...lostListOf({ since: new Date(from - MS_AROUND).toISOString() }),
    heartbeatBefore: new Date(to + MS_AROUND).toISOString(),
  };
}

interface NodesProps {
  readonly count: number;
  readonly list: NodeList | undefined;
  /** Their lines in the log, where there is no list of them. */
  readonly lines: LogLines | undefined;
}

function Nodes({ count, list, lines }: NodesProps): ReactNode {
  const text = `${countText(count)} nodes`;
  if (list === undefined && lines !== undefined)
    return (
      <Link to="/logs" search={lines}>
        {text}
      </Link>
    );
  return list === undefined ? (
    <span>{text}</span>
  ) : (
    <Link to="/nodes" search={list}>
      {text}
    </Link>
  );
}

/** Failures stand out, and what may become one. */
function What({ text }: { text: string }): ReactNode {
  // As in the lists: a job that failed, or cannot go on, is worse than a step that did.
  const tone = /^(Failed|Restore failed|.*not ready)$/.test(text)
    ? 'bad'
    : /failed|lost|late|stopped|interrupt/i.test(text)
      ? 'warn'
      : 'plain';
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
  // A moment, and not how it is since: its jobs may have ended, or the drain may be undone.
  if (name === 'node.drained') return data['drained'] === false ? 'Drain undone' : 'Drain started';
  if (name === 'node.alive') return 'Alive again';
  if (name === 'gap') return `${String(data['missed'])} events are no longer available`;
  return wordsOf(name.replace(/^\w+\./, ''));
}
