/** One job: where it ran, what it did when, what it stands to lose. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { configQuery, jobQuery } from '../../api/queries.ts';
import { Select } from '../../controls/select.tsx';
import type { LogFilter } from '../../logs/log-view.tsx';
import { NodeLink } from '../../names/node-link.tsx';
import { Badge } from '../../parts/badge.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { Facts } from '../../parts/facts.tsx';
import { WithFindings } from '../../parts/findings.tsx';
import { countText, decimalText, shortDuration, wordsOf } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, Empty, Loading } from '../../parts/states.tsx';
import { Age, LocalTime } from '../../parts/time.tsx';
import { NodeLogs } from '../nodes/node-logs.tsx';
import '../../styles/job.css';
import { CostTable } from './cost-table.tsx';
import { JobActions } from './job-actions.tsx';
import { JobEvents } from './job-events.tsx';
import { type JobNode, useJobNodes } from './job-nodes.ts';
import { WithLastOutput } from './last-output.tsx';
import { marksOf } from './marks.ts';
import { timelineOf } from './timeline.ts';
import { TimelineChart } from './timeline-chart.tsx';
import { VolumeList } from './volume-list.tsx';
import { meanSeconds } from './volumes.ts';

export function JobPage(): ReactNode {
  const { id } = useSearch({ from: '/job' });
  const query = useQuery(jobQuery(id));
  return (
    <>
      <PageHead title={`Job ${id}`} trail={<Link to="/jobs">All jobs</Link>}>
        {query.data ? <JobActions job={query.data} /> : null}
      </PageHead>
      <Answered query={query} what="the job" missing={<NoSuchJob />}>
        {(job) => <JobView job={job} />}
      </Answered>
    </>
  );
}

function NoSuchJob(): ReactNode {
  const { data } = useQuery(configQuery);
  return (
    <Empty title="No job has this id">
      <p>
        {data
          ? `Jobs that succeeded are kept for ${shortDuration(data.job.successTTL)}, others for ${shortDuration(data.job.failureTTL)} after their end.`
          : null}
      </p>
    </Empty>
  );
}

function JobView({ job }: { job: JobDetail }): ReactNode {
  const nodes = useJobNodes(job.events);
  const [chosen, setChosen] = useState<number>();
  // The finding at the top needs the node; the page would jump if it arrived last.
  if (nodes.find(({ nodeOid }) => nodeOid === job.nodeOid)?.isPending) return <Loading what="its node" />;
  const lastNode = nodes.find(({ nodeOid }) => nodeOid === job.nodeOid)?.node;
  return (
    <WithFindings key={job.id} kind="job" id={job.id}>
      <WithLastOutput jobId={job.id} nodeId={job.phase === 'failed' ? lastNode?.id : undefined}>
        <Outcomes job={job} />
        <JobFacts job={job} />
        <JobTimeline job={job} onChoose={setChosen} />
        <JobEvents job={job} chosen={chosen} />
        <JobLogs nodes={nodes} jobId={job.id} />
        <CostTable job={job} nodes={nodes} />
        <VolumeList job={job} />
      </WithLastOutput>
    </WithFindings>
  );
}

function JobFacts({ job }: { job: JobDetail }): ReactNode {
  return (
    <section className="panel" aria-label="Facts">
      <Facts
        facts={[
          ['Phase', <Badge key="p" state={job.phase} />],
          ['Last event', wordsOf(job.status)],
          [
            'Queue',
            <Link key="q" to="/jobs" search={{ queue: job.queueName }}>
              {job.queueName}
            </Link>,
          ],
          ['Name', job.name],
          ['Node', job.nodeOid === '' ? undefined : <NodeLink key="n" oid={job.nodeOid} />],
          ['Container', job.containerId],
          ['Processors', job.cpus],
          ['Memory', job.memoryInMB === undefined ? undefined : `${decimalText(job.memoryInMB / 1024)} GiB`],
          [
            'Root filesystem',
            job.maxRootFSUsageMB === undefined ? undefined : `${decimalText(job.maxRootFSUsageMB / 1024)} GiB at most`,
          ],
          ['Created', <LocalTime key="c" at={job.createdAt} />],
          ['Updated', <Age key="u" of={job.updatedAt} />],
          ['Batch jobs', job.batchJobIds.join(', ')],
        ]}
      />
    </section>
  );
}

function JobTimeline({ job, onChoose }: { job: JobDetail; onChoose: (index: number) => void }): ReactNode {
  const minuteMs = useNowMs(60_000);
  const timeline = useMemo(() => timelineOf(job.events, minuteMs), [job.events, minuteMs]);
  const marks = useMemo(() => marksOf(job.events), [job.events]);
  return (
    <section className="panel" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      {timeline ? (
        <TimelineChart timeline={timeline} marks={marks} onChoose={onChoose} />
      ) : (
        <Empty title="No event was reported yet" />
      )}
    </section>
  );
}

/** Of the node that it ran on last, or another one of its nodes. */
function JobLogs({ nodes, jobId }: { nodes: readonly JobNode[]; jobId: string }): ReactNode {
  const ids = nodes.flatMap(({ node }) => (node ? [node.id] : [])).reverse();
  const { id: _, node: chosen, file, ...filter } = useSearch({ from: '/job' });
  const navigate = useNavigate({ from: '/job' });
  const set = useCallback(
    (change: LogFilter & { node?: string; file?: string | undefined }) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  );
  const id = ids.find((name) => name === chosen) ?? ids[0];
  return (
    <section className="panel" aria-labelledby="logs">
      <div className="panel-head">
        <h2 id="logs">Logs</h2>
        {ids.length > 1 ? (
          <Select
            label="Node"
            options={ids.map((name) => ({ value: name, label: name }))}
            value={id ?? ''}
            onChange={(name) => set({ node: name, file: undefined })}
          />
        ) : null}
      </div>
      {id === undefined ? (
        <Empty title="No logs: the server does not know the nodes of this job" />
      ) : (
        <NodeLogs
          key={id}
          id={id}
          jobId={jobId}
          file={file}
          onFile={(next) => set({ file: next })}
          filter={filter}
          onFilter={set}
        />
      )}
    </section>
  );
}

