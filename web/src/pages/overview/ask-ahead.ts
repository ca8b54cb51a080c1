/**
 * What the overview shows first, asked for before the page is drawn: drawing it takes as long as the server takes to answer. In the order
 * in which it is missed; a browser has six calls in flight at a time.
 */
import type { QueryClient } from '@tanstack/react-query';
import { anyNodeQuery } from '../../onboarding/progress.ts';
import { anyJobQuery, jobCountQuery, liveStatusesQuery, runningJobsQuery } from '../../queries/jobs.ts';
import { metricsTextQuery, summaryQuery } from '../../queries/metrics.ts';
import { runningNodesQuery } from '../../queries/nodes.ts';
import { configQuery, idpQuery, readinessQuery } from '../../queries/server.ts';
import { failedSinceQuery, lateNodesQuery, longCheckpointsQuery, lostNodesQuery } from '../../queries/troubles.ts';
import { RANGE_DEFAULT } from './range-default.ts';
import { rangeSummaryQuery } from './range-queries.ts';

export function askOverviewAhead(client: QueryClient): void {
  // Who asks comes first: webhooks are asked for behind it.
  void client.prefetchQuery(idpQuery);
  // The largest answer is the longest on its way.
  void client.prefetchQuery(runningJobsQuery);
  void client.prefetchQuery(metricsTextQuery);
  void client.prefetchQuery(jobCountQuery({}));
  void client.prefetchQuery(summaryQuery(undefined, undefined));
  void client.prefetchQuery(rangeSummaryQuery(RANGE_DEFAULT));
  void client.prefetchQuery(failedSinceQuery);
  void client.prefetchQuery(liveStatusesQuery);
  void client.prefetchQuery(longCheckpointsQuery);
  void client.prefetchQuery(lostNodesQuery);
  void client.prefetchQuery(lateNodesQuery);
  void client.prefetchQuery(runningNodesQuery);
  void client.prefetchQuery(readinessQuery);
  void client.prefetchQuery(configQuery);
  void client.prefetchQuery(anyNodeQuery);
  void client.prefetchQuery(anyJobQuery);
}
