/** One node: its facts, figures, jobs and logs. */
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { NODE_DEFINITIONS } from '../../../../src/protocol/metric.ts';
import { isGone } from '../../../../src/protocol/names/node-state.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { sentQuery } from '../../api/sent-metrics.ts';
import { OPEN_PHASES } from '../../lists/counted.ts';
import { sumOfUnsaved } from '../../lists/risk-tone.ts';
import { shownState } from '../../lists/shown-state.ts';
import type { LogFilter } from '../../logs/log-filter.ts';
import { Badge } from '../../parts/badge.tsx';
import { useTextNow } from '../../parts/clock.ts';
import { CopiedId, Fact, Facts } from '../../parts/facts.tsx';
import { WithFindings } from '../../parts/findings.tsx';
import { countText, decimalText, priceText, spanText, wordsOf } from '../../parts/format.ts';
import { JobRows } from '../../parts/job-rows.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, Empty, isAsking } from '../../parts/states.tsx';
import { Age, localText, Moment } from '../../parts/time.tsx';
import { type JobRow, nodeJobsQuery } from '../../queries/jobs.ts';
import { useNode } from '../../queries/kept-lists.ts';
import { nodeFilesQuery } from '../../queries/nodes.ts';
import { type Bounds, type RangeName, rangeOf, searchOf } from '../../range/range.ts';
import { GoneBanner } from './gone-banner.tsx';
import { NodeActions } from './node-actions.tsx';
import { NodeCharts } from './node-charts.tsx';
import { NodeLogs } from './node-logs.tsx';
import { OnceKnown, ReclaimOf } from './reclaim-of.tsx';
import { timeLeftText } from './reclaim-text.ts';
import { SlowSaves } from './slow-saves.tsx';

/** Of the charts, where the address names none. */
const USAGE_RANGE: RangeName = '1h';
/** Jobs that are not over, the most unsaved work first; those that are over fill up a few rows. */
const OPEN_SHOWN = 10;
const JOBS_SHOWN = 5;

export function NodePage(): ReactNode {
  const { id } = useSearch({ from: '/node' });
  const query = useNode(id);
  const goneAtMs = useGoneAt(query.data, query.dataUpdatedAt);
  // Asked at once, as the charts wait for it.
  useQuery(sentQuery(id));
  return (
    <>
      <PageHead
        title={`Node ${query.data?.id ?? id}`}
        trail={
          <Link to="/nodes" search={{ state: 'all' }}>
            All nodes
          </Link>
        }
      >
        {query.data ? <NodeActions node={query.data} /> : null}
      </PageHead>
      <Answered
        query={query}
        what="the node"
        missing={
          <Empty title="No node has this id">
            <p>Lost and deregistered nodes are kept for 30 days.</p>
            <Link to="/nodes" search={{ q: id, state: 'all' }}>
              Search for it in all nodes
            </Link>
          </Empty>
        }
      >
        {(node) => (
          <>
            <NodeLine node={node} />
            <OnceKnown key={node.id} node={node}>
              {isGone(node) ? <Gone node={node} goneAtMs={goneAtMs ?? 0} /> : <Here node={node} />}
            </OnceKnown>
          </>
        )}
      </Answered>
    </>
  );
}

/** When it was first read that the node is gone; undefined of one that is here. */
function useGoneAt(node: WorkerNode | undefined, readAtMs: number): number | undefined {
  const [gone, setGone] = useState<{ readonly id: string; readonly atMs: number }>();
  const id = node && isGone(node) ? node.id : undefined;
  if (gone?.id !== id) setGone(id === undefined ? undefined : { id, atMs: readAtMs });
  return gone?.id === id ? gone?.atMs : readAtMs;
}

function Here({ node }: { node: WorkerNode }): ReactNode {
  return (
    <WithFindings kind="node" id={node.id}>
      <ReclaimOf node={node} />
      <SlowSaves node={node} />
      <NodeJobs node={node}>
        <Usage node={node} />
        <Logs id={node.id} />
        <NodeFacts node={node} />
      </NodeJobs>
    </WithFindings>
  );
}

