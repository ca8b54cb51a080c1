/** What each node runs or has left stranded, and what would be lost with it: one question for all nodes. */
import { queryOptions } from '@tanstack/react-query';
import { type LoadingJob, loadsOf, type NodeLoads } from '../lists/loads-of.ts';
import { jobsPath } from './jobs.ts';
import { bounded, COUNT_ROWS_MAX } from './paging.ts';

const PHASES = ['running', 'stranded'];
/** Ages grow by themselves, and the server looks at the events of every running job. */
const EVERY_MS = 30_000;

export const nodeLoadsQuery = queryOptions({
  queryKey: ['node-loads'],
  queryFn: async ({ signal }): Promise<NodeLoads> => {
    const path = jobsPath(
      {},
      { phase: PHASES, fields: 'nodeOid,phase,unsavedSeconds,lastCheckpointAt,spotProtCount', limit: COUNT_ROWS_MAX },
    );
    const { rows, hasMore } = await bounded<LoadingJob>(path, signal);
    return { byNode: loadsOf(rows), hasMore };
  },
  refetchInterval: EVERY_MS,
});
