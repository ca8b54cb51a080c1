/** Explanations of jobs and nodes (contract section 14): the rules are in `protocol/explain`, their facts are collected here. */
import type { NodeItem } from '../../../actors/node/directory.ts';
import type { ShardHost } from '../../../actors/shard/host/shard-host.ts';
import { VERSION } from '../../../base/version.ts';
import { mustDurationMs } from '../../../protocol/duration.ts';
import { explainJob as explanationOfJob } from '../../../protocol/explain/explain-job.ts';
import { explainNode as explanationOfNode } from '../../../protocol/explain/explain-node.ts';
import type { JobCount } from '../../../protocol/lists/job-query.ts';
import type { WorkerNode } from '../../../protocol/node.ts';
import { readNodePrice } from '../../../store/records/node-record.ts';
import { queuesSeenBy } from '../../identity/access.ts';
import { findNode, idsOfNode, mustSeeNode } from '../../lists/find-node.ts';
import { jobCountRequestOf } from '../../lists/job-parameters.ts';
import { streamOf } from '../../streams/pool-stream.ts';
import type { Handler, HandlerServices } from '../handler.ts';
import { mustReadJob } from './jobs.ts';

export const explainJob: Handler = async ({ exchange, params }, { host }) => {
  const job = mustReadJob(host, params['id'] as string, queuesSeenBy(exchange.principal));
  const node = await nodeOfJob(host, job.nodeOid);
  const { ckptMode, ckptInterval } = host.shared.config.ckpt;
  const intervalMs = ckptMode === 'iterative' ? mustDurationMs(ckptInterval) : null;
  const nodeTtlMs = mustDurationMs(host.shared.config.node.ttl);
  const nowMs = host.clock.wallMs();
  exchange.json(200, explanationOfJob({ job, node: node && nodeIn(node), intervalMs, nodeTtlMs, nowMs }));
};

export const explainNode: Handler = async ({ exchange, params }, { host, main }) => {
  const queues = queuesSeenBy(exchange.principal);
  const item = await mustSeeNode(host, params['id'] as string, queues);
  const node = nodeIn(item);
  exchange.json(
    200,
    explanationOfNode({
      node,
      isVerdictSuspended: item.isVerdictSuspended === true,
      ttlMs: mustDurationMs(host.shared.config.node.ttl),
      nowMs: host.clock.wallMs(),
      runningJobs: node.drained && queues === null ? await runningJobsOn({ host, main }, node.id) : null,
      version: VERSION,
    }),
  );
};

async function runningJobsOn({ host, main }: Pick<HandlerServices, 'host' | 'main'>, nodeId: string): Promise<number> {
  host.reader.refresh();
  const query = new URLSearchParams({ node: nodeId, phase: 'running' });
  const request = jobCountRequestOf(query, { idsOfNode: (node) => idsOfNode(host, node), queues: null });
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamOf(main, { type: 'jobCount', ...request })) chunks.push(chunk);
  return (JSON.parse(Buffer.concat(chunks).toString()) as JobCount).total;
}

/** Job events name a node by its instance id or by its id. */
export async function nodeOfJob(host: ShardHost, nodeOid: string): Promise<NodeItem | null> {
  if (nodeOid === '') return null;
  return findNode(host, readNodePrice(host.reader, nodeOid)?.nodeId ?? nodeOid);
}

function nodeIn({ json }: NodeItem): WorkerNode {
  return JSON.parse(json) as WorkerNode;
}
