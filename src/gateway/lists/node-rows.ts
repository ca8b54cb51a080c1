/**
 * Nodes in the order that was asked for, in batches. By id they come as they are. In another order the first so many of all
 * are selected in one walk over the nodes, and the next in another, so that memory is bounded by a page and not by the fleet.
 */
import type { NodeItem } from '../../actors/node/directory.ts';
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import { seesNode } from './find-node.ts';
import { comparePositions, type NodePosition, placeOfNode } from './node-order.ts';
import type { NodeListRequest } from './node-parameters.ts';
import { nodesById } from './node-source.ts';
import { LIMIT_MAX } from './parameters.ts';

/** At least as many as the request wants and one more, where there are: that says that there is a next page. */
export function nodeRows(
  host: ShardHost,
  request: NodeListRequest,
  queues: readonly string[] | null = null,
): AsyncGenerator<readonly NodeItem[]> {
  const { filter, order, after, limit } = request;
  if (order.by !== 'id' || order.descending) return sorted(host, request, queues);
  return seenNodes(host, queues, filter, after?.id ?? '', limit === null ? Number.POSITIVE_INFINITY : limit + 1);
}

interface Placed extends NodeItem {
  readonly place: NodePosition;
}

/** Hidden before a page is counted. The bare walk is for callers who see all. */
function seenNodes(
  host: ShardHost,
  queues: readonly string[] | null,
  ...walk: [NodeListRequest['filter'], string, number]
): AsyncGenerator<readonly NodeItem[]> {
  const nodes = nodesById(host, ...walk);
  return queues ? onlySeen(host, nodes, queues) : nodes;
}

async function* onlySeen(
  host: ShardHost,
  batches: AsyncIterable<readonly NodeItem[]>,
  queues: readonly string[],
): AsyncGenerator<readonly NodeItem[]> {
  for await (const batch of batches) {
    host.reader.refresh();
    const seen = batch.filter((item) => seesNode(host, item, queues));
    if (seen.length > 0) yield seen;
  }
}

async function* sorted(
  host: ShardHost,
  request: NodeListRequest,
  queues: readonly string[] | null,
): AsyncGenerator<readonly NodeItem[]> {
  const count = (request.limit ?? LIMIT_MAX) + 1;
  let { after } = request;
  for (;;) {
    const rows = await firstOf(
      seenNodes(host, queues, request.filter, '', Number.POSITIVE_INFINITY),
      request,
      after,
      count,
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < count) return;
    after = last.place;
  }
}

/** The first `count` behind `after` in the order of the request. */
async function firstOf(
  batches: AsyncIterable<readonly NodeItem[]>,
  { order }: NodeListRequest,
  after: NodePosition | null,
  count: number,
): Promise<readonly Placed[]> {
  const direction = order.descending ? -1 : 1;
  const compare = (a: NodePosition, b: NodePosition): number => comparePositions(a, b) * direction;
  let first: Placed[] = [];
  const cut = (): void => {
    first = first.sort((a, b) => compare(a.place, b.place)).slice(0, count);
  };
  for await (const batch of batches) {
    for (const { id, json } of batch) {
      const place = placeOfNode(json, id, order);
      if (!after || compare(place, after) > 0) first.push({ id, json, place });
    }
    if (first.length >= 2 * count) cut();
  }
  cut();
  return first;
}
