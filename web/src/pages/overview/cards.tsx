/** The figures on top: what runs now, and what happened in the range. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import type { Summary } from '../../../../src/protocol/metric.ts';
import { jobCountQuery, lostSinceQuery, nodesQuery } from '../../api/queries.ts';
import { useNowMs } from '../../parts/clock.ts';
import { countText, decimalText, moneyText, percentText } from '../../parts/format.ts';
import { totalOf } from './totals.ts';

const MINUTE_MS = 60_000;

interface CardProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly note?: ReactNode;
  readonly tone?: 'warn';
}

export function Cards({ summary, rangeLabel }: { summary: Summary; rangeLabel: string }): ReactNode {
  return (
    <>
      <section className="cards cards-now" aria-label="Now">
        <NodesCard />
        <JobCards />
        <Card label="Jobs submitted" value={countText(totalOf(summary, 'jobSubmitted'))} note={`in ${rangeLabel}`} />
        <Card label="Core-hours" value={decimalText(totalOf(summary, 'coreTime') / 3600)} note="of jobs that ended" />
        <Card label="Cost" value={moneyText(totalOf(summary, 'jobCost'))} note="of jobs that ended" />
      </section>
      <section className="cards" aria-label="In the range">
        <Card
          label="Spot protections"
          value={countText(totalOf(summary, 'spotProtection'))}
          note="restores that succeeded"
        />
        <Outcomes label="Checkpoints" kind="checkpoint" summary={summary} />
        <Outcomes label="Restores" kind="restore" summary={summary} />
        <Card label="Saved by spot" value={moneyText(totalOf(summary, 'onDemandSavings'))} note="against on-demand" />
        <Card
          label="Saved by restore"
          value={moneyText(totalOf(summary, 'spotSavings'))}
          note="against running it again"
        />
        <Card
          label="Run time saved"
          value={spanText(totalOf(summary, 'timeSaved'))}
          note={`${decimalText(totalOf(summary, 'coreTimeSaved') / 3600)} core-hours`}
        />
      </section>
    </>
  );
}

function Card({ label, value, note, tone }: CardProps): ReactNode {
  return (
    <div className={tone ? `card card-${tone}` : 'card'}>
      <div className="card-label">{label}</div>
      <div className="card-value">{value ?? '…'}</div>
      <div className="card-note">{note}</div>
    </div>
  );
}

function NodesCard(): ReactNode {
  const { data } = useQuery(nodesQuery({}));
  const late = data?.rows.filter(({ state }) => state === 'late').length ?? 0;
  const value = data ? `${countText(data.rows.length)}${data.hasMore ? '+' : ''}` : undefined;
  const hourMs = 3_600_000;
  const { data: lost = 0 } = useQuery(lostSinceQuery(Math.floor(useNowMs() / MINUTE_MS) * MINUTE_MS - hourMs));
  const note = (
    <>
      {late > 0 ? (
        <Link to="/nodes" search={{ state: 'late' }}>
          {countText(late)} late
        </Link>
      ) : (
        'all on time'
      )}
      {lost > 0 ? (
        <>
          {' · '}
          <Link to="/nodes" search={{ state: 'lost', sort: '-lastHeartbeat' }}>
            {countText(lost)} lost in an hour
          </Link>
        </>
      ) : null}
    </>
  );
  return <Card label="Running nodes" value={value} note={note} {...(late + lost > 0 ? { tone: 'warn' } : {})} />;
}

function JobCards(): ReactNode {
  const { data } = useQuery(jobCountQuery({}));
  return (
    <>
      <Card
        label="Running jobs"
        value={data && countText(data.counts['running'] ?? 0)}
        note={
          <Link to="/jobs" search={{ phase: 'running' }}>
            Show running jobs
          </Link>
        }
      />
      <Card label="Total jobs" value={data && countText(data.total)} note={<Link to="/jobs">that are kept</Link>} />
    </>
  );
}

function Outcomes(props: { label: string; kind: 'checkpoint' | 'restore'; summary: Summary }): ReactNode {
  const { label, kind, summary } = props;
  const attempts = totalOf(summary, `${kind}Attempt`);
  const successes = totalOf(summary, `${kind}Success`);
  const failures = totalOf(summary, `${kind}Failure`);
  return (
    <div className="card card-wide">
      <div className="card-label">{label}</div>
      <div className="card-value">{percentText(successes, successes + failures)}</div>
      <dl className="card-parts">
        <div>
          <dt>of {countText(attempts)}</dt>
          <dd>{countText(successes)}</dd>
        </div>
        <div>
          <dt>failed</dt>
          <dd className={failures > 0 ? 'bad' : ''}>{countText(failures)}</dd>
        </div>
      </dl>
    </div>
  );
}
