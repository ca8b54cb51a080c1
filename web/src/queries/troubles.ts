/** What the pages ask of jobs that failed or make no progress, and of nodes that fell silent. */
import { queryOptions } from '@tanstack/react-query';
import type { JobCount } from '../../../src/protocol/lists/job-query.ts';
import type { Phase } from '../../../src/protocol/phase.ts';
import { ask, askJson, withQuery } from '../api/request.ts';
import {
  type FailedJob,
  type FailedJobs,
  type LongSteps,
  type LostNode,
  type LostNodes,
  longBefore,
  type NotableJob,
  RESTORE_FAILED,
  RESTORE_UNREADY,
  type SilentNode,
  START_UNREADY,
  type Within,
} from '../lists/counted.ts';
import { type RunningJob, sumOfUnsaved } from '../lists/risk-tone.ts';
import { boundsOf } from '../range/range.ts';
import { type JobFilter, type JobRow, jobsPath, sinceOf } from './jobs.ts';
import type { NodeFilter } from './nodes.ts';
import { bounded, COUNT_ROWS_MAX, nextOf, PAGE_ROWS } from './paging.ts';

const MINUTE_MS = 60_000;
/** What `sinceOf` needs. */
const SINCE = 'updatedAt,statusSince';
/** Of those that failed within the hour: as many as what changed may show, and more. */
const NEWEST = 50;

/** Jobs that failed within the last hour. */
export const failedSinceQuery = queryOptions({
  queryKey: ['jobs', 'failed-since'],
  queryFn: async ({ signal }): Promise<FailedJobs> => {
    const since = hourAgo();
    const filter = { phase: 'failed', updatedAfter: since };
    const path = jobsPath({ ...filter, sort: '-updatedAt' }, { fields: `id,queueName,${SINCE}`, limit: NEWEST });
    // Both at once: the first page waits for them.
    const [{ rows, hasMore }, all] = await Promise.all([bounded<JobRow>(path, signal), countByQueue(filter, signal)]);
    const newest = rows.map((job) => ({ id: job.id, queueName: job.queueName, failedAt: sinceOf(job) }));
    // Where all were read, one answer tells both, of the same moment.
    const { total, counts } = hasMore ? all : countsOf(newest);
    return { total, byQueue: counts, newest, since };
  },
  refetchInterval: MINUTE_MS,
});

/** What happened last to jobs that is worth a word, whenever it was: the stream of events does not reach so far back. */
const NOTABLE_STATUSES = [
  'Failed',
  'Stopped',
  'CheckpointFailed',
  'RestoreFailed',
  'Restoring',
  'RestoreSucceeded',
  'VolumeUnready',
  'RestoreVolumeUnready',
];
const NOTABLE_MAX = 20;

export const notableJobsQuery = queryOptions({
  queryKey: ['jobs', 'notable'],
  queryFn: async ({ signal }): Promise<readonly NotableJob[]> => {
    const path = withQuery('/api/v1/job', {
      status: NOTABLE_STATUSES,
      sort: '-updatedAt',
      fields: `id,status,${SINCE}`,
      limit: NOTABLE_MAX,
    });
    const rows = await askJson<Pick<JobRow, 'id' | 'status' | 'updatedAt' | 'statusSince'>[]>(path, { signal });
    return rows.map((job) => ({ id: job.id, status: job.status, since: sinceOf(job) }));
  },
});

function countsOf(jobs: readonly FailedJob[]): JobCount {
  const counts: Record<string, number> = {};
  for (const { queueName } of jobs) counts[queueName] = (counts[queueName] ?? 0) + 1;
  return { total: jobs.length, counts };
}

type Filter = Readonly<Record<string, string | readonly string[] | undefined>>;

function countByQueue(filter: Filter, signal: AbortSignal): Promise<JobCount> {
  return askJson<JobCount>(withQuery('/api/v1/job/count', { by: 'queue', ...filter }), { signal });
}

