/** A few jobs, one line each, within a page of something else. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { JobRow } from '../api/queries.ts';
import { LongId } from '../names/long-id.tsx';
import { Badge, jobState } from './badge.tsx';
import { spanText } from './format.ts';
import { Age } from './time.tsx';

export function JobRows({ jobs, withQueue }: { jobs: readonly JobRow[]; withQueue: boolean }): ReactNode {
  return (
    <ul className="rows">
      {jobs.map(({ id, queueName, phase, status, updatedAt, workAtRisk }) => (
        <li key={id}>
          <Link to="/job" search={{ id }} title={id}>
            <LongId id={id} />
          </Link>
          {withQueue ? <span className="muted">{queueName}</span> : null}
          {workAtRisk === null ? null : <span className="muted">{spanText(workAtRisk)} unsaved</span>}
          <Badge state={jobState({ phase, status })} />
          <Age of={updatedAt} />
        </li>
      ))}
    </ul>
  );
}
