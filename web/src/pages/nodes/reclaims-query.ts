/** Single reclaims of spot nodes, with what they cost: in a range, or that of one node. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ReclaimList } from '../../../../src/protocol/lists/reclaim.ts';
import { askJson, withQuery } from '../../api/request.ts';
import { timeZone } from '../../preferences/preferences.ts';
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
    placeholderData: keepPreviousData,
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
