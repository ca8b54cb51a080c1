/** A job in short: where it stands, and what is known of it. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { runsOf } from '../../../../src/protocol/names/job-status.ts';
import { UNREADY } from '../../lists/counted.ts';
import { NodeLink } from '../../names/node-link.tsx';
import { Badge, jobState } from '../../parts/badge.tsx';
import { CopiedId, Fact, Facts } from '../../parts/facts.tsx';
import { countText, decimalText, spanText } from '../../parts/format.ts';
import { LastCheckpoint, LastEvent } from '../../parts/job-facts.tsx';
import { Moment } from '../../parts/time.tsx';
import type { JobRow } from '../../queries/jobs.ts';
import { Duration, DurationInList, endedAtOf } from './duration.tsx';
import { VolumeList } from './volume-list.tsx';
import { waitsForVolume } from './volumes.ts';

interface JobLineProps {
  readonly job: JobDetail;
  readonly nodeId: string;
  /** Until when it ran, if its node is gone. */
  readonly goneMs: number | undefined;
}

/** Of a job that was run again from scratch: its duration and its counts are those of all runs, its work is that of the last. */
function LastRun({ events }: Pick<JobDetail, 'events'>): ReactNode {
  const begins = runsOf(events);
  const last = begins.at(-1);
  if (begins.length < 2 || last === undefined) return null;
  return (
    <Fact name="Run">
      {countText(begins.length)}, submitted <Moment at={last.timestamp} />
    </Fact>
  );
}

interface LineProps {
  readonly job: Pick<JobRow, 'queueName' | 'createdAt'>;
  /** What its badge shows. */
  readonly state: string;
  /** Empty without a node. */
  readonly node: string;
  /** Between its phase and its queue. */
  readonly status?: ReactNode;
  /** After all that every job has. */
  readonly children: ReactNode;
}

/** Below the title: what one asks first. */
function Line({ job, state, node, status, children }: LineProps): ReactNode {
  const { queueName, createdAt } = job;
  return (
    <dl className="fact-line" aria-label="In short">
      <div>
        <dt className="hidden">Phase</dt>
        <dd>
          <Badge state={state} />
        </dd>
      </div>
      {status}
      <Fact name="Queue">
        <Link to="/queue" search={{ name: queueName }}>
          {queueName}
        </Link>
      </Fact>
      {node === '' ? null : (
        <Fact name="Node">
          <NodeLink oid={node} />
        </Fact>
      )}
      <Fact name="Submitted">
        <Moment at={createdAt} />
      </Fact>
      {children}
    </dl>
  );
}

export function JobLine({ job, nodeId, goneMs }: JobLineProps): ReactNode {
  const endedAt = endedAtOf(job);
  const isReady = UNREADY.has(job.status) && !waitsForVolume(job);
  return (
    <Line job={job} state={isReady ? job.phase : jobState(job)} node={nodeId}>
      <LastRun events={job.events} />
      {endedAt === undefined ? null : (
        <Fact name="Ended">
          <Moment at={endedAt} />
        </Fact>
      )}
      <Fact name={runsOf(job.events).length > 1 ? 'Duration of all runs' : 'Duration'}>
        <Duration job={job} goneMs={goneMs} />
      </Fact>
    </Line>
  );
}

/** What a list tells of a job whose page was not opened before the server went. */
export function KeptJob({ job }: { job: JobRow }): ReactNode {
  const { nodeOid, spotProtCount, unsavedSeconds } = job;
  const status = (
    <Fact name="Status">
      <LastEvent job={job} />
    </Fact>
  );
  return (
    <Line job={job} state={jobState(job)} node={nodeOid} status={status}>
      <Fact name="Duration">
        <DurationInList job={job} />
      </Fact>
      <Fact name="Restores">{countText(spotProtCount)}</Fact>
      {unsavedSeconds === null ? null : (
        <>
          <Fact name="Unsaved">{spanText(unsavedSeconds)}</Fact>
          <Fact name="Last checkpoint">
            <LastCheckpoint job={job} />
          </Fact>
        </>
      )}
    </Line>
  );
}

interface JobDetailsProps {
  readonly job: JobDetail;
  /** Why there are no logs of it; null where there are. */
  readonly children: ReactNode;
}

/** Each attempt of a batch job has an id. */
const BATCH_JOBS_SHOWN = 5;

function BatchJobs({ ids }: { ids: readonly string[] }): ReactNode {
  const shown = ids.length > BATCH_JOBS_SHOWN + 1 ? ids.slice(0, BATCH_JOBS_SHOWN) : ids;
  const copied = (some: readonly string[]): ReactNode =>
    some.map((id) => <CopiedId key={id} id={id} what="the batch job’s id" />);
  return (
    <>
      {copied(shown)}
      {shown.length < ids.length ? (
        <details>
          <summary>{countText(ids.length - shown.length)} more</summary>
          {copied(ids.slice(shown.length))}
        </details>
      ) : null}
    </>
  );
}

/** What is looked up rather than read. */
export function JobDetails({ job, children }: JobDetailsProps): ReactNode {
  const gib = (mb: number | undefined): string | undefined =>
    mb === undefined ? undefined : `${decimalText(mb / 1024)} GiB`;
  return (
    <section className="panel" aria-labelledby="details">
      <h2 id="details">Details</h2>
      <Facts
        facts={[
          ['Processors', job.cpus],
          ['Memory', gib(job.memoryInMB)],
          ['Root filesystem', job.maxRootFSUsageMB === undefined ? undefined : `${gib(job.maxRootFSUsageMB)} at most`],
          ['Container', job.containerId && <CopiedId key="c" id={job.containerId} what="the container’s id" />],
          ['Batch jobs', job.batchJobIds.length === 0 ? undefined : <BatchJobs key="b" ids={job.batchJobIds} />],
          ['Logs', children],
        ]}
      />
      <VolumeList job={job} />
    </section>
  );
}
