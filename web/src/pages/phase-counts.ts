/** How many jobs are in each phase, so that the figures add up: one whose restore failed is not being restored. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { JobCount } from '../../../src/protocol/lists/job-query.ts';
import { RESTORE_FAILED } from '../lists/counted.ts';
import { type JobFilter, jobCountQuery } from '../queries/jobs.ts';

export interface PhaseCounts {
  readonly query: UseQueryResult<JobCount>;
  readonly total: number | undefined;
  /** Undefined while it is asked for. */
  readonly of: (phase: string) => number | undefined;
  readonly restoreFailed: number | undefined;
}

export function usePhaseCounts(filter: Partial<JobFilter>): PhaseCounts {
  const query = useQuery(jobCountQuery(filter));
  const { data } = query;
  const both = data && (data.counts['restoring'] ?? 0);
  const isAsked = filter.status === undefined && both !== undefined && both > 0;
  const failed = useQuery({ ...jobCountQuery({ ...filter, status: RESTORE_FAILED }), enabled: isAsked });
  const restoreFailed = isAsked
    ? failed.data && (failed.data.counts['restoring'] ?? 0)
    : both && (filter.status === RESTORE_FAILED ? both : 0);
  return {
    query,
    total: data?.total,
    of: (phase) =>
      phase === 'restoring'
        ? both !== undefined && restoreFailed !== undefined
          ? Math.max(0, both - restoreFailed)
          : undefined
        : data && (data.counts[phase] ?? 0),
    restoreFailed,
  };
}
