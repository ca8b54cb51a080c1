/** One job: where it ran, what it did when, what it stands to lose. */
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { configQuery, jobQuery } from '../../api/queries.ts';
import { Badge } from '../../parts/badge.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { DownloadButton } from '../../parts/download-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Findings } from '../../parts/findings.tsx';
import { countText, decimalText, percentText, wordsOf } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, Empty, Loading } from '../../parts/states.tsx';
import { type Column, VirtualTable } from '../../parts/table.tsx';
import { Age, LocalTime } from '../../parts/time.tsx';
import { NodeLogs } from '../nodes/node-logs.tsx';
import { CostTable } from './cost-table.tsx';
import { type JobNode, useJobNodes } from './job-nodes.ts';
import { timelineOf } from './timeline.ts';
import { TimelineChart } from './timeline-chart.tsx';
import { VolumeList } from './volume-list.tsx';
import { meanSeconds } from './volumes.ts';

export function JobPage(): ReactNode {
  const { id } = useSearch({ from: '/job' });
  const query = useQuery(jobQuery(id));
  return (
    <>
      <PageHead title={`Job ${id}`}>
        {query.data ? (
          <DownloadButton path={`/api/v1/job/${encodeURIComponent(id)}/logs.tar.gz`} fileName={`${id}-logs.tar.gz`}>
            Log bundle
          </DownloadButton>
        ) : null}
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
          ? `Jobs that succeeded are kept for ${data.job.successTTL}, others for ${data.job.failureTTL} after their end.`
          : null}
      </p>
      <p>
        <Link to="/jobs">All jobs</Link>
      </p>
    </Empty>
  );
}

function JobView({ job }: { job: JobDetail }): ReactNode {
  const nodes = useJobNodes(job.events);
  // The finding at the top needs the node; the page would jump if it arrived last.
  if (nodes.find(({ nodeOid }) => nodeOid === job.nodeOid)?.isPending) return <Loading what="its node" />;
  return (
    <>
      <Findings kind="job" id={job.id} />
      <JobFacts job={job} nodes={nodes} />
      <JobTimeline job={job} />
      <section className="panel" aria-labelledby="outcomes">
        <h2 id="outcomes">Checkpoints and restores</h2>
        <div className="cards">
          <Tally
            label="Checkpoints"
            tally={job.checkpoints}
            seconds={meanSeconds(job.events, 'Job-Checkpointing', ['Job-CheckpointSucceeded', 'Job-CheckpointFailed'])}
            failure={lastDetail(job, 'Job-CheckpointFailed')}
          />
          <Tally
            label="Restores"
            tally={job.restores}
            seconds={meanSeconds(job.events, 'Job-Restoring', ['Job-RestoreSucceeded', 'Job-RestoreFailed'])}
            failure={lastDetail(job, 'Job-RestoreFailed')}
          />
          <div className="card">
            <div className="card-label">Work at risk</div>
            <div className="card-value">{job.workAtRisk === null ? '–' : spanText(job.workAtRisk)}</div>
            <div className="card-note">
              {job.workAtRisk === null ? 'the job is not running' : 'run time since the last good checkpoint'}
            </div>
          </div>
        </div>
      </section>
      <VolumeList job={job} />
      <CostTable job={job} nodes={nodes} />
      <JobLogs nodes={nodes} />
      <JobEvents job={job} />
    </>
  );
}

