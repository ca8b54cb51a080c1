/** The nodes that a job's events name, as the server knows them. */
import { useQueries } from '@tanstack/react-query';
import type { Job } from '../../../../src/protocol/job.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { nodeOfInstanceQuery } from '../../queries/nodes.ts';

/** Nodes that are asked for; a job that was restored more often shows its last ones. */
const NODES_MAX = 40;

export interface JobNode {
  readonly nodeOid: string;
  /** Null where no such node is known; undefined while that is not known yet. */
  readonly node: WorkerNode | null | undefined;
  readonly isPending: boolean;
}

/** In order of first sight. */
export function useJobNodes(events: Job['events']): readonly JobNode[] {
  const named = events.map(({ nodeOid }) => nodeOid ?? '').filter((nodeOid) => nodeOid !== '');
  const nodeOids = [...new Set(named)].slice(-NODES_MAX);
  return useQueries({
    queries: nodeOids.map((nodeOid) => nodeOfInstanceQuery(nodeOid)),
    combine: (answers) =>
      nodeOids.map((nodeOid, i) => ({ nodeOid, node: answers[i]?.data, isPending: answers[i]?.isPending === true })),
  });
}
