/**
 * Nodes in the order that was asked for. By id they come as they are. In another order the first so many of all are
 * selected in one walk over the nodes, and the next in another, so that memory is bounded by a page and not by the fleet.
 */
import type { NodeItem } from '../../actors/node/directory.ts';
import type { ShardHost } from '../../actors/thread/shard-host.ts';
import { comparePositions, type NodePosition, placeOfNode } from './node-order.ts';
import type { NodeListRequest } from './node-parameters.ts';
import { nodesById } from './node-source.ts';
import { LIMIT_MAX } from './parameters.ts';

export interface NodeRow {
  readonly json: string;
  readonly place: NodePosition;
}

/** As many as the request wants and one more, which says that there is a next page. */
export async function* nodeRows(host: ShardHost, request: NodeListRequest): AsyncGenerator<NodeRow> {
  const wanted = request.limit === null ? Number.POSITIVE_INFINITY : request.limit + 1;
  let given = 0;
  const rows =
    request.order.by === 'id' && !request.order.descending ? byId(host, request, wanted) : sorted(host, request);
  for await (const row of rows) {
    yield row;
    if (++given >= wanted) return;
  }
}

async function* byId(host: ShardHost, { filter, after }: NodeListRequest, wanted: number): AsyncGenerator<NodeRow> {
  for await (const { id, json } of nodesById(host, filter, after?.id ?? '', wanted))
    yield { json, place: { value: id, id } };
}

async function* sorted(host: ShardHost, request: NodeListRequest): AsyncGenerator<NodeRow> {
  const count = (request.limit ?? LIMIT_MAX) + 1;
  let { after } = request;
  for (;;) {
    const rows = await firstOf(nodesById(host, request.filter, '', Number.POSITIVE_INFINITY), request, after, count);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < count) return;
    after = last.place;
  }
}

/** The first `count` behind `after` in the order of the request. */
async function firstOf(
  nodes: AsyncIterable<NodeItem>,
  { order }: NodeListRequest,
  after: NodePosition | null,
  count: number,
): Promise<NodeRow[]> {
  const direction = order.descending ? -1 : 1;
  const compare = (a: NodePosition, b: NodePosition): number => comparePositions(a, b) * direction;
  let first: NodeRow[] = [];
  const cut = (): void => {
    first = first.sort((a, b) => compare(a.place, b.place)).slice(0, count);
  };
  for await (const { id, json } of nodes) {
    const place = placeOfNode(json, id, order);
    if (after && compare(place, after) <= 0) continue;
    first.push({ json, place });
    if (first.length >= 2 * count) cut();
  }
  cut();
  return first;
}
