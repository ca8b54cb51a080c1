/** What each node runs, and what would be lost with it: one question for all nodes; and what one of them sends. */
import { queryOptions } from '@tanstack/react-query';
import type { MetricEntry } from '../../../src/protocol/metric.ts';
import { nodeObjectId } from '../../../src/protocol/names/metric-names.ts';
import { bounded, type JobRow, jobsPath } from './queries.ts';
import { askJson, withQuery } from './request.ts';

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

/** Definitions of which this node has sent samples: a series that was never sent is answered 404. */
export function sentQuery(node: string) {
  return queryOptions({
    queryKey: ['metrics', 'of-node', node],
    queryFn: async ({ signal }): Promise<string[]> => {
      const path = withQuery('/api/v1/metric', { object: nodeObjectId(node) });
      const entries = await askJson<MetricEntry[]>(path, { signal });
      return entries.map(({ definition: { id } }) => id);
    },
    // With the series: a node may begin to send.
    refetchInterval: 60_000,
  });
}
