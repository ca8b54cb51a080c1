/** What the pages ask of the server, by name: one place for paths, keys and how long an answer holds. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Config } from '../../../src/protocol/config/config.ts';
import type { DoctorReport } from '../../../src/protocol/explain/doctor.ts';
import type { Explanation } from '../../../src/protocol/explain/finding.ts';
import type { ServiceToken } from '../../../src/protocol/identity/service-token.ts';
import type { JobDetail } from '../../../src/protocol/job.ts';
import type { JobCount } from '../../../src/protocol/lists/job-query.ts';
import type { MetricEntry, Series, Summary } from '../../../src/protocol/metric.ts';
import type { WorkerNode } from '../../../src/protocol/node.ts';
import type { Queue } from '../../../src/protocol/queue.ts';
import type { Webhook, WebhookDetail } from '../../../src/protocol/webhook.ts';
import { readProvider } from './provider.ts';
import { ApiError, ask, askJson, withQuery } from './request.ts';

export interface Page<T> {
  readonly rows: readonly T[];
  /** Path of the next page; null at the end. */
  readonly next: string | null;
  /** Whether rows behind these are not read at all. */
  readonly isCut?: boolean;
}

export interface Bounded<T> {
  readonly rows: readonly T[];
  /** Whether there are more than were asked for. */
  readonly hasMore: boolean;
}

export interface ConfigChange {
  readonly version: number;
  readonly time: string;
  readonly who: string;
  readonly key: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Rows of the first page: what is seen at once, some 40 kB. */
const FIRST_ROWS = 200;
/** Rows of those behind it: who scrolls on wants many, and each page costs a look at all rows. */
export const PAGE_ROWS = 2_000;
/** The most that a list counts itself; beyond it the page says "more than". */
export const COUNT_ROWS_MAX = 10_000;
/** Running jobs that the most unsaved work is looked for in: the server looks at the events of each. */
export const RUNNING_ROWS_MAX = 500;

/** How often an explanation is asked for again: the ages in it grow. */
const EXPLAIN_EVERY_MS = 15_000;
/** No event tells of deliveries. */
const DELIVERIES_EVERY_MS = 5_000;

const JOB_COLUMNS =
  'id,queueName,name,status,phase,nodeOid,spotProtCount,createdAt,updatedAt,workAtRisk,lastCheckpointAt';
export type JobRow = Pick<
  JobDetail,
  | 'id'
  | 'queueName'
  | 'name'
  | 'status'
  | 'phase'
  | 'nodeOid'
  | 'spotProtCount'
  | 'createdAt'
  | 'updatedAt'
  | 'workAtRisk'
> & { readonly lastCheckpointAt: string | null; readonly lastEventDetail?: string | null };

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => askJson<Config>('/api/v1/config', { signal }),
});

export const historyQuery = queryOptions({
  queryKey: ['config', 'history'],
  queryFn: ({ signal }) => askJson<ConfigChange[]>('/api/v1/config/history', { signal }),
});

/** It changes by itself: disks fill, backups age. */
export const doctorQuery = queryOptions({
  queryKey: ['doctor'],
  queryFn: ({ signal }) => askJson<DoctorReport>('/api/v1/doctor', { signal }),
  refetchInterval: 30_000,
});

export const idpQuery = queryOptions({
  queryKey: ['idp'],
  queryFn: ({ signal }) => readProvider(signal),
});

/** Who the caller is, by the token that is sent. */
export function meQuery(token: string | null) {
  return queryOptions({
    queryKey: ['me', token],
    queryFn: ({ signal }) => askJson<{ readonly roles: readonly string[] }>('/api/v1/security/me', { signal }),
    staleTime: 60_000,
  });
}

export type NodeFilter = Readonly<
  Record<
    'q' | 'state' | 'sort' | 'zone' | 'instanceType' | 'payType' | 'heartbeatAfter' | 'heartbeatBefore',
    string | undefined
  >
>;

export function nodesQuery(filter: Partial<NodeFilter>) {
  return queryOptions({
    queryKey: ['nodes', filter],
    queryFn: ({ signal }) =>
      bounded<WorkerNode>(withQuery('/api/v1/node', { ...filter, limit: COUNT_ROWS_MAX }), signal),
  });
}

