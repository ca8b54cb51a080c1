/** Everything at a glance: what needs attention, what was saved, what is at risk, what changed. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { SYSTEM_TOTAL } from '../../../../src/protocol/names/metric-names.ts';
import { isReturn } from '../../browser/moves.ts';
import { useNarrow } from '../../browser/narrow.ts';
import { fetchedAhead } from '../../chunks/fetch-ahead.ts';
import { useFetched } from '../../chunks/use-fetched.ts';
import { Checklist } from '../../onboarding/checklist.tsx';
import { useProgress } from '../../onboarding/progress.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Failure, isAsking, Waiting } from '../../parts/states.tsx';
import { jobCountQuery } from '../../queries/jobs.ts';
import { runningNodesQuery } from '../../queries/nodes.ts';
import { lostNodesQuery } from '../../queries/troubles.ts';
import { labelOf, type Range, rangeOf, searchOf, whenText } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import '../../styles/overview.css';
import { CountedAt } from '../counted-at.tsx';
import { AttentionList } from './attention/attention-list.tsx';
import { useAttentionReady } from './attention/use-attention.ts';
import { RANGE_DEFAULT } from './range-default.ts';
import { isNothing, type RangeSummary, rangeSummaryQuery } from './range-queries.ts';
import { RecentChanges } from './recent-changes.tsx';
import { RiskTable } from './risk-table.tsx';
import { Strip } from './strip.tsx';
import { Tiles } from './tiles.tsx';
import { Trends } from './trends.tsx';

/** Far down the page: it does not hold up what is above it. */
const loadQueueTable = fetchedAhead(async () => (await import('./queue-table.tsx')).QueueTable);

export function OverviewPage(): ReactNode {
  const range = rangeOf(useSearch({ from: '/' }), RANGE_DEFAULT);
  const navigate = useNavigate({ from: '/' });
  const query = useQuery(rangeSummaryQuery(range));
  const { data: figures } = query;
  const when = whenText(range);
  const progress = useProgress();
  const attention = useAttentionReady(isAsking(query) || progress === undefined);
  const { isSettled } = attention;
  const { isUnused, isInDoubt } = useUse(query);
  // Little of it is known then, as what other pages had asked for: half a list would be taken for the whole.
  const isUnread = attention.isUnread && figures === undefined && query.fetchStatus === 'paused';
  const isPainted = usePainted(isSettled);
  const QueueTable = useFetched(loadQueueTable);
  const lists = (
    <div className="pair">
      <RiskTable />
      <RecentChanges />
    </div>
  );
  const onRange = useCallback((next: Range) => void navigate({ search: searchOf(next) }), [navigate]);
  const trends = <Trends object={SYSTEM_TOTAL} range={range} figures={figures} onRange={onRange} />;
  // Where the charts stand in one row, how it went is in the first screen; else what may be lost comes before it.
  const isNarrow = useNarrow();
  if (isUnread)
    return (
      <>
        <PageHead title="Overview" />
        <Waiting what="the overview" />
      </>
    );
  return (
    <>
      <PageHead title="Overview">
        {isUnused || isInDoubt ? null : <RangePicker value={range} onChange={onRange} />}
      </PageHead>
      <Counted />
      {/* At once, not row by row: each would push down what is below. */}
      {isSettled && !isUnused && !isInDoubt ? <AttentionList /> : null}
      {isSettled && !isInDoubt ? <Checklist /> : null}
      {isSettled && isUnused ? <LookAround /> : null}
      {isSettled && !isUnused && !isInDoubt ? (
        <>
          {figures || !query.error ? null : (
            <Failure
              error={query.error}
              what={`the figures of ${labelOf(range)}`}
              isSlim
              retry={() => void query.refetch()}
            />
          )}
          {/* What is known without the sums stays on the page. */}
          <Figures query={query} range={range} />
          {isPainted ? (
            <>
              {isNarrow ? lists : trends}
              {isNarrow ? trends : lists}
              {QueueTable ? <QueueTable sums={query} when={when} range={range} /> : null}
            </>
          ) : null}
        </>
      ) : null}
    </>
  );
}

function Figures({ query, range }: { query: UseQueryResult<RangeSummary>; range: Range }): ReactNode {
  const { isPlaceholderData } = query;
  return (
    <div className={isPlaceholderData ? 'panel figures stale' : 'panel figures'} aria-busy={isPlaceholderData}>
      <Tiles query={query} range={range} />
      <Strip query={query} range={range} />
    </div>
  );
}

/** What other pages had asked for is here without the rest where the server went before this page was opened. */
function Counted(): ReactNode {
  return <CountedAt queries={[useQuery(jobCountQuery({}))]} />;
}

/** On an empty server: what will be here, and how to see it at once. */
function LookAround(): ReactNode {
  return (
    <section className="panel" aria-labelledby="look-around">
      <h2 id="look-around">Look around first</h2>
      <p className="muted">
        With the first node and the first job, this page shows what is saved, what is unsaved and what it costs. To see
        it at once, play a simulated fleet for a minute. Use a server for trying out: its nodes and jobs stay in the
        lists.
      </p>
      <CommandLine line={`cairn fleet --server ${location.origin} --speed 600`} />
    </section>
  );
}

/**
 * Whether what stands first has been painted. What is below it takes as long to draw as all of the rest. One who returns is put where
 * he left the page, and finds it as long as it was.
 */
function usePainted(isDrawn: boolean): boolean {
  const [isPainted, setPainted] = useState(isReturn);
  useEffect(() => {
    if (!isDrawn || isPainted) return;
    // A frame is painted behind its callbacks.
    let timer = 0;
    const frame = requestAnimationFrame(() => {
      timer = window.setTimeout(() => setPainted(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      window.clearTimeout(timer);
    };
  }, [isDrawn, isPainted]);
  return isPainted;
}

/** Whether the server has done nothing yet: then some fifteen figures would all be 0. */
function useUse(query: UseQueryResult<RangeSummary>): { isUnused: boolean; isInDoubt: boolean } {
  const { data: figures } = query;
  const { data: jobs } = useQuery(jobCountQuery({}));
  const { data: nodes } = useQuery(runningNodesQuery);
  const { data: lost } = useQuery(lostNodesQuery);
  const isBare = jobs?.total === 0 && nodes === 0 && lost?.nodes.length === 0;
  return {
    isUnused: isBare && figures !== undefined && isNothing(figures),
    // The dashboard would be drawn, and taken away again.
    isInDoubt: isBare && isAsking(query),
  };
}