/** What it has left behind comes first, and there is no place for figures that it never sent. */
function Gone({ node, goneAtMs }: { node: WorkerNode; goneAtMs: number }): ReactNode {
  const { data: sent } = useQuery(sentQuery(node.id));
  const hasFigures = NODE_DEFINITIONS.some(({ id }) => sent?.includes(id) ?? true);
  return (
    <>
      <GoneBanner node={node} goneAtMs={goneAtMs} />
      <ReclaimOf node={node} />
      <NodeJobs node={node}>
        {hasFigures ? <Usage node={node} /> : null}
        <Logs id={node.id} />
        <NodeFacts node={node} />
      </NodeJobs>
    </>
  );
}

/** As the processor itself says who made it. */
const CPU_VENDORS: Readonly<Record<string, string>> = { AuthenticAMD: 'AMD', GenuineIntel: 'Intel' };

/** Below the title: what one asks first. */
function NodeLine({ node }: { node: WorkerNode }): ReactNode {
  const { id, lastHeartbeat, instance, interruption, agent } = node;
  // The page's own list of its jobs.
  const { data: jobs } = useQuery(nodeJobsQuery(id));
  const shown = shownState(node, jobs && runningOf(jobs.rows).length);
  const type = [instance.instanceType, wordsOf(instance.payType)].filter(Boolean).join(' · ');
  return (
    <dl className="fact-line" aria-label="In short">
      <div>
        <dt className="hidden">State</dt>
        <dd>
          <Badge state={shown} title={shown === 'noCheckpoints' ? agent?.reason : undefined} />{' '}
          {shown === 'reclaiming' && interruption ? <TimeLeft of={interruption.time} /> : null}
        </dd>
      </div>
      <Fact name="Last heartbeat">
        <Age of={lastHeartbeat} />
      </Fact>
      {type ? <Fact name="Instance">{type}</Fact> : null}
      {instance.zone ? <Fact name="Zone">{instance.zone}</Fact> : null}
    </dl>
  );
}

/** Until the cloud takes the machine. */
function TimeLeft({ of }: { of: string }): ReactNode {
  const text = useTextNow((nowMs) => timeLeftText(of, nowMs));
  return (
    <time className="number" dateTime={of} title={localText(of)}>
      {text}
    </time>
  );
}

/** What is looked up rather than read. */
function NodeFacts({ node }: { node: WorkerNode }): ReactNode {
  const { instance } = node;
  const { data: files } = useQuery(nodeFilesQuery(node.id));
  const price = (usd: number | undefined): string | undefined =>
    usd === undefined ? undefined : `${priceText(usd)} an hour`;
  return (
    <section className="panel" aria-labelledby="details">
      <h2 id="details">Details</h2>
      <Facts
        facts={[
          ['Host', node.hostName === node.id ? undefined : node.hostName],
          ['Addresses', node.ips.join(', ')],
          ['Cloud', [node.cloud, instance.region].filter(Boolean).join(' · ')],
          ['Instance id', instance.instanceId && <CopiedId key="i" id={instance.instanceId} what="the instance id" />],
          ['Price', price(instance.pricePerHour)],
          ['On demand', price(instance.onDemandPricePerHour)],
          ['Processor', processorText(node)],
          // What the agent could not read is no zero.
          ['Memory', node.memoryInMB > 0 ? `${decimalText(node.memoryInMB / 1024)} GiB` : undefined],
          ['Created', instance.createTime ? <Moment key="c" at={instance.createTime} /> : undefined],
          ['Logs', files?.length === 0 ? 'None were sent' : undefined],
        ]}
      />
    </section>
  );
}

function processorText({ cores, cpuVendor, cpuModel, arch }: WorkerNode): string | undefined {
  if (cores === 0) return undefined;
  const vendor = CPU_VENDORS[cpuVendor] ?? cpuVendor;
  // `Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz`: the trade marks and the clock are left out.
  const model = cpuModel
    .replace(/\((R|TM)\)/gi, '')
    .replace(/ (CPU|Processor)? ?@.*$/, '')
    .replace(/\s+/g, ' ')
    .trim();
  const isTold = vendor !== '' && model.toLowerCase().startsWith(vendor.toLowerCase());
  return `${countText(cores)} × ${[isTold ? '' : vendor, model, arch].filter(Boolean).join(' ')}`;
}

