/** The running jobs that would lose most if their nodes went now. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runningJobsQuery } from '../../api/queries.ts';
import { useNowMs } from '../../parts/clock.ts';
import { spanText } from '../../parts/format.ts';
import { Answered, Empty } from '../../parts/states.tsx';
import { workAtRiskSeconds } from './work-at-risk.ts';

const ROWS = 6;

export function RiskTable(): ReactNode {
  const query = useQuery(runningJobsQuery);
  const nowMs = useNowMs();
  return (
    <section className="panel" aria-labelledby="risk">
      <h2 id="risk">Work at risk</h2>
      <Answered query={query} what="running jobs">
        {(jobs) => {
          const rows = jobs
            .map(({ id, queueName, events }) => ({ id, queueName, seconds: workAtRiskSeconds(events, nowMs) }))
            .sort((a, b) => b.seconds - a.seconds)
            .slice(0, ROWS);
          return rows.length === 0 ? (
            <Empty title="No job is running" />
          ) : (
            <ul className="rows">
              {rows.map(({ id, queueName, seconds }) => (
                <li key={id}>
                  <Link to="/job" search={{ id }}>
                    {id}
                  </Link>
                  <span className="muted">{queueName}</span>
                  <span className="number">{spanText(seconds)}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Answered>
      <p className="muted small">Run time since the last good checkpoint, of the oldest running jobs.</p>
    </section>
  );
}
