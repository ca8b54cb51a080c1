/** A few jobs within a page of something else. */
import type { ReactNode } from 'react';
import { reasonText } from '../../../src/protocol/explain/job-circumstances.ts';
import { isNeverSaved } from '../lists/risk-tone.ts';
import { JobName } from '../names/job-name.tsx';
import { ListLink } from '../names/list-link.tsx';
import { LongId } from '../names/long-id.tsx';
import { NodeLink } from '../names/node-link.tsx';
import type { JobRow } from '../queries/jobs.ts';
import { useSaveInterval } from '../queries/save-interval.ts';
import { Badge, jobState } from './badge.tsx';
import { LAST_CHECKPOINT_TITLE, LastCheckpoint, LastEvent, UNSAVED_TITLE, Unsaved } from './job-facts.tsx';
import { StackTable } from './stack-table.tsx';

/** `isOf`: of what all of them are; what differs has a column. */
export function JobRows({ jobs, isOf }: { jobs: readonly JobRow[]; isOf: 'node' | 'queue' }): ReactNode {
  const intervalSeconds = useSaveInterval();
  const place = isOf === 'node' ? 'Queue' : 'Node';
  return (
    <StackTable label="Jobs" className="job-rows" opensRows>
      <thead>
        <tr>
          <th scope="col">Job</th>
          <th scope="col" className="left job-rows-phase">
            Phase
          </th>
          <th scope="col" className="left job-rows-last">
            Status
          </th>
          <th scope="col" className="left job-rows-place">
            {place}
          </th>
          <th scope="col" className="job-rows-unsaved" title={UNSAVED_TITLE}>
            Unsaved
          </th>
          <th scope="col" className="job-rows-checkpoint" title={LAST_CHECKPOINT_TITLE}>
            Last checkpoint
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id}>
            <th scope="row">
              <JobName job={job} />
            </th>
            <td className="left" data-label="Phase">
              <Badge state={jobState(job)} />
            </td>
            <td className="left" data-label="Status">
              <LastEvent job={job} />
              {/(Failed|Unready)$/.test(job.status) && job.lastEventDetail ? (
                <span className="job-rows-reason" title={reasonText(job.lastEventDetail)}>
                  {reasonText(job.lastEventDetail)}
                </span>
              ) : null}
            </td>
            <td className="left" data-label={place}>
              {isOf === 'node' ? (
                <ListLink to="/queue" search={{ name: job.queueName }} title={job.queueName}>
                  <LongId id={job.queueName} />
                </ListLink>
              ) : (
                <NodeLink oid={job.nodeOid} />
              )}
            </td>
            <td data-label="Unsaved" data-word={wordOf(job)}>
              <Unsaved job={job} intervalSeconds={intervalSeconds} />
            </td>
            <td className="job-rows-checkpoint" data-label="Last checkpoint">
              <LastCheckpoint job={job} />
            </td>
          </tr>
        ))}
      </tbody>
    </StackTable>
  );
}

/** As the cards of the list of jobs call it, where no column says the rest. */
function wordOf(job: JobRow): string {
  return job.unsavedSeconds !== null && isNeverSaved(job) ? 'Never saved' : 'Unsaved';
}
