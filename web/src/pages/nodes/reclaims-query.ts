/** Single reclaims of spot nodes, with what they cost: in a range, or that of one node. */
import { queryOptions } from '@tanstack/react-query';
import type { ReclaimList } from '../../../../src/protocol/lists/reclaim.ts';
import { isSpot } from '../../../../src/protocol/names/pay-type.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { askJson, withQuery } from '../../api/request.ts';
import { timeZone } from '../../preferences/preferences.ts';
import { COUNT_ROWS_MAX } from '../../queries/paging.ts';
import { previousAnswer } from '../../queries/previous-answer.ts';
import { boundsOf, keyOf, type Range } from '../../range/range.ts';

/** Reclaims that a page lists. */
export const RECLAIMS_MAX = 500;
/** What became of the jobs changes without an event of the node. */
const EVERY_MS = 30_000;
/** Nodes that are gone are kept for so long. */
const KEPT_MS = 30 * 86_400_000;

export function reclaimsQuery(range: Range) {
  const zone = timeZone.current();
  return queryOptions({
    queryKey: ['reclaims', 'range', keyOf(range, zone)],
    queryFn: ({ signal }) => {
      const { startMs, endMs } = boundsOf(range, Date.now(), zone);
      const [start, end] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
      return askJson<ReclaimList>(withQuery('/api/v1/reclaim', { start, end, limit: RECLAIMS_MAX }), { signal });
    },
    placeholderData: previousAnswer(),
    refetchInterval: EVERY_MS,
  });
}

/** Of this node, none or one. */
export function nodeReclaimQuery(node: string) {
  return queryOptions({
    queryKey: ['reclaims', 'node', node],
    queryFn: ({ signal }) => {
      const start = new Date(Date.now() - KEPT_MS).toISOString();
      return askJson<ReclaimList>(withQuery('/api/v1/reclaim', { node, start }), { signal });
    },
    refetchInterval: EVERY_MS,
  });
}

export interface LostInRange {
  readonly lost: number;
  /** How many of these are no spot nodes. */
  readonly others: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** Nodes that were lost in the range, of whatever pay type: other pages count all of them. At most 10,000. */
export function lostInRangeQuery(range: Range) {
  const zone = timeZone.current();
  return queryOptions({
    queryKey: ['nodes', 'lost-in-range', keyOf(range, zone)],
    queryFn: async ({ signal }): Promise<LostInRange> => {
      const { startMs, endMs } = boundsOf(range, Date.now(), zone);
      const path = withQuery('/api/v1/node', {
        ...lostWithin(startMs, endMs),
        fields: 'instance.payType',
        limit: COUNT_ROWS_MAX,
      });
      const nodes = await askJson<Pick<WorkerNode, 'instance'>[]>(path, { signal });
      const others = nodes.filter(({ instance }) => !isSpot(instance.payType)).length;
      return { lost: nodes.length, others, startMs, endMs };
    },
    placeholderData: previousAnswer(),
  });
}

/** As the list of nodes is asked for them. */
export function lostWithin(
  startMs: number,
  endMs: number,
): { readonly state: 'lost'; readonly heartbeatAfter: string; readonly heartbeatBefore: string } {
  // The filter leaves its first moment out.
  const heartbeatAfter = new Date(startMs - 1).toISOString();
  return { state: 'lost', heartbeatAfter, heartbeatBefore: new Date(endMs).toISOString() };
}
