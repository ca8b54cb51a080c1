/** One job: where it ran, what it did when, what it stands to lose. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { lateEndingAt } from '../../../../src/protocol/names/job-status.ts';
import { isGone, lastSignMsOf } from '../../../../src/protocol/names/node-state.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { Select } from '../../controls/select.tsx';
import { ranUntilMs } from '../../lists/job-orders.ts';
import type { LogFilter } from '../../logs/log-filter.ts';
import { RUN_TICK_MS, useNowMs } from '../../parts/clock.ts';
import { WithFindings } from '../../parts/findings.tsx';
import { daysText } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useSettled } from '../../parts/settled.ts';
import { Answered, Empty, isAsking, Loading } from '../../parts/states.tsx';
import { jobQuery } from '../../queries/jobs.ts';
import { useKeptJob } from '../../queries/kept-lists.ts';
import { nodeFilesQuery } from '../../queries/nodes.ts';
import { configQuery } from '../../queries/server.ts';
import { hasFilesOf } from '../nodes/job-files.ts';
import { NodeLogs } from '../nodes/node-logs.tsx';
import '../../styles/job.css';
import { CostTable } from './cost-table.tsx';
import { Duration, endedAtOf } from './duration.tsx';
import { JobEvents, useChosenEvent } from './events/job-events.tsx';
import { JobActions } from './job-actions.tsx';
import { type JobNode, useJobNodes } from './job-nodes.ts';
import { JobDetails, JobLine, KeptJob } from './job-summary.tsx';
import { WithLastOutput } from './last-output.tsx';
import { Outcomes } from './outcomes.tsx';
import { marksOf } from './timeline/marks.ts';
import { timelineOf } from './timeline/timeline.ts';
import { TimelineChart } from './timeline/timeline-chart.tsx';
import type { Sight } from './timeline/zoom.ts';
import { useEscape, ZoomTools, zoomKeys } from './timeline/zoom-tools.tsx';

export function JobPage(): ReactNode {
  const { id } = useSearch({ from: '/job' });
  const query = useQuery(jobQuery(id));
  const kept = useKeptJob(id, query);
  return (
    <>
      <PageHead
        title={`Job ${id}`}
        id={{ text: id, what: 'the job’s id' }}
        subtitle={nameOf(query.data ?? kept, id)}
        trail={<Link to="/jobs">All jobs</Link>}
      >
        {query.data ? <JobActions job={query.data} /> : null}
      </PageHead>
      {kept ? <KeptJob job={kept} /> : null}
      <Answered query={query} what={kept ? 'the rest of the job' : 'the job'} missing={<NoSuchJob id={id} />}>
        {(job) => <JobView job={job} />}
      </Answered>
    </>
  );
}

function nameOf(job: { readonly name?: string | undefined } | undefined, id: string): string | undefined {
  return job?.name === id ? undefined : job?.name;
}

function NoSuchJob({ id }: { id: string }): ReactNode {
  const { data } = useQuery(configQuery);
  if (id === '') return <Empty title="The address names no job" />;
  return (
    <Empty title="No job has this id">
      <p>
        {data
          ? `Jobs that succeeded are kept for ${daysText(data.job.successTTL)}, others for ${daysText(data.job.failureTTL)} after their end.`
          : null}
      </p>
      <Link to="/jobs" search={{ q: id }}>
        Search for it in all jobs
      </Link>
    </Empty>
  );
}

function JobView({ job }: { job: JobDetail }): ReactNode {
  const nodes = useJobNodes(job.events);
  const logs = useLogNodes(job.id, nodes);
  const areLogsKnown = useSettled(logs.isAsking);
  // Of a failed job that has sent no logs: a node of it that has others.
  const muteOn = job.phase === 'failed' && logs.ids.length === 0 ? logs.other : undefined;
  const { chosen, choose } = useChosenEvent(job.events);
  const { zoom, setZoom } = useZoom();
  const search = useSearch({ from: '/job' });
  // Where the last lines are in sight, the same file would stand there twice; who was sent to a log finds it open.
  const [areLogsOpen, setLogsOpen] = useState([search.file, search.q, search.level, search.from].some(Boolean));
  // The line and the finding at the top need the node; the page would jump if it arrived last.
  if (nodes.find(({ nodeOid }) => nodeOid === job.nodeOid)?.isPending) return <Loading what="its node" />;
  const lastNode = nodes.find(({ nodeOid }) => nodeOid === job.nodeOid)?.node;
  const goneMs = goneMsOf(job, lastNode);
  return (
    <>
      <JobLine job={job} nodeId={lastNode?.id ?? job.nodeOid} goneMs={goneMs} />
      <WithFindings key={job.id} kind="job" id={job.id} nodeId={lastNode?.id}>
        <WithLastOutput
          jobId={job.id}
          nodeId={job.phase === 'failed' ? lastNode?.id : undefined}
          onAll={() => {
            setLogsOpen(true);
            // Once they are there.
            requestAnimationFrame(() => document.getElementById('logs')?.scrollIntoView());
          }}
        >
          {(hasLines) =>
            areLogsKnown ? (
              <>
                {muteOn === undefined ? null : (
                  <p className="finding finding-info">
                    This job has sent no logs. <LogsOfNode id={muteOn} />
                  </p>
                )}
                <Outcomes job={job} isNodeKnown={lastNode != null} />
                <JobTimeline
                  job={job}
                  goneMs={goneMs}
                  goneText={goneTextOf(lastNode)}
                  zoom={zoom}
                  onZoom={setZoom}
                  onChoose={choose}
                />
                <JobEvents job={job} chosen={chosen} sight={zoom} />
                {areLogsOpen || !hasLines ? <JobLogs ids={logs.ids} jobId={job.id} /> : null}
                <CostTable job={job} nodes={nodes} goneMs={goneMs} />
                <JobDetails job={job}>
                  {logs.ids.length === 0 && muteOn === undefined ? (
                    <NoLogs other={logs.other} areNodesKnown={nodes.some(({ node }) => node)} />
                  ) : null}
                </JobDetails>
              </>
            ) : (
              <Loading what="its logs" />
            )
          }
        </WithLastOutput>
      </WithFindings>
    </>
  );
}

/** Until when it ran, if its node is gone; of a stranded job whose node the server does not know, until its last event. */
function goneMsOf(job: JobDetail, node: WorkerNode | null | undefined): number | undefined {
  if (node) return isGone(node) ? ranUntilMs(job, lastSignMsOf(node)) : undefined;
  return job.phase === 'stranded' ? Date.parse(job.events.at(-1)?.timestamp ?? job.updatedAt) : undefined;
}

