/** Reads everything back and compares it with the model: the order is that of how long an answer stays fresh. */
import { epochMsOf } from '../../src/protocol/timestamp.ts';
import type { JobProgress } from '../run/job-runner.ts';
import type { RunContext } from '../run/run-context.ts';
import type { SampleLedgers } from '../run/sample-runner.ts';
import { Comparison } from './comparison.ts';
import { expectedJobSeries, SYSTEM_TOTAL } from './expectation.ts';
import { ReadBack } from './read-back.ts';
import { verifyJobs } from './verify-jobs.ts';
import { verifyLogs } from './verify-logs.ts';
import { verifyNodes } from './verify-nodes.ts';
import { verifyJobSeries, verifyNodeSeries, verifyOwnSeries } from './verify-series.ts';
import { verifyMetricList, verifySummary } from './verify-summary.ts';

/** Before the first event and behind the last beat, whatever their buckets. */
const MARGIN_MS = 120_000;

export async function verify(run: RunContext, progress: JobProgress, own: SampleLedgers): Promise<Comparison> {
  const comparison = new Comparison();
  const readBack = new ReadBack(run.client, run.persistence);
  await verifyNodes(comparison, readBack, run);
  const { foreign } = await verifyJobs(comparison, readBack, run.world, progress);
  const objects = new Map(expectedJobSeries(run.world, progress.acknowledged));
  // With anybody else's jobs in it, the system total is not foreseen.
  const total = objects.get(SYSTEM_TOTAL);
  objects.delete(SYSTEM_TOTAL);
  const queues = new Map(objects);
  if (total && run.server.wasEmpty && foreign === 0) objects.set(SYSTEM_TOTAL, total);
  const range = { fromMs: epochMsOf(run.clock.startNs) - MARGIN_MS, toMs: Date.now() + MARGIN_MS };
  await verifyJobSeries(comparison, readBack, objects, range);
  await verifyNodeSeries(comparison, readBack, run.nodes.values(), range);
  await verifyOwnSeries(comparison, readBack, own, range);
  await verifySummary(comparison, readBack, queues, range);
  await verifyMetricList(comparison, readBack, { queues, nodes: run.nodes.values(), own });
  await verifyLogs(comparison, readBack, run);
  return comparison;
}
