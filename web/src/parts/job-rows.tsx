/** A few jobs within a page of something else. */
import type { ReactNode } from 'react';
import { JobName } from '../names/job-name.tsx';
import { ListLink } from '../names/list-link.tsx';
import { LongId } from '../names/long-id.tsx';
import type { JobRow } from '../queries/jobs.ts';
import { useSaveInterval } from '../queries/save-interval.ts';
import { Badge, jobState } from './badge.tsx';
import { LastEvent, UNSAVED_TITLE, Unsaved } from './job-facts.tsx';
import { StackTable } from './stack-table.tsx';

export function JobRows({ jobs, withQueue }: { jobs: readonly JobRow[]; withQueue: boolean }): ReactNode {
  const intervalSeconds = useSaveInterval();
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
          <th scope="col" className="left job-rows-last">
            Last event
          </th>
          <th scope="col" className="job-rows-unsaved" title={UNSAVED_TITLE}>
            Unsaved
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id}>
            <th scope="row">
              <JobName job={job} />
            </th>
            {withQueue ? (
              <td className="left job-rows-queue" data-label="Queue">
                <ListLink to="/queue" search={{ name: job.queueName }} title={job.queueName}>
                  <LongId id={job.queueName} />
                </ListLink>
              </td>
            ) : null}
            <td className="left" data-label="Phase">
              <Badge state={jobState(job)} />
            </td>
            <td className="left" data-label="Last event">
              <LastEvent job={job} />
            </td>
            <td data-label="Unsaved">
              <Unsaved job={job} intervalSeconds={intervalSeconds} />
            </td>
          </tr>
        ))}
      </tbody>
    </StackTable>
  );
}