/** What is at stake, and how saving it went. */
function Outcomes({ job }: { job: JobDetail }): ReactNode {
  return (
    <dl className="strip strip-3" aria-label="Checkpoints and restores">
      <div>
        <dt>Unsaved work</dt>
        <dd>
          <span className="strip-value">{job.workAtRisk === null ? 'None' : spanText(job.workAtRisk)}</span>{' '}
          <span className="muted small">
            {job.workAtRisk === null ? 'the job is not running' : 'run time since the last good checkpoint'}
          </span>
        </dd>
      </div>
      <Tally
        label="Checkpoints"
        tally={job.checkpoints}
        isInProgress={job.status === 'Checkpointing'}
        seconds={meanSeconds(job.events, 'Job-Checkpointing', ['Job-CheckpointSucceeded', 'Job-CheckpointFailed'])}
        failure={lastDetail(job, 'Job-CheckpointFailed')}
      />
      <Tally
        label="Restores"
        tally={job.restores}
        isInProgress={job.status === 'Restoring'}
        seconds={meanSeconds(job.events, 'Job-Restoring', ['Job-RestoreSucceeded', 'Job-RestoreFailed'])}
        failure={lastDetail(job, 'Job-RestoreFailed')}
      />
    </dl>
  );
}

function Tally(props: {
  label: string;
  tally: JobDetail['checkpoints'];
  /** Whether the last attempt may still end. */
  isInProgress: boolean;
  /** On average, of those that ended. */
  seconds: number | undefined;
  /** Why the last one that failed did. */
  failure: string | undefined;
}): ReactNode {
  const { label, tally, isInProgress, seconds, failure } = props;
  const { attempts, successes } = tally;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <span className="strip-value">
          {attempts === 0 ? 'None' : `${countText(successes)} of ${countText(attempts)}`}
        </span>{' '}
        <span className="muted small">
          {attempts === 0 ? 'no attempt' : tallyText(tally, isInProgress)}
          {seconds === undefined ? '' : ` · ${spanText(seconds)} on average`}
        </span>
        {failure === undefined ? null : <span className="small outcome-failure">Last failure: {failure}</span>}
      </dd>
    </div>
  );
}

/** Of every attempt: those that are neither good nor bad are named, too. */
function tallyText({ attempts, successes, failures }: JobDetail['checkpoints'], isInProgress: boolean): string {
  const open = attempts - successes - failures;
  const now = isInProgress && open > 0 ? 1 : 0;
  return [
    'succeeded',
    failures > 0 ? `${countText(failures)} failed` : '',
    now > 0 ? '1 in progress' : '',
    open > now ? `${countText(open - now)} without an outcome` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function lastDetail(job: JobDetail, eventType: string): string | undefined {
  return job.events.findLast((event) => event.eventType === eventType)?.detail;
}