/** The node of this id or, failing that, of this instance id. */
export function nodeQuery(id: string) {
  return queryOptions({
    queryKey: ['nodes', 'one', id],
    queryFn: async ({ signal }): Promise<WorkerNode> => {
      try {
        return await askJson<WorkerNode>(`/api/v1/node/${encodeURIComponent(id)}`, { signal });
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
        const node = (await nodesNamed(id, signal)).find(({ instance }) => instance.instanceId === id);
        if (node) return node;
        throw error;
      }
    },
  });
}

/** Nodes of which a text holds this one, newest first. */
function nodesNamed(name: string, signal: AbortSignal): Promise<WorkerNode[]> {
  const path = withQuery('/api/v1/node', { q: name, state: 'all', sort: '-lastHeartbeat', limit: 200 });
  return askJson<WorkerNode[]>(path, { signal });
}

/** The node that events name, by its instance or its id; null where there is none. The newest, should several have borne the name. */
export function nodeOfInstanceQuery(nodeOid: string) {
  return queryOptions({
    queryKey: ['nodes', 'of-instance', nodeOid],
    queryFn: async ({ signal }): Promise<WorkerNode | null> => {
      const nodes = await nodesNamed(nodeOid, signal);
      return nodes.find(({ id, instance }) => instance.instanceId === nodeOid || id === nodeOid) ?? null;
    },
    staleTime: 30_000,
  });
}

/** What a list of jobs tells of a node. */
export type NamedNode = Pick<WorkerNode, 'id' | 'state' | 'lastHeartbeat'>;

