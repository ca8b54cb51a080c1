/** A job in circumstances of one's own, and what is explained of it. */
import { explainJob } from '../../src/protocol/explain/explain-job.ts';
import { jobExplanationSchema } from '../../src/protocol/explain/finding.ts';
import type { JobCircumstances } from '../../src/protocol/explain/job-circumstances.ts';
import type { JobDetail } from '../../src/protocol/job.ts';
import type { WorkerNode } from '../../src/protocol/node.ts';

export const NOW = Date.UTC(2026, 0, 1, 12);
export const MINUTE_MS = 60_000;
/** The codes of all that was explained. */
export const seen = new Set<string>();

export const minutesAgo = (minutes: number): string => new Date(NOW - minutes * MINUTE_MS).toISOString();
export const event = (eventType: string, minutes: number, more: object = {}): object => ({
  eventType,
  timestamp: minutesAgo(minutes),
  ...more,
});
export const nodeOf = (state: string, more: object = {}): WorkerNode =>
  ({ id: 'n1', state, lastHeartbeat: minutesAgo(10), ...more }) as unknown as WorkerNode;

export function world(status: string, job: object = {}, others: Partial<JobCircumstances> = {}): JobCircumstances {
  const whole = {
    id: 'j1',
    status,
    nodeOid: 'i-1',
    createdAt: minutesAgo(60),
    updatedAt: minutesAgo(1),
    events: [],
    spotProtCount: 0,
    workAtRisk: null,
    unsavedSeconds: null,
    ...job,
  } as unknown as JobDetail;
  return {
    job: whole,
    node: nodeOf('alive'),
    intervalMs: 15 * MINUTE_MS,
    nodeTtlMs: 12 * MINUTE_MS,
    nowMs: NOW,
    ...others,
  };
}

export function explained(given: JobCircumstances): string[] {
  const explanation = explainJob(given);
  jobExplanationSchema.parse(explanation);
  for (const { code } of explanation.findings) seen.add(code);
  return explanation.findings.map(({ code, severity, text }) => `${severity} ${code}: ${text}`);
}
