/** The other figures of the range, in one line. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Summary } from '../../../../src/protocol/metric.ts';
import { SYSTEM_TOTAL } from '../../../../src/protocol/names/metric-names.ts';
import { failedListOf, lostListOf } from '../../lists/list-links.ts';
import { countText, decimalText, moneyText, percentText } from '../../parts/format.ts';
import { type Asked, Missing } from '../../parts/states.tsx';
import { runningNodesQuery } from '../../queries/nodes.ts';
import { lateNodesQuery, lostNodesQuery } from '../../queries/troubles.ts';
import { beforeText, type Range, searchOf } from '../../range/range.ts';
import { lateSeverity } from './attention/attention.ts';
import { Change } from './change.tsx';
import { failedOf, type RangeSummary, rangeFailedQuery } from './range-queries.ts';
import { costUsd, sumsOf, totalOf } from './totals.ts';

export function Strip({ query, range }: { query: Asked<RangeSummary>; range: Range }): ReactNode {
  const { data } = query;
  return (
    <dl className="strip">
      <Nodes />
      <FailedJobs submitted={data && totalOf(data.summary, 'jobSubmitted')} range={range} />
      {data ? (
        <Sums summary={data.summary} range={range} />
      ) : (
        SUMS.map((label) => <Figure key={label} label={label} value={<Missing query={query} />} />)
      )}
    </dl>
  );
}

const SUMS = ['Core-hours', 'Cost', 'Checkpoints', 'Restores'] as const;

/** As many as there are names of them, in their order. */
function Sums({ summary, range }: SumsProps): ReactNode {
  const cost = costUsd(sumsOf(summary));
  const coreHours = decimalText(totalOf(summary, 'coreTime') / 3600);
  return (
    <>
      <Figure label="Core-hours" value={<OverTime of={['coreTime']} range={range} text={coreHours} />} note={ENDED} />
      <Figure
        label="Cost"
        value={cost === undefined ? 'Unknown' : <OverTime of={['jobCost']} range={range} text={moneyText(cost)} />}
        note={cost === undefined ? 'no node reports its price' : ENDED}
      />
      <Outcomes label="Checkpoints" kind="checkpoint" summary={summary} range={range} />
      <Outcomes label="Restores" kind="restore" summary={summary} range={range} />
    </>
  );
}

const ENDED = 'of jobs that ended';

interface SumsProps {
  readonly summary: Summary;
  readonly range: Range;
}

/** A figure that leads to how it came about. */
function OverTime(props: { of: readonly string[]; range: Range; text: string }): ReactNode {
  const series = props.of.map((name) => `${SYSTEM_TOTAL}/metricDef-${name}`).join(',');
  return (
    <Link to="/explore" search={{ series, ...searchOf(props.range) }} className="ink">
      {props.text}
    </Link>
  );
}

export function Figure(props: { label: string; value: ReactNode; note?: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>
        <span className="strip-value">{props.value}</span> <span className="strip-note muted small">{props.note}</span>
      </dd>
    </div>
  );
}

function Nodes(): ReactNode {
  const query = useQuery(runningNodesQuery);
  const { data: running } = query;
  const late = useQuery(lateNodesQuery).data?.length ?? 0;
  const { data: gone } = useQuery(lostNodesQuery);
  const lost = gone?.nodes.length ?? 0;
  const note = (
    <>
      {late > 0 ? (
        <Link
          to="/nodes"
          search={{ state: 'late' }}
          className={lateSeverity(late, running ?? 0) === 'critical' ? 'bad' : 'warn'}
        >
          {countText(late)} late
        </Link>
      ) : null}
      {late > 0 && lost > 0 ? ' · ' : null}
      {gone !== undefined && lost > 0 ? (
        <Link to="/nodes" search={lostListOf(gone)} className="warn">
          {countText(lost)} lost in 1&nbsp;h
        </Link>
      ) : null}
      {late + lost === 0 && running !== undefined && running > 0 ? 'all on time' : null}
    </>
  );
  return (
    <Figure
      label="Nodes in service now"
      value={
        running === undefined ? (
          <Missing query={query} />
        ) : (
          <Link to="/nodes" className="ink">
            {countText(running)}
          </Link>
        )
      }
      note={note}
    />
  );
}

/** Jobs that failed in the range, of one queue or of all. Counted among the jobs that the server has: no series tells it. */
export function FailedCount({ range, queue }: { range: Range; queue?: string }): ReactNode {
  const query = useQuery(rangeFailedQuery(range));
  const { data } = query;
  if (data === undefined) return <Missing query={query} />;
  const failed = failedOf(data.now, queue);
  return failed === 0 ? (
    'None'
  ) : (
    <Link to="/jobs" search={failedListOf(data.within, queue)} className="bad">
      {countText(failed)}
    </Link>
  );
}

function FailedJobs({ submitted, range }: { submitted: number | undefined; range: Range }): ReactNode {
  const { data } = useQuery(rangeFailedQuery(range));
  const failed = data?.now.total;
  const ended = data?.ended.total ?? 0;
  const ofEnded = failed && ended > 0 ? `${percentText(failed, ended)} of ${countText(ended)} ended` : '';
  return (
    <Figure
      label="Jobs failed"
      value={
        <>
          <FailedCount range={range} />{' '}
          {data === undefined || failed === undefined ? null : (
            <Change now={failed} before={data.before} format={countText} period={beforeText(range)} isQuiet />
          )}
        </>
      }
      note={ofEnded || (submitted === undefined ? null : `${countText(submitted)} submitted`)}
    />
  );
}

/** The share is of those that ended, and so are the two numbers beside it. */
function Outcomes(props: SumsProps & { label: string; kind: 'checkpoint' | 'restore' }): ReactNode {
  const { label, kind, summary, range } = props;
  const successes = totalOf(summary, `${kind}Success`);
  const ended = successes + totalOf(summary, `${kind}Failure`);
  return (
    <Figure
      label={label}
      value={
        ended === 0 ? (
          'None'
        ) : (
          <OverTime of={[`${kind}Success`, `${kind}Failure`]} range={range} text={percentText(successes, ended)} />
        )
      }
      note={ended === 0 ? 'ended in this range' : `${countText(successes)} of ${countText(ended)}`}
    />
  );
}
