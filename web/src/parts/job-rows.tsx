/** A few jobs within a page of something else. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LongId } from '../names/long-id.tsx';
import type { JobRow } from '../queries/jobs.ts';
import { Badge, jobState } from './badge.tsx';
import { lastEventText, spanText, unbroken } from './format.ts';
import { StackTable } from './stack-table.tsx';
import { Age } from './time.tsx';

export function JobRows({ jobs, withQueue }: { jobs: readonly JobRow[]; withQueue: boolean }): ReactNode {
  return (
    <StackTable label="Jobs" className="job-rows">
      <thead>
        <tr>
          <th scope="col">Job</th>
          {withQueue ? (
            <th scope="col" className="left">
              Queue
            </th>
          ) : null}
          <th scope="col" className="left job-rows-phase">
            Phase
          </th>
          <th scope="col" className="job-rows-unsaved">
            Unsaved
          </th>
          <th scope="col" className="job-rows-last">
            Last event
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map(({ id, queueName, phase, status, updatedAt, workAtRisk }) => (
          <tr key={id}>
            <th scope="row">
              <Link to="/job" search={{ id }} title={id}>
                <LongId id={id} />
              </Link>
            </th>
            {withQueue ? (
              <td className="left job-rows-queue" data-label="Queue" title={queueName}>
                <LongId id={queueName} />
              </td>
            ) : null}
            <td className="left" data-label="Phase">
              <Badge state={jobState({ phase, status })} />
            </td>
            <td data-label="Unsaved">
              {workAtRisk === null ? <span className="muted">–</span> : unbroken(spanText(workAtRisk))}
            </td>
            <td data-label="Last event">
              {lastEventText(status)} <Age of={updatedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </StackTable>
  );
}
