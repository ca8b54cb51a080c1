/** What the reclaim of a node cost, on its page. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ReclaimedJob } from '../../../../src/protocol/lists/reclaim.ts';
import { isSpot } from '../../../../src/protocol/names/pay-type.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { sentQuery } from '../../api/sent-metrics.ts';
import { ListLink } from '../../names/list-link.tsx';
import { LongId } from '../../names/long-id.tsx';
import { countText, spanText } from '../../parts/format.ts';
import { useSettled } from '../../parts/settled.ts';
import { StackTable } from '../../parts/stack-table.tsx';
import { isAsking, Loading } from '../../parts/states.tsx';
import { explainQuery } from '../../queries/explanations.ts';
import { nodeJobsQuery } from '../../queries/jobs.ts';
import { nodeFilesQuery, nodeNamesQuery } from '../../queries/nodes.ts';
import { Outcome } from './reclaim-list.tsx';
import {
  costText,
  costWords,
  exactCostText,
  headingText,
  jobCostText,
  jobWorkText,
  noticeText,
} from './reclaim-text.ts';
import { nodeReclaimQuery } from './reclaims-query.ts';
import { useSlowSaves } from './slow-saves.tsx';

/** Only of a spot node that was taken, or is about to be. */
function reclaimOfNode(node: WorkerNode): ReturnType<typeof nodeReclaimQuery> & { readonly enabled: boolean } {
  const { id, state, interruption, instance } = node;
  const isTaken = isSpot(instance.payType) && (state === 'lost' || interruption !== undefined);
  return { ...nodeReclaimQuery(id), enabled: isTaken };
}

/**
 * The page is drawn once, when all is known that stands above something else: it would push that down. All is asked at the same
 * time.
 */
export function OnceKnown({ node, children }: { node: WorkerNode; children: ReactNode }): ReactNode {
  const { id } = node;
  const reclaim = reclaimOfNode(node);
  const cost = useQuery(reclaim);
  const names = useQuery({ ...nodeNamesQuery, enabled: reclaim.enabled });
  const slow = useSlowSaves(node);
  const answers = [
    useQuery(explainQuery('node', id)),
    useQuery(nodeJobsQuery(id)),
    useQuery(sentQuery(id)),
    useQuery(nodeFilesQuery(id)),
    ...(reclaim.enabled ? [cost, names] : []),
  ];
  const isSettled = useSettled(answers.some(isAsking) || slow.isAsking);
  return isSettled ? children : <Loading what="the node" />;
}

export function ReclaimOf({ node }: { node: WorkerNode }): ReactNode {
  const { state } = node;
  const { data } = useQuery(reclaimOfNode(node));
  const [reclaim] = data?.reclaims ?? [];
  if (reclaim === undefined) return null;
  const { jobs, jobCount, repeatedSeconds } = reclaim;
  const isGoing = state === 'alive' || state === 'late';
  // What became of the node, and that no job is stranded there, stands at the top.
  if (jobCount === 0 && !isGoing) return null;
  return (
    <section className="panel" aria-labelledby="reclaim">
      <h2 id="reclaim">
        {headingText({ ...reclaim, state })}{' '}
        <span className="muted">{isGoing ? 'in progress' : noticeText(reclaim)}</span>
      </h2>
      {jobCount === 0 ? (
        <p className="muted">No job runs on the node.</p>
      ) : (
        <>
          {repeatedSeconds === 0 ? null : (
            <p>
              {costWords(reclaim)} <strong>{costText(reclaim)}</strong>: {spanText(repeatedSeconds)} of work in{' '}
              {countText(jobCount)} {jobCount === 1 ? 'job' : 'jobs'} was in no checkpoint.
            </p>
          )}
          <ReclaimedJobs node={node} jobs={jobs} />
          {jobs.length < jobCount ? (
            <p className="muted small">The {countText(jobs.length)} jobs with the most work to repeat are listed.</p>
          ) : null}
        </>
      )}
    </section>
  );
}

function ReclaimedJobs({ node, jobs }: { node: WorkerNode; jobs: readonly ReclaimedJob[] }): ReactNode {
  // The page's own list of its jobs.
  const { data: list } = useQuery(nodeJobsQuery(node.id));
  const atRisk = new Map(list?.rows.map(({ id, unsavedSeconds }) => [id, unsavedSeconds]));
  return (
    <StackTable label="Interrupted jobs" className="wrapped-heads hit-rows">
      <thead>
        <tr>
          <th scope="col">Job</th>
          <th scope="col" className="left">
            What became of it
          </th>
          <th scope="col">Work lost</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id}>
            <th scope="row">
              <ListLink to="/job" search={{ id: job.id }} title={job.id}>
                <LongId id={job.id} />
              </ListLink>
            </th>
            <td className="left" data-label="What became of it">
              <Outcome job={job} state={node.state} />
            </td>
            <td data-label="Work lost">{jobWorkText(job, atRisk.get(job.id))}</td>
            <td data-label="Cost" title={exactCostText(job)}>
              {jobCostText(job)}
            </td>
          </tr>
        ))}
      </tbody>
    </StackTable>
  );
}
