/** The running jobs that would lose most if their nodes went now. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import type { Job } from '../../../../src/protocol/job.ts';
import { workAtRiskSeconds } from '../../../../src/protocol/run-segments.ts';
import { epochNsOfMs } from '../../../../src/protocol/timestamp.ts';
import { runningJobsQuery } from '../../api/queries.ts';
import { LongId } from '../../names/long-id.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { Answered, Empty } from '../../parts/states.tsx';
import { timedEvents } from '../../parts/timed-events.ts';

const ROWS = 8;

export function RiskTable(): ReactNode {
  const query = useQuery(runningJobsQuery);
  // Spans of minutes and hours need no second's precision.
  const tenSecondsMs = useNowMs(10_000);
  const { data } = query;
  const rows = useMemo(() => riskRows(data ?? [], tenSecondsMs), [data, tenSecondsMs]);
  return (
    <section className="panel" aria-labelledby="risk">
      <h2 id="risk">Unsaved work</h2>
      <Answered query={query} what="running jobs">
        {() =>
          rows.length === 0 ? (
            <Empty title="No job is running" />
          ) : (
            <ul className="rows">
              {rows.map(({ id, queueName, seconds }) => (
                <li key={id}>
                  <Link to="/job" search={{ id }} title={id}>
                    <LongId id={id} />
                  </Link>
                  <span className="muted">{queueName}</span>
                  <span className="bar" aria-hidden="true">
                    <span className="bar-part" style={{ width: `${(100 * seconds) / (rows[0]?.seconds || 1)}%` }} />
                  </span>
                  <span className="number">{spanText(seconds)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
      <p className="muted small">
        Run time since the last good checkpoint, among the jobs that have run longest.{' '}
        <Link to="/jobs" search={{ phase: 'running', sort: '-unsaved' }}>
          Show all running jobs, the most unsaved first
        </Link>
      </p>
    </section>
  );
}

export interface Risk {
  readonly id: string;
  readonly queueName: string;
  readonly seconds: number;
}

/** The most unsaved first. */
export function riskRows(jobs: readonly Pick<Job, 'id' | 'queueName' | 'events'>[], nowMs: number): Risk[] {
  const now = epochNsOfMs(nowMs);
  return jobs
    .map(({ id, queueName, events }) => ({ id, queueName, seconds: workAtRiskSeconds(timedEvents(events), now) }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, ROWS);
}
