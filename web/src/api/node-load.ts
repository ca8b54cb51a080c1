/** What each node runs, and what would be lost with it: one question for all nodes. */
import { queryOptions } from '@tanstack/react-query';
import { bounded, type JobRow, jobsPath } from './queries.ts';

export interface NodeLoad {
  readonly jobs: number;
  /** Seconds of run time that no checkpoint holds, over all its jobs. */
  readonly unsavedSeconds: number;
}

export interface NodeLoads {
  /** By the name that jobs give their node: its instance id, or its id. */
  readonly byNode: ReadonlyMap<string, NodeLoad>;
  /** Whether there are jobs that were not read. */
  readonly hasMore: boolean;
}

/** The server's own limit of a page. */
const JOBS_MAX = 10_000;
/** Ages grow by themselves, and the server looks at the events of every running job. */
const EVERY_MS = 30_000;

export const nodeLoadsQuery = queryOptions({
  queryKey: ['node-loads'],
  queryFn: async ({ signal }): Promise<NodeLoads> => {
    const path = jobsPath({ phase: 'running' }, { fields: 'nodeOid,workAtRisk', limit: JOBS_MAX });
    const { rows, hasMore } = await bounded<Pick<JobRow, 'nodeOid' | 'workAtRisk'>>(path, signal);
    return { byNode: loadsOf(rows), hasMore };
  },
  refetchInterval: EVERY_MS,
});

export function loadsOf(rows: readonly Pick<JobRow, 'nodeOid' | 'workAtRisk'>[]): ReadonlyMap<string, NodeLoad> {
  const loads = new Map<string, NodeLoad>();
  for (const { nodeOid, workAtRisk } of rows) {
    const { jobs, unsavedSeconds } = loads.get(nodeOid) ?? { jobs: 0, unsavedSeconds: 0 };
    loads.set(nodeOid, { jobs: jobs + 1, unsavedSeconds: unsavedSeconds + (workAtRisk ?? 0) });
  }
  return loads;
}
