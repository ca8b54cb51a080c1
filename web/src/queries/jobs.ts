/** What the pages ask of jobs and queues: paths, keys and how long an answer holds. */
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { JobDetail } from '../../../src/protocol/job.ts';
import type { JobCount } from '../../../src/protocol/lists/job-query.ts';
import { STATUS_UNKNOWN } from '../../../src/protocol/names/job-status.ts';
import type { CheckpointOrder } from '../../../src/protocol/order.ts';
import type { Queue } from '../../../src/protocol/queue.ts';
import { ask, askJson, withQuery } from '../api/request.ts';
import { OPEN_PHASES, RESTORING } from '../lists/counted.ts';
import {
  isByDuration,
  isByNode,
  isByUnsaved,
  isSortedHere,
  isSortedWhole,
  type Moments,
  sortedHere,
} from '../lists/job-orders.ts';
import { isNeverSaved, type RunningJob, withUntold } from '../lists/risk-tone.ts';
import { momentsOf, nodeNamesQuery } from './nodes.ts';
import { type Bounded, bounded, nextOf, PAGE_ROWS, type Page } from './paging.ts';
import { previousAnswer } from './previous-answer.ts';

/** Rows of the first page: what is seen at once, some 40 kB. */
const FIRST_ROWS = 200;
/** Jobs that are read at once to find those with the most unsaved work: the server looks at the events of each. */
export const RUNNING_ROWS_MAX = 500;

export const JOB_COLUMNS =
  'id,queueName,name,status,phase,nodeOid,spotProtCount,createdAt,updatedAt,unsavedSeconds,lastCheckpointAt,statusSince';
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
  | 'unsavedSeconds'
> & {
  readonly lastCheckpointAt: string | null;
  /** Null where the server cannot tell. */
  readonly statusSince?: string | null;
  readonly lastEventDetail?: string | null;
};

/** Since when it is what it is, RFC 3339: a job that has ended, or waits, may have later events, which change nothing of that. */
export function sinceOf(job: Since): string {
  const { status, statusSince, createdAt, updatedAt } = job;
  // It was submitted, and events of its volumes are no status.
  return statusSince ?? (status === STATUS_UNKNOWN ? (createdAt ?? updatedAt) : updatedAt);
}

type Since = Pick<JobRow, 'statusSince' | 'updatedAt'> & Partial<Pick<JobRow, 'status' | 'createdAt'>>;

export type JobFilter = Readonly<
  Record<'q' | 'queue' | 'phase' | 'status' | 'node' | 'sort' | 'updatedAfter' | 'updatedBefore', string | undefined>
>;

export function jobsPath(
  filter: Partial<JobFilter>,
  extra: Readonly<Record<string, string | number | readonly string[]>> = {},
): string {
  const isRestoring = filter.phase === 'restoring' && filter.status === undefined;
  return withQuery('/api/v1/job', {
    ...filter,
    phase: filter.phase?.split(',') ?? (isByUnsaved(filter.sort) ? UNSAVED_PHASES : undefined),
    ...(isRestoring ? { status: RESTORING } : {}),
    sort: isSortedHere(filter.sort) ? undefined : filter.sort,
    ...extra,
  });
}

/** What a file of jobs has: what the list shows, and why. */
export const JOB_FILE_COLUMNS = `${JOB_COLUMNS},lastEventDetail`;

/** The most jobs that the browser sorts; the server's own limit of a page. */
export const SORTED_ROWS_MAX = 10_000;

/** Whether jobs of these phases can be compared by it. */
export function isOrderOf(sort: string | undefined, phase: string | undefined): boolean {
  return !isByUnsaved(sort) || hasUnsaved(phase);
}

/** Of jobs that stand to lose work: the others have no unsaved work to be sorted by. */
const UNSAVED_PHASES: readonly string[] = ['running', 'stranded'];

/** Whether a row belongs to the list of these phases and this last event; the other filters are not looked at. */
export function isOfFilter(row: JobRow, { phase, status, sort }: Partial<JobFilter>): boolean {
  if (phase === undefined && isByUnsaved(sort) && !UNSAVED_PHASES.includes(row.phase)) return false;
  if (phase !== undefined && !phase.split(',').includes(row.phase)) return false;
  if (status !== undefined) return row.status === status;
  return phase !== 'restoring' || RESTORING.includes(row.status);
}

/** Whether any job of these phases, or of all, stands to lose work. */
export function hasUnsaved(phase: string | undefined): boolean {
  return phase?.split(',').some((name) => UNSAVED_PHASES.includes(name)) ?? true;
}

/** Whether the server knows a job at all. */
export const anyJobQuery = queryOptions({
  queryKey: ['jobs', 'any'],
  queryFn: async ({ signal }) => (await askJson<unknown[]>('/api/v1/job?limit=1&fields=id', { signal })).length > 0,
});

