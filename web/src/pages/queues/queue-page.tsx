/** One queue: its jobs by phase, what it did in a range of time, and how that went. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, useCallback } from 'react';
import { mustDurationMs } from '../../../../src/protocol/duration.ts';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import { queueObjectId } from '../../../../src/protocol/names/metric-names.ts';
import { useNarrow } from '../../browser/narrow.ts';
import { LONG_STEP_MINUTES, longBefore } from '../../lists/counted.ts';
import { longListOf } from '../../lists/list-links.ts';
import { useNowMs } from '../../parts/clock.ts';
import { capitalized, countText, moneyText, tenthsText } from '../../parts/format.ts';
import { JobRows } from '../../parts/job-rows.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useSettled } from '../../parts/settled.ts';
import { Answered, Empty, isAsking } from '../../parts/states.tsx';
import type { JobRow } from '../../queries/jobs.ts';
import { type QueueJobs, queueJobsQuery } from '../../queries/queue-jobs.ts';
import { useSaveInterval } from '../../queries/save-interval.ts';
import { configQuery } from '../../queries/server.ts';
import { labelOf, type Range, type RangeName, rangeOf, searchOf, whenText } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import { CountedAt } from '../counted-at.tsx';
import { type PhaseCounts, usePhaseCounts } from '../phase-counts.ts';
import { PhasePills } from '../phase-pills.tsx';
import '../../styles/overview.css';
import { isNothing, ofQueue, type RangeSummary, rangeSummaryQuery } from '../overview/range-queries.ts';
import { FailedCount, Figure } from '../overview/strip.tsx';
import { costUsd, savedUsd, sumsOf } from '../overview/totals.ts';
import { Trends } from '../overview/trends.tsx';
import { lateFirst, longSteps, unsavedOf } from './unsaved.ts';

const RANGE_DEFAULT: RangeName = '24h';

export function QueuePage(): ReactNode {
  const { name, ...search } = useSearch({ from: '/queue' });
  const range = rangeOf(search, RANGE_DEFAULT);
  const navigate = useNavigate({ from: '/queue' });
  const query = useQuery(rangeSummaryQuery(range));
  const phases = usePhaseCounts({ queue: name });
  const counts = phases.query;
  const jobs = useQuery(queueJobsQuery(name));
  const isCounted = useSettled(isAsking(counts));
  const isListed = useSettled(isAsking(counts) || isAsking(jobs));
  const isSummed = useSettled(isAsking(counts) || isAsking(jobs) || isAsking(query));
  const isUnknown = counts.data?.total === 0 && query.data !== undefined && isNothing(ofQueue(query.data, name));
  const onRange = useCallback(
    (next: Range) => void navigate({ search: { name, ...searchOf(next) } }),
    [navigate, name],
  );
  const head = <Head name={name} range={range} onRange={onRange} />;
  if (isUnknown)
    return (
      <>
        {head}
        <UnknownQueue range={range} />
      </>
    );
  return (
    <>
      {head}
      {/* The list of jobs, below, says that it waits for the server. */}
      {counts.data === undefined && counts.isPaused ? null : (
        <Answered query={counts} what="the jobs of the queue">
          {({ total }) =>
            total === 0 ? (
              <Empty title="This queue has no jobs now">
                <p>Figures of jobs that it had stand below.</p>
              </Empty>
            ) : (
              <>
                <h2 className="strip-title">Now</h2>
                <PhasePills
                  counts={phases}
                  chosen={undefined}
                  searchOf={({ phase, status }) => ({ queue: name, phase: phase || undefined, status })}
                />
              </>
            )
          }
        </Answered>
      )}
      {/* What is below an answer comes after it: it would be pushed down. */}
      {counts.data?.total === 0 || !isCounted ? null : <FirstJobs queue={name} query={jobs} counts={phases} />}
      {isListed ? (
        <Answered query={query} what="figures">
          {(all) => {
            const figures = ofQueue(all, name);
            return (
              <>
                <CountedAt queries={[query]} />
                <div className={query.isPlaceholderData ? 'stale' : undefined} aria-busy={query.isPlaceholderData}>
                  <Figures queue={name} figures={figures} range={range} />
                </div>
                <Trends object={queueObjectId(name)} range={range} figures={figures} queue={name} onRange={onRange} />
              </>
            );
          }}
        </Answered>
      ) : null}
      {isSummed ? <Interval /> : null}
    </>
  );
}