function JobFacts({ job, nodes }: { job: JobDetail; nodes: readonly JobNode[] }): ReactNode {
  const node = nodes.find(({ nodeOid }) => nodeOid === job.nodeOid)?.node;
  return (
    <section className="panel" aria-label="Facts">
      <Facts
        facts={[
          ['Status', <Badge key="s" state={job.status} />],
          [
            'Queue',
            <Link key="q" to="/jobs" search={{ queue: job.queueName }}>
              {job.queueName}
            </Link>,
          ],
          ['Name', job.name],
          [
            'Node',
            node ? (
              <Link key="n" to="/node" search={{ id: node.id }}>
                {job.nodeOid}
              </Link>
            ) : (
              job.nodeOid
            ),
          ],
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

function JobTimeline({ job }: { job: JobDetail }): ReactNode {
  const minuteMs = Math.floor(useNowMs() / 60_000) * 60_000;
  const timeline = useMemo(() => timelineOf(job.events, minuteMs), [job.events, minuteMs]);
  return (
    <section className="panel" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      {timeline ? <TimelineChart timeline={timeline} /> : <Empty title="No event was reported yet" />}
    </section>
  );
}

/** Of the node that it ran on last, or another one of its nodes. */
function JobLogs({ nodes }: { nodes: readonly JobNode[] }): ReactNode {
  const ids = nodes.flatMap(({ node }) => (node ? [node.id] : [])).reverse();
  const [chosen, setChosen] = useState<string>();
  const [file, setFile] = useState<string>();
  const id = chosen ?? ids[0];
  return (
    <section className="panel" aria-labelledby="logs">
      <div className="panel-head">
        <h2 id="logs">Logs</h2>
        {ids.length > 1 ? (
          <select aria-label="Node" value={id} onChange={(event) => setChosen(event.target.value)}>
            {ids.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        ) : null}
      </div>
      {id === undefined ? (
        <Empty title="None of its nodes is known" />
      ) : (
        <NodeLogs key={id} id={id} file={file} onFile={setFile} />
      )}
    </section>
  );
}

function Tally(props: {
  label: string;
  tally: JobDetail['checkpoints'];
  /** On average, of those that ended. */
  seconds: number | undefined;
  /** Why the last one that failed did. */
  failure: string | undefined;
}): ReactNode {
  const { label, tally, seconds, failure } = props;
  const { attempts, successes, failures } = tally;
  return (
    <div className="card">
      <div className="card-label">{label}</div>
      <div className="card-value">
        {countText(successes)} of {countText(attempts)}
      </div>
      <div className="card-note">
        {countText(failures)} failed · {percentText(successes, successes + failures)} of those that ended
        {seconds === undefined ? '' : ` · ${spanText(seconds)} on average`}
      </div>
      {failure === undefined ? null : <div className="card-note">Last failure: {failure}</div>}
    </div>
  );
}

function lastDetail(job: JobDetail, eventType: string): string | undefined {
  return job.events.findLast((event) => event.eventType === eventType)?.detail;
}

type Event = JobDetail['events'][number] & { readonly index: number };

const EVENT_COLUMNS: readonly Column<Event>[] = [
  { id: 'time', label: 'Time', width: '14rem', cell: ({ timestamp }) => <LocalTime at={timestamp} /> },
  {
    id: 'event',
    label: 'Event',
    width: 'minmax(14rem, 1fr)',
    cell: ({ eventType }) => wordsOf(eventType.replace(/^Job-/, '').replace('-', ' ')),
  },
  { id: 'node', label: 'Node', width: 'minmax(10rem, 1fr)', cell: ({ nodeOid }) => nodeOid ?? '' },
  {
    id: 'more',
    label: 'Detail, container, batch job, volume',
    width: 'minmax(14rem, 1.5fr)',
    cell: ({ detail, containerId, batchJobId, volumnId }) =>
      [detail, containerId, batchJobId, volumnId].filter(Boolean).join(', '),
  },
];

function JobEvents({ job }: { job: JobDetail }): ReactNode {
  // Newest first: what happened last is what one came for.
  const rows = useMemo(() => job.events.map((event, index): Event => ({ ...event, index })).reverse(), [job.events]);
  return (
    <section aria-labelledby="events">
      <h2 id="events">
        Events <span className="muted">{countText(rows.length)}</span>
      </h2>
      {job.foldedCheckpoints ? (
        <p className="muted">{countText(job.foldedCheckpoints)} older checkpoints are counted and not listed.</p>
      ) : null}
      <VirtualTable label="Events" columns={EVENT_COLUMNS} rows={rows} keyOf={({ index }) => String(index)} />
    </section>
  );
}