const ENDED_PHASES = ['failed', 'succeeded', 'stopped'];

export interface FailedCounts {
  /** By queue. */
  readonly now: JobCount;
  /** Jobs that ended, however they did; by queue. */
  readonly ended: JobCount;
  /** As long before. */
  readonly before: number;
  readonly within: Within;
}

/** How many jobs failed in a range, and in as much time before it. The key holds the range's name, so that its bounds may move on. */
export function failedCountsQuery(key: string, timesOf: () => { readonly within: Within; readonly before: Within }) {
  return queryOptions({
    queryKey: ['failures', 'count', key],
    queryFn: async ({ signal }): Promise<FailedCounts> => {
      const { within, before } = timesOf();
      const [now, ended, { total }] = await Promise.all([
        countByQueue({ phase: 'failed', ...within }, signal),
        countByQueue({ phase: ENDED_PHASES, ...within }, signal),
        countByQueue({ phase: 'failed', ...before }, signal),
      ]);
      return { now, ended, before: total, within };
    },
    refetchInterval: MINUTE_MS,
  });
}

/** Jobs that cannot go on, by queue: those whose restore failed, and those whose volume is not ready. */
export const unrestoredQuery = queryOptions({
  queryKey: ['jobs', 'count', 'unrestored'],
  queryFn: async ({ signal }) => {
    const of = (phase: Phase, status: string): Promise<JobCount> => countByQueue({ phase, status }, signal);
    const [failed, unready, unstarted] = await Promise.all([
      of('restoring', RESTORE_FAILED),
      of('restoring', RESTORE_UNREADY),
      of('starting', START_UNREADY),
    ]);
    return { failed, unready, unstarted };
  },
});

/** Pages of the failed jobs that are read for the chart of a range. */
const FAILED_PAGES_MAX = 5;

export interface Failures {
  /** When each failed, by its last change; the newest first. */
  readonly timesMs: readonly number[];
}

/** When jobs failed: no series counts them. The key holds the range's name, so that its bounds may move on. */
export function failuresQuery(key: string, timesOf: () => Within, queue: string | undefined) {
  return queryOptions({
    queryKey: ['failures', key, queue],
    queryFn: async ({ signal }): Promise<Failures> => {
      const filter = { phase: 'failed', sort: '-updatedAt', queue, ...timesOf() };
      let path: string | null = jobsPath(filter, { fields: 'updatedAt', limit: PAGE_ROWS });
      const timesMs: number[] = [];
      for (let pages = 0; path !== null && pages < FAILED_PAGES_MAX; pages++) {
        const page: Response = await ask(path, { signal });
        const rows = (await page.json()) as Pick<JobRow, 'updatedAt'>[];
        timesMs.push(...rows.map(({ updatedAt }) => Date.parse(updatedAt)));
        path = nextOf(page);
      }
      return { timesMs };
    },
    refetchInterval: MINUTE_MS,
  });
}

/** The job that has this phase and status for longest, and what its last event says; null where there is none any more. */
export function oldestJobQuery(phase: string, status: string) {
  return queryOptions({
    queryKey: ['jobs', 'oldest', phase, status],
    queryFn: async ({ signal }): Promise<{ id: string; reason: string; since: string } | null> => {
      const filter = { phase, status, sort: 'updatedAt' };
      const path = jobsPath(filter, { fields: `id,lastEventDetail,${SINCE}`, limit: 1 });
      const [job] = await askJson<Pick<JobRow, 'id' | 'lastEventDetail' | 'updatedAt' | 'statusSince'>[]>(path, {
        signal,
      });
      return job ? { id: job.id, reason: job.lastEventDetail ?? '', since: sinceOf(job) } : null;
    },
  });
}

/** The most stranded jobs of which it is told what they would lose. */
const STRANDED_MAX = 1_000;

