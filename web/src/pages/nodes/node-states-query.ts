/** How many nodes a list with these filters has in each state that the server knows; null where they are more than are read. */
import { queryOptions } from '@tanstack/react-query';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { withQuery } from '../../api/request.ts';
import type { NodeFilter } from '../../queries/nodes.ts';
import { bounded, COUNT_ROWS_MAX } from '../../queries/paging.ts';
import { previousAnswer } from '../../queries/previous-answer.ts';

export function nodeStatesQuery(filter: Partial<NodeFilter>) {
  return queryOptions({
    queryKey: ['nodes', 'states', filter],
    queryFn: async ({ signal }): Promise<Readonly<Record<string, number>> | null> => {
      const asked = { ...filter, state: 'all', fields: 'state', limit: COUNT_ROWS_MAX };
      const { rows, hasMore } = await bounded<Pick<WorkerNode, 'state'>>(withQuery('/api/v1/node', asked), signal);
      if (hasMore) return null;
      const counts: Record<string, number> = {};
      for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
      return counts;
    },
    placeholderData: previousAnswer(),
  });
}