/** Each node by its instance id. Nodes that are not among the newest 10,000 are named as the job names them. */
export const nodeNamesQuery = queryOptions({
  queryKey: ['nodes', 'names'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, NamedNode>> => {
    const fields = 'id,state,lastHeartbeat,instance.instanceId';
    const path = withQuery('/api/v1/node', { state: 'all', sort: '-lastHeartbeat', fields, limit: COUNT_ROWS_MAX });
    const nodes = await askJson<(NamedNode & Pick<WorkerNode, 'instance'>)[]>(path, { signal });
    // The newest of those that have borne a name comes first, and wins.
    return new Map(nodes.toReversed().map((node) => [node.instance.instanceId, node]));
  },
  staleTime: 30_000,
});

/** How many nodes run, those that are late included; at most 10,000. */
export const runningNodesQuery = queryOptions({
  queryKey: ['nodes', 'count', 'running'],
  queryFn: async ({ signal }) =>
    (await askJson<unknown[]>(withQuery('/api/v1/node', { fields: 'id', limit: COUNT_ROWS_MAX }), { signal })).length,
});

export function nodeFilesQuery(id: string) {
  return queryOptions({
    queryKey: ['nodes', 'files', id],
    queryFn: ({ signal }) => askJson<string[]>(`/api/v1/nodes/${encodeURIComponent(id)}/files`, { signal }),
  });
}

/** Nodes that run or ran on spot machines, as far as reclaims are concerned; the newest 10,000. */
export const spotNodesQuery = queryOptions({
  queryKey: ['nodes', 'spot'],
  queryFn: ({ signal }) => {
    const fields = 'id,state,lastHeartbeat,interruption,instance.zone,instance.instanceType,instance.createTime';
    const query = { state: 'all', payType: 'Spot', sort: '-lastHeartbeat', fields, limit: COUNT_ROWS_MAX };
    return bounded<Pick<WorkerNode, 'id' | 'state' | 'lastHeartbeat' | 'interruption' | 'instance'>>(
      withQuery('/api/v1/node', query),
      signal,
    );
  },
});

/** The last lines of a stored log; nothing is asked where there is no path. */
export function logTailQuery(path: string | undefined, lines: number) {
  return queryOptions({
    queryKey: ['logs', 'tail', path, lines],
    queryFn: async ({ signal }) => (await ask(withQuery(path ?? '', { tail: lines }), { signal })).text(),
    enabled: path !== undefined,
  });
}

export type JobFilter = Readonly<
  Record<'q' | 'queue' | 'phase' | 'status' | 'node' | 'sort' | 'updatedAfter' | 'updatedBefore', string | undefined>
>;

export function jobsPath(
  filter: Partial<JobFilter>,
  extra: Readonly<Record<string, string | number | readonly string[]>> = {},
): string {
  const sort = isByUnsaved(filter.sort) ? undefined : filter.sort;
  const isRestoring = filter.phase === 'restoring' && filter.status === undefined;
  return withQuery('/api/v1/job', { ...filter, ...(isRestoring ? { status: RESTORING } : {}), sort, ...extra });
}

/** Of the phase restoring, but nothing restores such a job. */
export const RESTORE_FAILED = 'RestoreFailed';
/** Statuses of the jobs of that phase that are being restored. */
const RESTORING: readonly string[] = ['Restoring', 'RestoreVolumeUnready'];

/** The order by unsaved work. It changes as time passes, so the server keeps none: the browser sorts the running jobs. */
const UNSAVED = 'unsaved';
/** The most that it sorts; the server's own limit of a page. */
export const UNSAVED_ROWS_MAX = 10_000;

export function isByUnsaved(sort: string | undefined): boolean {
  return sort === UNSAVED || sort === `-${UNSAVED}`;
}

/** Whether jobs of these phases stand to lose work: the others have no unsaved work to be sorted by. */
export function hasUnsaved(phase: string | undefined): boolean {
  return phase === 'running' || phase === 'stranded';
}

/** Equals by id. Jobs that do not run have no unsaved work, and come last. */
function byUnsaved(rows: readonly JobRow[], isLeastFirst: boolean): JobRow[] {
  const sign = isLeastFirst ? 1 : -1;
  const rank = ({ workAtRisk }: JobRow): number => (workAtRisk === null ? Number.POSITIVE_INFINITY : sign * workAtRisk);
  return rows.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

/** Whether the server knows a job at all. */
export const anyJobQuery = queryOptions({
  queryKey: ['jobs', 'any'],
  queryFn: async ({ signal }) => (await askJson<unknown[]>('/api/v1/job?limit=1&fields=id', { signal })).length > 0,
});

/** Pages of jobs. `useFollowedJobs` reads the first again when something changed. */
export function jobsQuery(filter: Partial<JobFilter>) {
  return infiniteQueryOptions({
    queryKey: ['job-pages', filter],
    queryFn: ({ pageParam, signal }) => jobsPage(filter, signal, pageParam),
    initialPageParam: firstJobsPath(filter),
    getNextPageParam: ({ next }) => next?.replace(/\blimit=\d+/, `limit=${PAGE_ROWS}`),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Whether a list of these phases says why its jobs do not run, in place of what they stand to lose. */
export function tellsReasons(phase: string | undefined): boolean {
  return phase?.split(',').every((name) => WITH_REASON.includes(name)) ?? false;
}

const WITH_REASON: readonly string[] = ['restoring', 'failed', 'stopped'];

function firstJobsPath(filter: Partial<JobFilter>): string {
  const fields = tellsReasons(filter.phase) ? `${JOB_COLUMNS},lastEventDetail` : JOB_COLUMNS;
  return jobsPath(filter, { fields, limit: isByUnsaved(filter.sort) ? UNSAVED_ROWS_MAX : FIRST_ROWS });
}

/** The first page of a list, or the one of that path. */
export async function jobsPage(
  filter: Partial<JobFilter>,
  signal: AbortSignal,
  path = firstJobsPath(filter),
): Promise<Page<JobRow>> {
  const response = await ask(path, { signal });
  const rows = (await response.json()) as JobRow[];
  const next = nextOf(response);
  return isByUnsaved(filter.sort)
    ? { rows: byUnsaved(rows, filter.sort === UNSAVED), next: null, isCut: next !== null }
    : { rows, next };
}

/** How many jobs a list with these filters has in each phase. */
export function jobCountQuery({ phase: _, sort: __, ...filter }: Partial<JobFilter>) {
  return queryOptions({
    queryKey: ['jobs', 'count', filter],
    queryFn: ({ signal }) => askJson<JobCount>(withQuery('/api/v1/job/count', { by: 'phase', ...filter }), { signal }),
    placeholderData: keepPreviousData,
  });
}

/** Every queue with its jobs by phase. */
export const queuesQuery = queryOptions({
  queryKey: ['jobs', 'queues'],
  queryFn: ({ signal }) => askJson<Queue[]>('/api/v1/queue', { signal }),
});

export interface RunningJobs {
  /** The most unsaved first; those without a figure are left out. */
  readonly rows: readonly RunningJob[];
  /** Whether there are jobs that were not read. */
  readonly hasMore: boolean;
}
export interface RunningJob {
  readonly id: string;
  readonly queueName: string;
  /** Seconds of run time that would be lost with the node. */
  readonly unsavedSeconds: number;
  /** Whether no checkpoint of it has ever succeeded. */
  readonly isNeverSaved: boolean;
}

/** What the running jobs would lose; of very many, those that were created first. */
export const runningJobsQuery = queryOptions({
  queryKey: ['jobs', 'running'],
  queryFn: async ({ signal }): Promise<RunningJobs> => {
    const fields = 'id,queueName,workAtRisk,lastCheckpointAt,spotProtCount';
    const path = jobsPath({ phase: 'running' }, { fields, limit: RUNNING_ROWS_MAX });
    const { rows, hasMore } = await bounded<JobRow>(path, signal);
    return { rows: byUnsaved(rows, false).flatMap(runningJobOf), hasMore };
  },
  // It grows without an event that tells.
  refetchInterval: 15_000,
});

/** None without a figure of unsaved work. */
function runningJobOf({ id, queueName, workAtRisk, lastCheckpointAt, spotProtCount }: JobRow): RunningJob[] {
  // A job that was restored has been saved, also where it is not told when.
  const isNeverSaved = lastCheckpointAt === null && spotProtCount === 0;
  return workAtRisk === null ? [] : [{ id, queueName, unsavedSeconds: workAtRisk, isNeverSaved }];
}

const NODE_JOBS = 100;
/** Of jobs that are not over. */
export const OPEN_PHASES: readonly string[] = ['starting', 'running', 'restoring', 'stranded'];

/** The jobs of a node: first those that are not over, the most unsaved work first, then those that changed last. */
export function nodeJobsQuery(node: string) {
  return queryOptions({
    queryKey: ['jobs', 'of-node', node],
    queryFn: async ({ signal }): Promise<Bounded<JobRow>> => {
      const path = (more: { readonly phase?: readonly string[] }): string =>
        jobsPath({ node, sort: '-updatedAt' }, { fields: JOB_COLUMNS, limit: NODE_JOBS, ...more });
      const [open, all] = await Promise.all(
        [path({ phase: OPEN_PHASES }), path({})].map((one) => bounded<JobRow>(one, signal)),
      );
      const first = byUnsaved(open?.rows ?? [], false);
      const known = new Set(first.map(({ id }) => id));
      const rows = [...first, ...(all?.rows ?? []).filter(({ id }) => !known.has(id))];
      return { rows, hasMore: all?.hasMore === true || open?.hasMore === true };
    },
  });
}

/** The jobs of a queue that changed last. */
export function queueJobsQuery(queue: string, limit: number) {
  return queryOptions({
    queryKey: ['jobs', 'of-queue', queue, limit],
    queryFn: ({ signal }) =>
      bounded<JobRow>(jobsPath({ queue, sort: '-updatedAt' }, { fields: JOB_COLUMNS, limit }), signal),
  });
}

export function jobQuery(id: string) {
  return queryOptions({
    queryKey: ['jobs', 'one', id],
    queryFn: ({ signal }) => askJson<JobDetail>(`/api/v1/job/${encodeURIComponent(id)}`, { signal }),
  });
}

export const serviceTokensQuery = queryOptions({
  queryKey: ['service-tokens'],
  queryFn: ({ signal }) => askJson<ServiceToken[]>('/api/v1/security/serviceToken', { signal }),
});

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => askJson<Webhook[]>('/api/v1/webhook', { signal }),
  refetchInterval: DELIVERIES_EVERY_MS,
});

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => askJson<WebhookDetail>(`/api/v1/webhook/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: DELIVERIES_EVERY_MS,
  });
}

/** Below the key of the job or the node, so that what makes that stale makes this stale too; the ages in it grow by themselves. */
export function explainQuery(kind: 'job' | 'node', id: string) {
  return queryOptions({
    queryKey: [kind === 'job' ? 'jobs' : 'nodes', 'one', id, 'explain'],
    queryFn: ({ signal }) => askJson<Explanation>(`/api/v1/${kind}/${encodeURIComponent(id)}/explain`, { signal }),
    refetchInterval: EXPLAIN_EVERY_MS,
  });
}

export function summaryQuery(start: string | undefined, end: string | undefined) {
  return queryOptions({
    queryKey: ['summary', start, end],
    queryFn: ({ signal }) => askJson<Summary>(withQuery('/api/v1/metrics/summary', { start, end }), { signal }),
    placeholderData: keepPreviousData,
  });
}

/** The server's own figures, as Prometheus text. */
export const metricsTextQuery = queryOptions({
  queryKey: ['jobs', 'metrics-text'],
  queryFn: async ({ signal }) => (await ask('/metrics', { signal })).text(),
  refetchInterval: 15_000,
});

/** Why the server doubts what it sees; without a reason it doubts nothing. */
export const readinessQuery = queryOptions({
  queryKey: ['nodes', 'readiness'],
  queryFn: ({ signal }) => askJson<{ readonly reasons: readonly string[] }>('/readyz', { signal }),
  refetchInterval: 10_000,
});

/** Jobs that are at work or should be, by their last event. */
export const liveStatusesQuery = queryOptions({
  queryKey: ['jobs', 'count', 'live-statuses'],
  queryFn: ({ signal }) =>
    askJson<JobCount>('/api/v1/job/count?by=status&phase=starting&phase=running&phase=restoring', { signal }),
});

export interface SeriesQuery {
  readonly object: string;
  readonly definition: string;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly interval?: string | undefined;
  readonly agg?: string | undefined;
}

export function seriesPath({ object, definition, ...query }: SeriesQuery): string {
  return withQuery(`/api/v1/metricValue/${encodeURIComponent(object)}/${encodeURIComponent(definition)}`, query);
}

/** The key holds the range's name (`keyOf`), not its times: so the last answer stays while the server is away. */
export function seriesQuery(series: SeriesQuery, range: string) {
  const { object, definition, interval, agg } = series;
  return queryOptions({
    queryKey: ['series', range, { object, definition, interval, agg }],
    queryFn: ({ signal }) => askJson<Series>(seriesPath(series), { signal }),
    placeholderData: keepPreviousData,
    // The range moves on every minute.
    refetchInterval: 60_000,
  });
}

/** Series whose name or id has each of the words, so many of them: there may be a million. */
export function metricsQuery(words: string, limit: number) {
  return queryOptions({
    queryKey: ['metrics', words, limit],
    queryFn: async ({ signal }): Promise<Bounded<MetricEntry>> => {
      const rows: MetricEntry[] = [];
      let path: string | null = withQuery('/api/v1/metric', { q: words, limit });
      // A page ends after a bounded search, also where it found fewer than it may hold.
      while (path !== null && rows.length < limit) {
        const page: Response = await ask(path, { signal });
        rows.push(...((await page.json()) as MetricEntry[]));
        path = nextOf(page);
      }
      return { rows: rows.slice(0, limit), hasMore: path !== null || rows.length > limit };
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}

/** What one series is; null where it is not known. */
export function metricQuery(object: string, definition: string) {
  return queryOptions({
    queryKey: ['metrics', 'one', object, definition],
    queryFn: async ({ signal }): Promise<MetricEntry | null> => {
      const entries = await askJson<MetricEntry[]>(withQuery('/api/v1/metric', { object, definition }), { signal });
      return entries[0] ?? null;
    },
    staleTime: 60_000,
  });
}

export async function bounded<T>(path: string, signal: AbortSignal): Promise<Bounded<T>> {
  const response = await ask(path, { signal });
  return { rows: (await response.json()) as T[], hasMore: nextOf(response) !== null };
}

/** Path of the next page. */
export function nextOf(response: Response): string | null {
  return /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
}

/** The script that makes a machine a worker; it changes with the server's version and certificate. */
export const installScriptQuery = queryOptions({
  queryKey: ['install-script'],
  queryFn: async ({ signal }) => (await ask('/api/v1/scripts/install-agent', { signal })).text(),
});
