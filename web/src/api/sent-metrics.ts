/** What a node sends with its heartbeats. */
import { queryOptions } from '@tanstack/react-query';
import type { MetricEntry } from '../../../src/protocol/metric.ts';
import { nodeObjectId } from '../../../src/protocol/names/metric-names.ts';
import { askJson, withQuery } from './request.ts';

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