function goneTextOf(node: WorkerNode | null | undefined): string {
  if (!node) return 'until its last event';
  return node.state === 'lost' ? 'until its node fell silent' : 'until its node was deregistered';
}

/** What the timeline is zoomed to stands in the address, to be sent, and to be left by Back. */
function useZoom(): { readonly zoom: Sight | undefined; readonly setZoom: (zoom: Sight | undefined) => void } {
  const { start, end } = useSearch({ from: '/job' });
  const navigate = useNavigate({ from: '/job' });
  const zoom = useMemo(
    () => (start && end ? { startMs: Date.parse(start), endMs: Date.parse(end) } : undefined),
    [start, end],
  );
  const iso = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : new Date(ms).toISOString();
  const setZoom = (next: Sight | undefined): void =>
    void navigate({
      search: (before) => ({ ...before, start: iso(next?.startMs), end: iso(next?.endMs) }),
      resetScroll: false,
    });
  return { zoom, setZoom };
}

const RECENT_MS = 120_000;

const NO_TIME: Sight = { startMs: 0, endMs: 0 };

interface JobTimelineProps {
  readonly job: JobDetail;
  /** Until when it ran, if its node is gone. */
  readonly goneMs: number | undefined;
  /** Until when that is, in words. */
  readonly goneText: string;
  readonly zoom: Sight | undefined;
  readonly onZoom: (zoom: Sight | undefined) => void;
  readonly onChoose: (index: number) => void;
}