/** `children`: what stands below, which comes once it is known how long the list is. */
function NodeJobs({ node, children }: { node: WorkerNode; children: ReactNode }): ReactNode {
  const query = useQuery(nodeJobsQuery(node.id));
  // That no job is stranded on a node that is gone stands at the top.
  if (isGone(node) && query.data?.rows.length === 0) return children;
  return (
    <>
      <section className="panel" aria-labelledby="jobs">
        <h2 id="jobs">
          Jobs <RunningJobs rows={query.data?.rows ?? []} />
        </h2>
        <Answered query={query} what="jobs">
          {({ rows, hasMore }) =>
            rows.length === 0 ? (
              <p className="muted">No jobs here</p>
            ) : (
              <>
                <JobRows jobs={shownOf(rows)} isOf="node" />
                {rows.length > shownOf(rows).length ? (
                  <p>
                    <Link to="/jobs" search={{ node: node.id }} className="over-print">
                      Show all {hasMore ? '' : countText(rows.length)}
                    </Link>
                  </p>
                ) : null}
              </>
            )
          }
        </Answered>
      </section>
      {isAsking(query) ? null : children}
    </>
  );
}

function shownOf(rows: readonly JobRow[]): readonly JobRow[] {
  const open = rows.filter(({ phase }) => OPEN_PHASES.includes(phase)).length;
  return rows.slice(0, Math.min(OPEN_SHOWN, Math.max(JOBS_SHOWN, open)));
}

function Usage({ node }: { node: WorkerNode }): ReactNode {
  const { id } = node;
  const search = useSearch({ from: '/node' });
  // Of a node that is gone the last figures are looked for, not an hour without any.
  const isChosen = search.range !== undefined || search.start !== undefined;
  const range = isGone(node) && !isChosen ? lastHourOf(node) : rangeOf(search, USAGE_RANGE);
  const navigate = useNavigate({ from: '/node' });
  return (
    <NodeCharts
      memoryInMB={node.memoryInMB}
      id={id}
      range={range}
      onRange={(next) =>
        void navigate({
          search: (before) => ({ ...before, id, ...searchOf(next) }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}

function runningOf(rows: readonly JobRow[]): readonly JobRow[] {
  return rows.filter(({ phase }) => phase === 'running');
}

/** What goes with the node. */
function RunningJobs({ rows }: { rows: readonly JobRow[] }): ReactNode {
  const running = runningOf(rows);
  if (running.length === 0) return null;
  const unsaved = sumOfUnsaved(running);
  return (
    <span className="muted">
      {countText(running.length)} running, {spanText(unsaved)} unsaved
    </span>
  );
}

const MINUTE_MS = 60_000;

function lastHourOf({ lastHeartbeat }: WorkerNode): Bounds {
  const endMs = Math.floor(Date.parse(lastHeartbeat) / MINUTE_MS + 1) * MINUTE_MS;
  return { startMs: endMs - 60 * MINUTE_MS, endMs };
}

/** Nothing of its own where there are none: the details say so. */
function Logs({ id }: { id: string }): ReactNode {
  const { data: files } = useQuery(nodeFilesQuery(id));
  const { file, q, level, from, around, byte } = useSearch({ from: '/node' });
  const filter = useMemo(() => ({ q, level, from, around, byte }), [q, level, from, around, byte]);
  const navigate = useNavigate({ from: '/node' });
  const set = useCallback(
    (change: LogFilter & { file?: string }) =>
      void navigate({
        search: (before) => ({ ...before, id, ...change }),
        replace: change.around === undefined,
        resetScroll: false,
      }),
    [navigate, id],
  );
  // The router looks for it when the page is opened, which may be before its answers are there.
  const isAimedAt = useLocation().hash === 'logs';
  const isThere = files !== undefined;
  useEffect(() => {
    if (isAimedAt && isThere) document.getElementById('logs')?.scrollIntoView();
  }, [isAimedAt, isThere]);
  if (files?.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="logs">
      <h2 id="logs">Logs</h2>
      <NodeLogs id={id} file={file} onFile={(next) => set({ file: next })} filter={filter} onFilter={set} />
    </section>
  );
}