function Head(props: { name: string; range: Range; onRange: (range: Range) => void }): ReactNode {
  const { name, range, onRange } = props;
  const all = (
    <Link to="/queues" search={searchOf(range)}>
      All queues
    </Link>
  );
  return (
    <PageHead title={`Queue ${name}`} trail={all}>
      <RangePicker value={range} onChange={onRange} />
    </PageHead>
  );
}

function UnknownQueue({ range }: { range: Range }): ReactNode {
  return (
    <Empty title={`No job is in a queue of this name, and none was ${whenText(range)}`}>
      <p>
        <Link to="/queues">See all queues</Link>
      </p>
    </Empty>
  );
}

/** What one may look for here: the interval is of all queues. */
function Interval(): ReactNode {
  const { data } = useQuery(configQuery);
  if (!data) return null;
  const { ckptMode, ckptInterval } = data.ckpt;
  return (
    <p className="muted small">
      {ckptMode === 'iterative'
        ? `Running jobs are saved every ${spanText(mustDurationMs(ckptInterval) / 1_000)}, in this queue as in all others.`
        : 'Running jobs are not saved by themselves, in this queue as in all others.'}{' '}
      <Link to="/settings" search={{ tab: 'ckpt' }}>
        Checkpoint settings
      </Link>
    </p>
  );
}

/** What the queue did stands below them; on a phone a card takes as much as three rows. */
const JOBS_SHOWN = { wide: 6, narrow: 5 };

interface FirstJobsProps {
  readonly queue: string;
  readonly query: UseQueryResult<QueueJobs>;
  readonly counts: PhaseCounts;
}

function FirstJobs({ queue, query, counts }: FirstJobsProps): ReactNode {
  const intervalSeconds = useSaveInterval();
  const most = JOBS_SHOWN[useNarrow() ? 'narrow' : 'wide'];
  const shownOf = (rows: readonly JobRow[]): readonly JobRow[] => lateFirst(rows, intervalSeconds).slice(0, most);
  return (
    <section className="panel" aria-labelledby="first-jobs">
      <h2 id="first-jobs">
        Jobs <span className="muted">in trouble first, then the most unsaved work</span>
      </h2>
      <Answered query={query} what="jobs">
        {({ rows, hasMore, hasMoreOpen }) =>
          rows.length === 0 ? (
            <Empty title="No jobs" />
          ) : (
            <>
              <AtStake queue={queue} rows={rows} isPart={hasMoreOpen} />
              <JobRows jobs={shownOf(rows)} isOf="queue" />
              {hasMore || rows.length > most ? (
                <p className="muted small">
                  <FailedMore queue={queue} shown={shownOf(rows)} all={counts.of('failed')} />
                  <Link to="/jobs" search={{ queue }}>
                    Show all {counts.total === undefined ? '' : `${countText(counts.total)} `}jobs of the queue
                  </Link>
                </p>
              ) : null}
            </>
          )
        }
      </Answered>
    </section>
  );
}

interface AtStakeProps {
  readonly queue: string;
  readonly rows: readonly JobRow[];
  /** Whether there are more jobs than were read. */
  readonly isPart: boolean;
}

