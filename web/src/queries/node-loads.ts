/** What each node runs or has left stranded, and what would be lost with it: one question for all nodes. */
import { queryOptions } from '@tanstack/react-query';
import type { WorkerNode } from '../../../src/protocol/node.ts';
import { type LoadingJob, loadsOf, NO_LOAD, type NodeLoad } from '../lists/loads-of.ts';
import { jobsPath } from './jobs.ts';
import { bounded, COUNT_ROWS_MAX } from './paging.ts';

export interface NodeLoads {
  /** By the name that jobs give their node: its instance id, or its id. */
  readonly byNode: ReadonlyMap<string, NodeLoad>;
  /** Whether there are jobs that were not read. */
  readonly hasMore: boolean;
}

const PHASES = ['running', 'stranded'];
/** Ages grow by themselves, and the server looks at the events of every running job. */
const EVERY_MS = 30_000;

export const nodeLoadsQuery = queryOptions({
  queryKey: ['node-loads'],
  queryFn: async ({ signal }): Promise<NodeLoads> => {
    const path = jobsPath(
      {},
      { phase: PHASES, fields: 'nodeOid,phase,workAtRisk,lastCheckpointAt,spotProtCount', limit: COUNT_ROWS_MAX },
    );
    const { rows, hasMore } = await bounded<LoadingJob>(path, signal);
    return { byNode: loadsOf(rows), hasMore };
  },
  refetchInterval: EVERY_MS,
});

/** Undefined where it is not known: while that is asked for, or where not all jobs were read. */
export function loadOf(
  loads: NodeLoads | undefined,
  { id, instance }: Pick<WorkerNode, 'id' | 'instance'>,
): NodeLoad | undefined {
  const load = loads?.byNode.get(instance.instanceId) ?? loads?.byNode.get(id);
  return load ?? (loads?.hasMore === false ? NO_LOAD : undefined);
}
