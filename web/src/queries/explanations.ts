/** What the server says of one job or node. */
import { queryOptions } from '@tanstack/react-query';
import type { Explanation } from '../../../src/protocol/explain/finding.ts';
import { askJson } from '../api/request.ts';

/** How often an explanation is asked for again: the ages in it grow. */
const EXPLAIN_EVERY_MS = 15_000;
/** Below the key of the job or the node, so that what makes that stale makes this stale too; the ages in it grow by themselves. */
export function explainQuery(kind: 'job' | 'node', id: string) {
  return queryOptions({
    queryKey: [kind === 'job' ? 'jobs' : 'nodes', 'one', id, 'explain'],
    queryFn: ({ signal }) => askJson<Explanation>(`/api/v1/${kind}/${encodeURIComponent(id)}/explain`, { signal }),
    refetchInterval: EXPLAIN_EVERY_MS,
  });
}
