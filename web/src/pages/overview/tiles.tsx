/** The three figures that matter most, large: what may be lost before what was saved. */
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SYSTEM_TOTAL } from '../../../../src/protocol/names/metric-names.ts';
import { valuesOf } from '../../api/metrics-text.ts';
import { RESTORE_FAILED } from '../../lists/counted.ts';
import { LongId } from '../../names/long-id.tsx';
import { countText, moneyText, spanText } from '../../parts/format.ts';
import { type Asked, Missing, missingText } from '../../parts/states.tsx';
import { jobCountQuery, liveStatusesQuery, runningJobsQuery } from '../../queries/jobs.ts';
import { metricsTextQuery } from '../../queries/metrics.ts';
import { beforeText, type Range, searchOf, whenText } from '../../range/range.ts';
import { useStranded } from './attention/use-attention.ts';
import { Change } from './change.tsx';
import type { RangeSummary } from './range-queries.ts';
import { savedUsd, sumsOf, totalOf } from './totals.ts';

interface TilesProps {
  readonly query: Asked<RangeSummary>;
  readonly range: Range;
}

export function Tiles({ query, range }: TilesProps): ReactNode {
  return (
    <section className="tiles" aria-label="Main figures">
      <Unsaved />
      <Running />
      <Saved query={query} range={range} />
    </section>
  );
}

/** What was saved, by what saved it. */
const SAVINGS = ['onDemandSavings', 'spotSavings'].map((name) => `${SYSTEM_TOTAL}/metricDef-${name}`).join(',');

/** What the figure is, and the figure itself: both lead to what it is made of. */
function Head({ label, to, children }: { label: string; to: LinkProps; children: ReactNode }): ReactNode {
  return (
    <Link {...to} className="tile-head">
      <span className="tile-label">
        {label} <span aria-hidden="true">→</span>
      </span>{' '}
      <span className="tile-value">{children}</span>
    </Link>
  );
}

function Saved({ query, range }: TilesProps): ReactNode {
  const { data } = query;
  return (
    <div className="tile">
      <Head label={`Saved ${whenText(range)}`} to={{ to: '/explore', search: { series: SAVINGS, ...searchOf(range) } }}>
        {data ? <SavedFigure figures={data} period={beforeText(range)} /> : <Missing query={query} />}
      </Head>
      <div className="tile-note">{data ? savedNote(data) : 'By spot prices and by restores'}</div>
    </div>
  );
}

function SavedFigure(props: { figures: RangeSummary; period: string }): ReactNode {
  const {
    figures: { summary, before },
    period,
  } = props;
  const usd = savedUsd(sumsOf(summary));
  const seconds = totalOf(summary, 'timeSaved');
  return (
    <>
      {usd === undefined ? spanText(seconds) : moneyText(usd)}{' '}
      <Change
        now={usd === undefined ? seconds : usd}
        before={usd === undefined ? totalOf(before, 'timeSaved') : (savedUsd(sumsOf(before)) ?? 0)}
        format={usd === undefined ? spanText : moneyText}
        period={period}
      />
    </>
  );
}

function savedNote({ summary }: RangeSummary): string {
  const usd = savedUsd(sumsOf(summary));
  if (usd === undefined) return 'of work not repeated. Nodes that report their price show money here.';
  const [bySpot, byRestore] = ['onDemandSavings', 'spotSavings'].map((name) => moneyText(totalOf(summary, name), usd));
  return `${bySpot} by spot prices · ${byRestore} by restores`;
}

function Running(): ReactNode {
  const query = useQuery(jobCountQuery({}));
  const { data } = query;
  // Of those the attention list asks, too.
  const liveQuery = useQuery(liveStatusesQuery);
  const live = liveQuery.data;
  const count = (phase: string): string => (data ? countText(data.counts[phase] ?? 0) : missingText(query));
  const both = data?.counts['restoring'];
  const restoring = !both || !live ? both : Math.max(0, both - (live.counts[RESTORE_FAILED] ?? 0));
  return (
    <div className="tile">
      <Head label="Jobs running now" to={{ to: '/jobs', search: { phase: 'running' } }}>
        {data ? count('running') : <Missing query={query} />}
      </Head>
      <div className="tile-note">
        <Link to="/jobs" search={{ phase: 'starting' }}>
          {count('starting')} starting
        </Link>
        {' · '}
        <Link to="/jobs" search={{ phase: 'restoring' }}>
          {both && !live ? missingText(liveQuery) : restoring === undefined ? count('restoring') : countText(restoring)}{' '}
          restoring
        </Link>
        {' · '}
        <Link to="/jobs">{data ? countText(data.total) : missingText(query)} in total</Link>
      </div>
    </div>
  );
}

function Unsaved(): ReactNode {
  const query = useQuery(metricsTextQuery);
  const { data } = query;
  const seconds = valuesOf(data ?? '', 'cairn_unsaved_work_seconds').reduce((sum, value) => sum + value, 0);
  return (
    <div className="tile">
      <Head label="Unsaved work now" to={{ to: '/jobs', search: { sort: '-unsaved' } }}>
        {data === undefined ? <Missing query={query} /> : spanText(seconds)}
      </Head>
      <div className="tile-note">
        <MostUnsaved />
      </div>
    </div>
  );
}

/**
 * The job that would lose most, as the list below has it. What stranded jobs lose is in the sum, and told apart: one of them may
 * lose more than any job that runs.
 */
function MostUnsaved(): ReactNode {
  const { data } = useQuery(runningJobsQuery);
  const { seconds } = useStranded();
  const [most] = data?.rows ?? [];
  const stranded = seconds ? (
    <Link to="/jobs" search={{ phase: 'stranded' }}>
      {spanText(seconds)} of it stranded
    </Link>
  ) : null;
  // The line keeps its place.
  if (data === undefined) return '\u00a0';
  if (most === undefined) return stranded ?? 'Run time that would be lost if every node went now';
  // They would begin again.
  const never = data.rows.filter(({ isNeverSaved }) => isNeverSaved).length;
  return (
    <>
      {stranded}
      {stranded && never > 0 ? ' · ' : null}
      {never === 0 ? null : (
        <Link to="/jobs" search={{ phase: 'running', sort: '-unsaved', saved: 'never' }}>
          {countText(never)} {never === 1 ? 'job' : 'jobs'} never saved
        </Link>
      )}
      <span className="tile-most">
        {stranded ? 'Most of a running job: ' : 'Most: '}
        {spanText(most.unsavedSeconds)} of{' '}
        <Link to="/job" search={{ id: most.id }} title={most.id}>
          <LongId id={most.id} />
        </Link>
      </span>
    </>
  );
}
