/** The jobs that a node that is gone has left behind: what is to be done about it, before anything else on its page. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { nodeJobsQuery } from '../../api/queries.ts';
import { countText, spanText } from '../../parts/format.ts';

/** Jobs that are named. */
const NAMED = 3;

export function StrandedHere({ node: { id, state } }: { node: WorkerNode }): ReactNode {
  // The page's own list of its jobs.
  const { data } = useQuery(nodeJobsQuery(id));
  const jobs = (data?.rows ?? []).filter(({ phase }) => phase === 'stranded');
  if (jobs.length === 0 || (state !== 'lost' && state !== 'deregistered')) return null;
  const unsaved = jobs.reduce((sum, { workAtRisk }) => sum + (workAtRisk ?? 0), 0);
  const isOne = jobs.length === 1;
  const named = jobs.slice(0, NAMED);
  const others = jobs.length - named.length;
  return (
    <ul className="findings" aria-label="Stranded jobs">
      <li className="finding finding-bad">
        {countText(jobs.length)} {isOne ? 'job is' : 'jobs are'} stranded here with {spanText(unsaved)} of unsaved work:{' '}
        {named.map(({ id: job }, i) => (
          <Fragment key={job}>
            {i === 0 ? '' : ', '}
            <Link to="/job" search={{ id: job }}>
              {job}
            </Link>
          </Fragment>
        ))}
        {others > 0 ? (
          <>
            {' '}
            and{' '}
            <Link to="/jobs" search={{ node: id, phase: 'stranded' }}>
              {countText(others)} more
            </Link>
          </>
        ) : null}
        .
        <span className="finding-remedy">
          Run {isOne ? 'it' : 'each'} again with its own command on another node: it goes on from its last checkpoint.
        </span>
      </li>
    </ul>
  );
}