/** What all its jobs would lose, and the lists of those that are late to be saved, or to start or be restored. */
function AtStake({ queue, rows, isPart }: AtStakeProps): ReactNode {
  const { seconds, jobs, most, overdue, neverSaved, neverSavedLate } = unsavedOf(rows, useSaveInterval());
  const before = longBefore(useNowMs(60_000));
  const long = longSteps(rows, before);
  const unsaved = { queue, phase: 'running', sort: '-unsaved' } as const;
  const lists = [
    { count: overdue, what: 'overdue', tone: 'warn', search: { ...unsaved, saved: 'late' } },
    {
      count: neverSaved,
      what: 'never saved',
      tone: neverSavedLate > 0 ? 'bad' : 'ink',
      search: { ...unsaved, saved: 'never' },
    },
    ...(['starting', 'restoring'] as const).map((phase) => ({
      count: long[phase],
      what: `${phase} for more than ${LONG_STEP_MINUTES} m`,
      tone: 'warn',
      search: { queue, ...longListOf(phase, before) },
    })),
  ] as const;
  const shown = lists.filter(({ count }) => count > 0);
  if (jobs === 0 && shown.length === 0) return null;
  const least = isPart ? '≥ ' : '';
  return (
    <p className="queue-at-stake">
      {jobs === 0 ? null : (
        <>
          {least}
          {spanText(seconds)} unsaved in {countText(jobs)} {jobs === 1 ? 'job' : 'jobs'}
          {most === undefined || jobs === 1 ? null : (
            <>
              , most in{' '}
              <Link to="/job" search={{ id: most.id }}>
                {most.id}
              </Link>{' '}
              ({spanText(most.seconds)})
            </>
          )}
        </>
      )}
      {shown.map(({ count, what, tone, search }, i) => (
        <Fragment key={what}>
          {i > 0 || jobs > 0 ? ' · ' : null}
          <Link to="/jobs" search={search} className={tone}>
            {least}
            {countText(count)} {what}
          </Link>
        </Fragment>
      ))}
    </p>
  );
}

interface FailedMoreProps {
  readonly queue: string;
  readonly shown: readonly JobRow[];
  /** Undefined while that is asked for. */
  readonly all: number | undefined;
}

/** With all of the failed ones, those that run would have no room. */
function FailedMore({ queue, shown, all = 0 }: FailedMoreProps): ReactNode {
  const failed = shown.filter(({ phase }) => phase === 'failed').length;
  return failed >= all ? null : (
    <>
      {failed === 0 ? '' : `${countText(failed)} of `}
      <Link to="/jobs" search={{ queue, phase: 'failed' }}>
        {countText(all)} failed {all === 1 ? 'job' : 'jobs'}
      </Link>
      {' · '}
    </>
  );
}

interface FiguresProps {
  readonly queue: string;
  readonly figures: RangeSummary;
  readonly range: Range;
}

function Figures({ queue, figures: { summary }, range }: FiguresProps): ReactNode {
  const usd = (value: number | undefined): string => (value === undefined ? 'Unknown' : moneyText(value));
  const sumOf = sumsOf(summary);
  const good = sumOf('restoreSuccess');
  const ended = good + sumOf('restoreFailure');
  const saved = sumOf('timeSaved');
  return (
    <>
      <h2 className="strip-title">{capitalized(whenText(range))}</h2>
      <dl className="strip" aria-label={`Figures of ${labelOf(range)}`}>
        <Figure label="Jobs submitted" value={countText(sumOf('jobSubmitted'))} />
        <Figure label="Jobs failed" value={<FailedCount range={range} queue={queue} />} />
        <Figure
          label="Restores"
          value={ended === 0 ? 'None' : `${countText(good)} of ${countText(ended)}`}
          note={saved > 0 ? `${spanText(saved)} not repeated` : undefined}
        />
        <Figure label="Core-hours" value={tenthsText(sumOf('coreTime') / 3600)} />
        <Figure label="Cost" value={usd(costUsd(sumOf))} />
        <Figure label="Saved" value={usd(savedUsd(sumOf))} />
      </dl>
    </>
  );
}
