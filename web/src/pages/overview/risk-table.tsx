/** The running jobs that would lose most if their nodes went now. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type RunningJob, riskTone } from '../../lists/risk-tone.ts';
import { LongId } from '../../names/long-id.tsx';
import { countText, spanText } from '../../parts/format.ts';
import { Answered, Empty } from '../../parts/states.tsx';
import { runningJobsQuery, SORTED_ROWS_MAX } from '../../queries/jobs.ts';
import { useSaveInterval } from '../../queries/save-interval.ts';
import { useRowsShown } from './rows-shown.ts';

export function RiskTable(): ReactNode {
  const query = useQuery(runningJobsQuery);
  const intervalSeconds = useSaveInterval();
  const shown = useRowsShown();
  return (
    <section className="panel" aria-labelledby="risk">
      <div className="panel-head">
        <h2 id="risk">
          Unsaved work{' '}
          <span className="muted">
            {query.data?.hasMore
              ? `of the ${countText(SORTED_ROWS_MAX)} running jobs that were created first`
              : 'of running jobs, most first'}
          </span>
        </h2>
        <Link to="/jobs" search={{ phase: 'running', sort: '-unsaved' }} className="small">
          Show all
        </Link>
      </div>
      <Answered query={query} what="running jobs">
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title="No job is running" />
          ) : (
            <ul className="rows">
              {rows.slice(0, shown).map((job) => (
                <RiskRow key={job.id} job={job} tone={riskTone(job, intervalSeconds)} />
              ))}
            </ul>
          )
        }
      </Answered>
    </section>
  );
}

function RiskRow(props: { job: RunningJob; tone: string }): ReactNode {
  const {
    job: { id, queueName, unsavedSeconds, isNeverSaved },
    tone,
  } = props;
  return (
    <li>
      <Link to="/job" search={{ id }} title={id}>
        <LongId id={id} />
      </Link>
      <span className="muted">{queueName}</span>
      {isNeverSaved ? <span className={tone}>never saved</span> : null}
      <span className={`number ${tone}`}>{spanText(unsavedSeconds)}</span>
    </li>
  );
}