function JobTimeline({ job, goneMs, goneText, ...view }: JobTimelineProps): ReactNode {
  // What has just begun or ended is seen at once.
  const lastMs = Math.max(goneMs ?? 0, Date.parse(job.events.at(-1)?.timestamp ?? job.createdAt));
  const nowMs = useNowMs(Date.now() - lastMs < RECENT_MS ? 1_000 : RUN_TICK_MS);
  const timeline = useMemo(() => {
    const endingAt = lateEndingAt(job.events);
    const events = endingAt === undefined ? job.events : job.events.slice(0, endingAt + 1);
    return timelineOf(events, nowMs, goneMs);
  }, [job.events, nowMs, goneMs]);
  const marks = useMemo(() => marksOf(job.events), [job.events]);
  const { zoom, onZoom } = view;
  useEscape(zoom !== undefined, onZoom);
  const isDrawn = timeline && timeline.lanes.length > 0;
  const zooming = { zoom, whole: timeline ?? NO_TIME, onZoom };
  return (
    <section className="panel" aria-labelledby="timeline" tabIndex={-1} onKeyDown={zoomKeys(zooming)}>
      <div className="panel-head">
        <h2 id="timeline">Timeline</h2>
        {/* Here, where nothing beside them changes with a click. */}
        {isDrawn ? <ZoomTools {...zooming} /> : null}
      </div>
      {isDrawn ? (
        <TimelineChart
          timeline={timeline}
          marks={marks}
          total={
            <>
              <Duration job={job} goneMs={goneMs} />{' '}
              {goneMs === undefined || endedAtOf(job) !== undefined ? 'in total' : goneText}
            </>
          }
          {...view}
        />
      ) : timeline ? (
        <Empty title="No event says what the job did, or where" />
      ) : (
        <Empty title="No event was reported yet" />
      )}
    </section>
  );
}

interface LogNodes {
  /** Those that have sent logs of the job, or may have; the last one first. */
  readonly ids: readonly string[];
  /** The last one that has sent other logs. */
  readonly other: string | undefined;
  readonly isAsking: boolean;
}

function useLogNodes(jobId: string, nodes: readonly JobNode[]): LogNodes {
  const ids = nodes.flatMap(({ node }) => (node ? [node.id] : [])).reverse();
  return useQueries({
    queries: ids.map(nodeFilesQuery),
    combine: (answers) => ({
      ids: ids.filter((_, i) => answers[i]?.data === undefined || hasFilesOf(jobId, answers[i].data)),
      other: ids.find((_, i) => answers[i]?.data?.length !== 0),
      isAsking: nodes.some(({ isPending }) => isPending) || answers.some(isAsking),
    }),
  });
}

/** Another job's log would be read as this one's. */
function NoLogs({ other, areNodesKnown }: { other: string | undefined; areNodesKnown: boolean }): ReactNode {
  if (other === undefined) return areNodesKnown ? 'None were sent' : 'Its nodes are not known';
  return (
    <>
      None sent. <LogsOfNode id={other} />
    </>
  );
}

function LogsOfNode({ id }: { id: string }): ReactNode {
  return (
    <Link to="/node" search={{ id }} hash="logs">
      Logs of its node
    </Link>
  );
}

/** Of the node that it ran on last, or another one of its nodes. */
interface JobLogsProps {
  readonly ids: readonly string[];
  readonly jobId: string;
}

function JobLogs({ ids, jobId }: JobLogsProps): ReactNode {
  const { id: _, node: chosen, file, ...filter } = useSearch({ from: '/job' });
  const navigate = useNavigate({ from: '/job' });
  const set = useCallback(
    (change: LogFilter & { node?: string; file?: string | undefined }) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: change.around === undefined }),
    [navigate],
  );
  const id = ids.find((name) => name === chosen) ?? ids[0];
  if (id === undefined) return null;
  return (
    <section className="panel" aria-labelledby="logs">
      <div className="panel-head">
        <h2 id="logs">Logs</h2>
        {ids.length > 1 ? (
          <Select
            label="Node"
            options={ids.map((name) => ({ value: name, label: name }))}
            value={id}
            onChange={(name) => set({ node: name, file: undefined })}
          />
        ) : null}
      </div>
      <NodeLogs
        key={id}
        id={id}
        jobId={jobId}
        file={file}
        onFile={(next) => set({ file: next })}
        filter={filter}
        onFilter={set}
      />
    </section>
  );
}
