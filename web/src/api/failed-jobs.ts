/** What the pages ask of jobs that failed or make no progress. */
import { queryOptions } from '@tanstack/react-query';
import { bounded, type JobRow, jobsPath, nextOf, PAGE_ROWS } from './queries.ts';
import { ask, askJson } from './request.ts';

const MINUTE_MS = 60_000;

/** `updatedAt`: when it failed. */
type FailedJob = Pick<JobRow, 'id' | 'queueName' | 'updatedAt'>;

/** Jobs that failed within the last hour, at most 1,000. */
export const failedSinceQuery = queryOptions({
  queryKey: ['jobs', 'failed-since'],
  queryFn: async ({ signal }): Promise<{ jobs: FailedJob[]; hasMore: boolean }> => {
    const sinceMs = Date.now() - 60 * MINUTE_MS;
    const fields = 'id,queueName,updatedAt';
    const path = jobsPath({ phase: 'failed', sort: '-updatedAt' }, { fields, limit: 1_000 });
    const { rows, hasMore } = await bounded<FailedJob>(path, signal);
    const jobs = rows.filter(({ updatedAt }) => Date.parse(updatedAt) >= sinceMs);
    return { jobs, hasMore: hasMore && jobs.length === rows.length };
  },
  refetchInterval: MINUTE_MS,
});

/** Pages of the failed jobs that are read for a range. */
const FAILED_PAGES_MAX = 5;

export interface Failures {
  /** When each failed, by its last change; the newest first. */
  readonly timesMs: readonly number[];
  /** The queue of each, in the same order. */
  readonly queues: readonly string[];
  /** Whether there are more that failed before these. */
  readonly hasMore: boolean;
}

/** Jobs that failed at `sinceMs` or later: no series counts them. The key holds the range's name, so that `sinceMs` may move on. */
export function failuresQuery(key: string, sinceMs: number, queue: string | undefined) {
  return queryOptions({
    queryKey: ['failures', key, queue],
    queryFn: async ({ signal }): Promise<Failures> => {
      const filter = { phase: 'failed', sort: '-updatedAt', queue };
      let path: string | null = jobsPath(filter, { fields: 'updatedAt,queueName', limit: PAGE_ROWS });
      const timesMs: number[] = [];
      const queues: string[] = [];
      for (let pages = 0; path !== null && pages < FAILED_PAGES_MAX; pages++) {
        const page: Response = await ask(path, { signal });
        const rows = (await page.json()) as Pick<JobRow, 'updatedAt' | 'queueName'>[];
        const all = rows.map(({ updatedAt }) => Date.parse(updatedAt));
        const wanted = all.filter((ms) => ms >= sinceMs);
        timesMs.push(...wanted);
        queues.push(...rows.slice(0, wanted.length).map(({ queueName }) => queueName));
        path = wanted.length < all.length ? null : nextOf(page);
      }
      return { timesMs, queues, hasMore: path !== null };
    },
    refetchInterval: MINUTE_MS,
  });
}

/** The one job of this phase and status, and what its last event says; null where there is none any more. */
export function singleJobQuery(phase: string, status: string) {
  return queryOptions({
    queryKey: ['jobs', 'single', phase, status],
    queryFn: async ({ signal }): Promise<{ id: string; reason: string; since: string } | null> => {
      const path = jobsPath({ phase, status }, { fields: 'id,lastEventDetail,updatedAt', limit: 1 });
      const [job] = await askJson<Pick<JobRow, 'id' | 'lastEventDetail' | 'updatedAt'>[]>(path, { signal });
      return job ? { id: job.id, reason: job.lastEventDetail ?? '', since: job.updatedAt } : null;
    },
  });
}
