/** How far a new server has come, as the server sees it. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { askJson } from '../api/request.ts';
import { anyJobQuery } from '../queries/jobs.ts';
import { summaryQuery } from '../queries/metrics.ts';
import { configQuery, idpQuery } from '../queries/server.ts';

/** In the order in which they are done. */
export const STEPS = ['mode', 'worker', 'job', 'saved', 'identity'] as const;
export type Step = (typeof STEPS)[number];
/** The server does what it is for without the others. */
export const NEEDED: readonly Step[] = ['mode', 'worker', 'job', 'saved'];

export const anyNodeQuery = queryOptions({
  queryKey: ['nodes', 'any'],
  queryFn: async ({ signal }) => (await askJson<unknown[]>('/api/v1/node?state=all&limit=1', { signal })).length > 0,
});

/** Undefined until all is known. */
export function useProgress(): Readonly<Record<Step, boolean>> | undefined {
  const config = useQuery(configQuery);
  const node = useQuery(anyNodeQuery);
  const job = useQuery(anyJobQuery);
  const summary = useQuery(summaryQuery(undefined, undefined));
  const idp = useQuery(idpQuery);
  if (!config.data || node.data === undefined || job.data === undefined || !summary.data || !idp.data) return undefined;
  const saved = summary.data.items['metricDef-checkpointSuccess'] ?? [];
  return {
    mode: config.data.ckpt.ckptMode !== 'unknown',
    worker: node.data,
    job: job.data,
    saved: saved.some(({ point }) => point.value > 0),
    identity: idp.data.enabled,
  };
}
