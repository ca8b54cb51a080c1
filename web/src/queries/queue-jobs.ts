/** The jobs that the page of a queue names. Apart from the other questions: no other page asks it. */
import { queryOptions } from '@tanstack/react-query';
import { OPEN_PHASES } from '../lists/counted.ts';
import { sortedHere } from '../lists/job-orders.ts';
import { troubledFirst } from '../lists/troubled-first.ts';
import {
  boundedJobs,
  eachOnce,
  JOB_COLUMNS,
  JOB_FILE_COLUMNS,
  type JobRow,
  jobsPath,
  RUNNING_ROWS_MAX,
} from './jobs.ts';
import type { Bounded } from './paging.ts';

/** Of the jobs of a queue that changed last, so many follow those that are not over. */
const QUEUE_JOBS = 20;
/** Of the failed ones: with more of them, those that run would have no room among the six that are shown. */
const QUEUE_FAILED = 2;

export interface QueueJobs extends Bounded<JobRow> {
  /** Whether there are more jobs that are not over than were read. */
  readonly hasMoreOpen: boolean;
}

/**
 * The jobs of a queue: first those in trouble, of which those that are stuck come first and the failed ones last, then those
 * that run, the most unsaved work first, then those that changed last. Of very many that are not over, those that changed least lately are read: they have the
 * most unsaved work.
 */
export function queueJobsQuery(queue: string) {
  return queryOptions({
    queryKey: ['jobs', 'of-queue', queue],
    queryFn: async ({ signal }): Promise<QueueJobs> => {
      const read = (
        sort: string,
        limit: number,
        phase: readonly string[],
        fields = JOB_COLUMNS,
        status?: string,
      ): Promise<Bounded<JobRow>> => boundedJobs(jobsPath({ queue, sort, status }, { fields, limit, phase }), signal);
      const [open, told, unsaved, failed, all] = await Promise.all([
        read('updatedAt', RUNNING_ROWS_MAX, OPEN_PHASES),
        // With their reasons, which are read apart: of all open jobs they would be much to read.
        read('-updatedAt', QUEUE_JOBS, ['restoring', 'starting'], JOB_FILE_COLUMNS),
        read('-updatedAt', QUEUE_JOBS, ['running'], JOB_FILE_COLUMNS, 'CheckpointFailed'),
        read('-updatedAt', QUEUE_FAILED, ['failed'], JOB_FILE_COLUMNS),
        read('-updatedAt', QUEUE_JOBS, []),
      ]);
      // More failed ones would stand below those that run.
      const others = all.rows.filter(({ phase }) => phase !== 'failed');
      const rows = eachOnce(
        troubledFirst(
          sortedHere(withReasons(open.rows, [...told.rows, ...unsaved.rows]), '-unsaved', { nowMs: Date.now() }),
          failed.rows,
        ),
        others,
      );
      return { rows, hasMore: all.hasMore || open.hasMore || failed.hasMore, hasMoreOpen: open.hasMore };
    },
  });
}

function withReasons(rows: readonly JobRow[], told: readonly JobRow[]): readonly JobRow[] {
  const reasons = new Map(told.map((row) => [row.id, row]));
  return rows.map((row) => reasons.get(row.id) ?? row);
}
