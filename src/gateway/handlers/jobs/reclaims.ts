/** Reclaims of spot nodes (decision 0199): nodes that run on after a notice from the shards, all else derived by the pool. */
import { queuesSeenBy } from '../../identity/access.ts';
import { nodesById } from '../../lists/node-source.ts';
import { CONTENT_TYPES } from '../../lists/parameters.ts';
import { reclaimRequestOf } from '../../lists/reclaim-parameters.ts';
import { streamOf } from '../../streams/pool-stream.ts';
import type { Handler, HandlerServices } from '../handler.ts';

/** Nodes that run on after a notice: clouds give minutes, so that there are few. */
const NOTICED_MAX = 10_000;

export const listReclaims: Handler = async ({ exchange }, { host, main }) => {
  const nowMs = host.clock.wallMs();
  const request = reclaimRequestOf(exchange.query, nowMs);
  const noticed = await noticedNodes(host, NOTICED_MAX);
  if (exchange.isOver) return;
  await exchange.stream(
    200,
    CONTENT_TYPES.json,
    streamOf(main, {
      type: 'reclaimList',
      ...request,
      nowMs,
      noticed: noticed.nodes,
      isNoticedCut: noticed.isCut,
      queues: queuesSeenBy(exchange.principal),
    }),
  );
};

/** `isCut`: there may be more than `max` of them. */
export async function noticedNodes(
  host: HandlerServices['host'],
  max: number,
): Promise<{ readonly nodes: readonly string[]; readonly isCut: boolean }> {
  const nodes: string[] = [];
  const batches = nodesById(host, { state: 'running', isNoticed: true }, '', max);
  for await (const batch of batches) {
    for (const { json } of batch) nodes.push(json);
    if (nodes.length >= max) return { nodes, isCut: true };
  }
  return { nodes, isCut: false };
}
