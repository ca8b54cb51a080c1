/** Of a node that is gone, in one place: what happened, what is lost with it, and what to do. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect } from 'react';
import { CONTINUES, lostRemedy, runAgain } from '../../../../src/protocol/explain/remedies.ts';
import { isSpot } from '../../../../src/protocol/names/pay-type.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { sumOfUnsaved } from '../../lists/risk-tone.ts';
import { FindingText, Remedy } from '../../parts/findings.tsx';
import { countText, spanText } from '../../parts/format.ts';
import { Failure } from '../../parts/states.tsx';
import { explainQuery } from '../../queries/explanations.ts';
import { type JobRow, nodeJobsQuery } from '../../queries/jobs.ts';

/** Jobs that are named. */
const NAMED = 3;
/** What happened, in this order; what else is found of a node that is gone mends nothing. */
const CODES: readonly string[] = ['lost', 'deregistered', 'interrupted'];

/** `goneAtMs`: when it was first read here that the node is gone. */
export function GoneBanner({ node, goneAtMs }: { node: WorkerNode; goneAtMs: number }): ReactNode {
  const { id } = node;
  const { data: explanation, error, refetch } = useQuery(explainQuery('node', id));
  // The page's own list of its jobs.
  const { data: list, refetch: readJobs } = useQuery(nodeJobsQuery(id));
  // Of jobs as they were while the node was still here there is no verdict.
  const isOfBefore = list !== undefined && list.askedAtMs < goneAtMs;
  useEffect(() => {
    if (isOfBefore) void readJobs();
  }, [isOfBefore, readJobs]);
  const isKnown = list !== undefined && !isOfBefore;
  const stranded = isKnown ? list.rows.filter(({ phase }) => phase === 'stranded') : [];
  const told = CODES.flatMap((wanted) => explanation?.findings.filter(({ code }) => code === wanted) ?? []);
  if (error && !explanation)
    return <Failure error={error} what="the explanation" isSlim retry={() => void refetch()} />;
  if (told.length === 0 && stranded.length === 0) return null;
  const isLost = told.some(({ code }) => code === 'lost');
  const tone = stranded.length > 0 || isLost ? 'bad' : 'info';
  return (
    <ul className="findings" aria-label="How it is">
      <li className={`finding finding-${tone}`}>
        <FindingText text={told.map(({ text }) => text).join(' ')} nodeId={undefined}>
          {stranded.length > 0 ? <Stranded node={id} jobs={stranded} /> : isKnown ? 'No job is stranded here.' : null}
        </FindingText>
        {stranded.length > 0 ? (
          <span className="finding-remedy">
            {runAgain(stranded.length === 1 ? 'it' : 'each', 'another node')}: {CONTINUES}.
          </span>
        ) : isLost ? (
          <Remedy text={lostRemedy({ isSpot: isSpot(node.instance.payType), hasJobs: !isKnown })} />
        ) : null}
      </li>
    </ul>
  );
}

function Stranded({ node, jobs }: { node: string; jobs: readonly JobRow[] }): ReactNode {
  const unsaved = sumOfUnsaved(jobs);
  const named = jobs.slice(0, NAMED);
  const others = jobs.length - named.length;
  return (
    <>
      {countText(jobs.length)} {jobs.length === 1 ? 'job is' : 'jobs are'} stranded here with {spanText(unsaved)} of
      unsaved work:{' '}
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
          <Link to="/jobs" search={{ node, phase: 'stranded' }}>
            {countText(others)} more
          </Link>
        </>
      ) : null}
      .
    </>
  );
}