export interface StrandedWork {
  /** Seconds of work that they lose unless their nodes come back; null where they are too many to add up. */
  readonly seconds: number | null;
  /** Their latest event, RFC 3339; null where there is none. */
  readonly heardAt: string | null;
  /** Their nodes, as jobs name them; each once. */
  readonly nodeOids: readonly string[];
  /** What each would lose; of too many, of those that changed last. */
  readonly jobs: readonly RunningJob[];
}

export const strandedWorkQuery = queryOptions({
  queryKey: ['jobs', 'stranded-work'],
  queryFn: async ({ signal }): Promise<StrandedWork> => {
    const filter = { phase: 'stranded', sort: '-updatedAt' };
    const path = jobsPath(filter, { fields: 'id,queueName,unsavedSeconds,updatedAt,nodeOid', limit: STRANDED_MAX });
    const { rows, hasMore } = await bounded<StrandedRow>(path, signal);
    const seconds = sumOfUnsaved(rows);
    const nodeOids = [...new Set(rows.map(({ nodeOid }) => nodeOid))];
    return {
      seconds: hasMore ? null : seconds,
      heardAt: rows[0]?.updatedAt ?? null,
      nodeOids,
      jobs: rows.flatMap(atRiskOf),
    };
  },
});

type StrandedRow = Pick<JobRow, 'id' | 'queueName' | 'unsavedSeconds' | 'updatedAt' | 'nodeOid'>;

/** Whether it was ever saved is not asked for: the server would look at the events of each. */
function atRiskOf({ id, queueName, unsavedSeconds }: StrandedRow): RunningJob[] {
  return unsavedSeconds === null ? [] : [{ id, queueName, unsavedSeconds, isNeverSaved: false }];
}

/** Jobs whose checkpoint takes long, or their start, or their restore. */
export const longCheckpointsQuery = longSteps('checkpointing', { phase: 'running', status: 'Checkpointing' });
export const longStartsQuery = longSteps('starting', { phase: 'starting' });
export const longRestoresQuery = longSteps('restoring', { phase: 'restoring' });

function longSteps(key: string, step: Partial<JobFilter>) {
  return queryOptions({
    queryKey: ['jobs', 'long', key],
    queryFn: async ({ signal }): Promise<LongSteps> => {
      const minuteMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
      const before = longBefore(minuteMs);
      const filter = { ...step, sort: 'updatedAt', updatedBefore: before };
      const path = jobsPath(filter, { fields: 'id,updatedAt,status', limit: 1_000 });
      return { jobs: await askJson(path, { signal }), before };
    },
    refetchInterval: MINUTE_MS,
  });
}

/** The nodes that are late, the one that is silent for longest first; at most 10,000. */
export const lateNodesQuery = queryOptions({
  queryKey: ['nodes', 'count', 'late'],
  queryFn: ({ signal }) => silentNodes({ state: 'late', sort: 'lastHeartbeat' }, signal),
});

/** Nodes that fell silent within the last hour and are lost. */
export const lostNodesQuery = queryOptions({
  queryKey: ['nodes', 'count', 'lost'],
  queryFn: async ({ signal }): Promise<LostNodes> => {
    const since = hourAgo();
    const nodes = await silentNodes<LostNode>(
      { state: 'lost', heartbeatAfter: since },
      signal,
      'id,lastHeartbeat,endedAt',
    );
    return { nodes: nodes.toSorted((a, b) => Date.parse(b.endedAt) - Date.parse(a.endedAt)), since };
  },
  refetchInterval: MINUTE_MS,
});

/** RFC 3339, on a whole minute, as the lists write it. */
function hourAgo(): string {
  return new Date(boundsOf('1h', Date.now()).startMs).toISOString();
}

function silentNodes<T extends SilentNode>(
  filter: Partial<NodeFilter>,
  signal: AbortSignal,
  fields = 'id,lastHeartbeat',
): Promise<T[]> {
  return askJson<T[]>(withQuery('/api/v1/node', { ...filter, fields, limit: COUNT_ROWS_MAX }), { signal });
}