/** The rows of an answer, wherever jobs are listed or kept. */
export async function jobRowsOf(response: Response): Promise<readonly JobRow[]> {
  return withUntold((await response.json()) as JobRow[], Date.now());
}

export async function boundedJobs(path: string, signal: AbortSignal): Promise<Bounded<JobRow>> {
  const { rows, hasMore } = await bounded<JobRow>(path, signal);
  return { rows: withUntold(rows, Date.now()), hasMore };
}

/** Pages of jobs. `useFollowedJobs` reads the first again when something changed. */
export function jobsQuery(filter: Partial<JobFilter>) {
  return infiniteQueryOptions({
    queryKey: ['job-pages', filter],
    queryFn: ({ pageParam, signal, client }) => jobsPage({ client, filter, signal, path: pageParam }),
    initialPageParam: firstJobsPath(filter),
    getNextPageParam: ({ next }) => next?.replace(/\blimit=\d+/, `limit=${PAGE_ROWS}`),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What an order compares by. How long a stranded job went on its node tells; who may not see nodes has the jobs all the same. */
async function momentsFor(client: QueryClient, sort: string): Promise<Moments> {
  if (!isByDuration(sort) && !isByNode(sort)) return { nowMs: Date.now() };
  return momentsOf(await client.fetchQuery(nodeNamesQuery).catch(() => undefined));
}

/** Whether a list of these phases says why its jobs do not run, in place of what they stand to lose. */
export function tellsReasons(phase: string | undefined): boolean {
  return phase?.split(',').every((name) => WITH_REASON.includes(name)) ?? false;
}

/** Whether any job of a list may say why it does not run. */
function hasReasons({ phase, sort }: Partial<JobFilter>): boolean {
  const phases = phase?.split(',') ?? (isByUnsaved(sort) ? UNSAVED_PHASES : WITH_REASON);
  return phases.some((name) => WITH_REASON.includes(name));
}

const WITH_REASON: readonly string[] = ['restoring', 'failed', 'stopped'];

function firstJobsPath(filter: Partial<JobFilter>): string {
  const fields = hasReasons(filter) ? `${JOB_COLUMNS},lastEventDetail` : JOB_COLUMNS;
  return jobsPath(filter, { fields, limit: isSortedWhole(filter.sort) ? SORTED_ROWS_MAX : FIRST_ROWS });
}

interface JobsPageOptions {
  readonly client: QueryClient;
  readonly filter: Partial<JobFilter>;
  readonly signal: AbortSignal;
  readonly path?: string;
}

/** The first page of a list, or the one of that path. */
export async function jobsPage({
  client,
  filter,
  signal,
  path = firstJobsPath(filter),
}: JobsPageOptions): Promise<Page<JobRow>> {
  const response = await ask(path, { signal });
  const rows = await jobRowsOf(response);
  const next = nextOf(response);
  const { sort } = filter;
  const isWhole = next === null && path === firstJobsPath(filter);
  if (!isSortedWhole(sort) || (isByNode(sort) && !isWhole)) return { rows: bySince(rows, sort), next };
  return { rows: sortedHere(rows, sort, await momentsFor(client, sort)), next: null, isCut: next !== null };
}

/** The server's order is that of the newest events; the one that is seen is that of the times in the rows. */
function bySince(rows: readonly JobRow[], sort: string | undefined): readonly JobRow[] {
  if (sort !== 'updatedAt' && sort !== '-updatedAt') return rows;
  const sign = sort === 'updatedAt' ? 1 : -1;
  return rows.toSorted((a, b) => sign * (Date.parse(sinceOf(a)) - Date.parse(sinceOf(b))));
}

/** What became of the last order to save a job; null without one in a day. */
export function checkpointOrderQuery(id: string) {
  return queryOptions({
    queryKey: ['jobs', 'checkpoint-order', id],
    queryFn: async ({ signal }): Promise<CheckpointOrder | null> => {
      const path = `/api/v1/job/${encodeURIComponent(id)}/checkpoint`;
      return (await askJson<{ order: CheckpointOrder | null }>(path, { signal })).order;
    },
    // No event tells that the node has taken it.
    refetchInterval: ({ state }) => (state.data && state.data.takenAt === null ? 3_000 : false),
  });
}

/** How many jobs a list with these filters has in each phase. */
export function jobCountQuery({ phase: _, sort: __, ...filter }: Partial<JobFilter>) {
  return queryOptions({
    queryKey: ['jobs', 'count', filter],
    queryFn: ({ signal }) => askJson<JobCount>(withQuery('/api/v1/job/count', { by: 'phase', ...filter }), { signal }),
    placeholderData: previousAnswer(),
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

/** What the running jobs would lose; of more than `SORTED_ROWS_MAX`, those that were created first. */
export const runningJobsQuery = queryOptions({
  queryKey: ['jobs', 'running'],
  queryFn: async ({ client }): Promise<RunningJobs> => {
    const first = await client.fetchQuery({ ...firstRunningQuery, staleTime: 0 });
    if (!first.hasMore) return runningOf(first);
    const { rows, hasMore } = await client.fetchQuery(allRunningQuery);
    // Both in the same order; of those read before, one that is missing in the first rows has ended.
    const others = rows.slice(rows.findIndex(({ id }) => id === first.rows.at(-1)?.id) + 1);
    return runningOf({ rows: eachOnce(first.rows, others), hasMore });
  },
  // It grows without an event that tells.
  refetchInterval: 15_000,
});

/** Those that were created first, for a page that cannot wait until thousands are read. */
export const firstRunningQuery = queryOptions({
  queryKey: ['first-running'],
  queryFn: ({ signal }) => bounded<JobRow>(runningPath(RUNNING_ROWS_MAX), signal),
});

export function runningOf({ rows, hasMore }: Bounded<JobRow>): RunningJobs {
  return { rows: sortedHere(rows, '-unsaved', { nowMs: Date.now() }).flatMap(runningJobOf), hasMore };
}

/** A large answer, which is read once a minute; no event makes it be read again. */
const allRunningQuery = queryOptions({
  queryKey: ['all-running'],
  queryFn: ({ signal }) => bounded<JobRow>(runningPath(SORTED_ROWS_MAX), signal),
  staleTime: 60_000,
});

function runningPath(limit: number): string {
  const fields = 'id,queueName,unsavedSeconds,lastCheckpointAt,spotProtCount';
  return jobsPath({ phase: 'running' }, { fields, limit });
}

/** None without a figure of unsaved work. */
function runningJobOf(job: JobRow): RunningJob[] {
  const { id, queueName, unsavedSeconds } = job;
  return unsavedSeconds === null ? [] : [{ id, queueName, unsavedSeconds, isNeverSaved: isNeverSaved(job) }];
}

const NODE_JOBS = 100;

export interface NodeJobs extends Bounded<JobRow> {
  /** By this machine's clock: what is told of them is not older. */
  readonly askedAtMs: number;
}

/** The jobs of a node: first those that are not over, the most unsaved work first, then those that changed last. */
export function nodeJobsQuery(node: string) {
  return queryOptions({
    queryKey: ['jobs', 'of-node', node],
    queryFn: async ({ signal }): Promise<NodeJobs> => {
      const askedAtMs = Date.now();
      const path = (more: { readonly phase?: readonly string[] }): string =>
        jobsPath({ node, sort: '-updatedAt' }, { fields: JOB_COLUMNS, limit: NODE_JOBS, ...more });
      const [open, all] = await Promise.all(
        [path({ phase: OPEN_PHASES }), path({})].map((one) => boundedJobs(one, signal)),
      );
      const rows = eachOnce(sortedHere(open?.rows ?? [], '-unsaved', { nowMs: Date.now() }), all?.rows ?? []);
      return { rows, hasMore: all?.hasMore === true || open?.hasMore === true, askedAtMs };
    },
  });
}

/** The first ones, then those of all that are not among them. */
export function eachOnce<T extends { readonly id: string }>(first: readonly T[], all: readonly T[]): T[] {
  const known = new Set(first.map(({ id }) => id));
  return [...first, ...all.filter(({ id }) => !known.has(id))];
}

const FOUND_JOBS = 200;
const TROUBLED_PHASES: readonly string[] = ['stranded', 'failed'];
export type FoundJob = Pick<JobDetail, 'id' | 'queueName' | 'phase' | 'name' | 'nodeOid'>;

/**
 * Jobs that have this text: first those that are in trouble, then the others, both as they changed last. Trouble is asked for
 * by itself: where many jobs have the text, those that run would take all the room.
 */
export function foundJobsQuery(q: string) {
  return queryOptions({
    queryKey: ['palette', 'jobs', q],
    queryFn: async ({ signal }): Promise<Bounded<FoundJob>> => {
      const [troubled, all] = await Promise.all(
        [TROUBLED_PHASES, []].map((phase) => {
          const path = jobsPath(
            { q, sort: '-updatedAt' },
            { phase, fields: 'id,queueName,phase,name,nodeOid', limit: FOUND_JOBS },
          );
          return bounded<FoundJob>(path, signal);
        }),
      );
      return { rows: eachOnce(troubled?.rows ?? [], all?.rows ?? []), hasMore: all?.hasMore === true };
    },
    enabled: q !== '',
  });
}

export function jobQuery(id: string) {
  return queryOptions({
    queryKey: ['jobs', 'one', id],
    queryFn: ({ signal }) => askJson<JobDetail>(`/api/v1/job/${encodeURIComponent(id)}`, { signal }),
  });
}

/** Jobs that are at work or should be, by their last event. */
export const liveStatusesQuery = queryOptions({
  queryKey: ['jobs', 'count', 'live-statuses'],
  queryFn: ({ signal }) =>
    askJson<JobCount>('/api/v1/job/count?by=status&phase=starting&phase=running&phase=restoring', { signal }),
});
