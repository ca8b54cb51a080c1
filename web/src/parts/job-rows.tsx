/** A few jobs, one line each, within a page of something else. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { spanText } from '../../../src/protocol/explain/span.ts';
import type { JobRow } from '../api/queries.ts';
import { LongId } from '../names/long-id.tsx';
import { Badge } from './badge.tsx';
import { Age } from './time.tsx';

export function JobRows({ jobs, withQueue }: { jobs: readonly JobRow[]; withQueue: boolean }): ReactNode {
  return (
    <ul className="rows">
      {jobs.map(({ id, queueName, phase, updatedAt, workAtRisk }) => (
        <li key={id}>
          <Link to="/job" search={{ id }} title={id}>
            <LongId id={id} />
          </Link>
          {withQueue ? <span className="muted">{queueName}</span> : null}
          {workAtRisk === null ? null : <span className="muted">{spanText(workAtRisk)} unsaved</span>}
          <Badge state={phase} />
          <Age of={updatedAt} />
        </li>
      ))}
    </ul>
  );
}
