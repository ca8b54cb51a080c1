/** Jobs by queue and status, and what running ones would lose, for `/metrics`; a stretch of the table at a time. */

import { isRunning, type Job } from '../../protocol/job.ts';
import { epochMsOf, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { afterKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import {
  decodeJobRecord,
  type JobRecord,
  jobHeadOf,
  jobJsonOf,
  type StoredWalk,
} from '../../store/records/job-record.ts';
import type { JobFigures, JobFiguresTask, QueueFigures } from '../task/task.ts';
import { riskOf } from './job-detail.ts';

interface Tally {
  readonly statuses: Map<string, number>;
  running: number;
  atRiskSeconds: number;
  oldestMs: number | null;
}

export function jobFigures(reader: Reader, { afterKey: start, limit, nowMs }: JobFiguresTask): JobFigures {
  const queues = new Map<string, Tally>();
  let last: Uint8Array | null = null;
  let rows = 0;
  for (const { key, value } of reader.range('job', { ...(start ? { start } : {}), limit })) {
    rows++;
    last = key;
    if (isDamaged(value)) continue;
    const { queueName, status } = jobHeadOf(jobJsonOf(value));
    const tally = queues.get(queueName) ?? { statuses: new Map(), running: 0, atRiskSeconds: 0, oldestMs: null };
    queues.set(queueName, tally);
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    if (isRunning(status)) addRunning(tally, decodeJobRecord(value), nowMs);
  }
  return {
    queues: [...queues].map(
      ([queue, { statuses, ...rest }]): QueueFigures => ({
        queue,
        statuses: [...statuses],
        ...rest,
      }),
    ),
    nextKey: last && rows === limit ? afterKey(last) : null,
  };
}

function addRunning(tally: Tally, { meta, job }: JobRecord, nowMs: number): void {
  const walk = meta.sealed?.walk;
  const atRiskSeconds = riskOf(walk, job, nowMs);
  tally.running++;
  tally.atRiskSeconds += atRiskSeconds;
  const sinceMs = checkpointMs(job.events) ?? beforeMs(walk, job.events, nowMs - atRiskSeconds * 1000);
  if (sinceMs !== undefined) tally.oldestMs = Math.min(tally.oldestMs ?? sinceMs, sinceMs);
}

/** When the last good checkpoint was begun; undefined where the events tell of none. */
function checkpointMs(events: Job['events']): number | undefined {
  const success = events.findLastIndex(({ eventType }) => eventType === 'Job-CheckpointSucceeded');
  const attempt = events.slice(0, Math.max(0, success)).findLast(({ eventType }) => eventType === 'Job-Checkpointing');
  return attempt && epochMsOf(mustParseTimestamp(attempt.timestamp));
}

/** The start of a job without a good checkpoint. Of one in a row of its own only the run time since then is known: at least so long. */
function beforeMs(walk: StoredWalk | undefined, events: Job['events'], atLeastMs: number): number | undefined {
  if (walk && walk.risk[2] !== null) return atLeastMs;
  if (walk?.firstRunning) return epochMsOf(BigInt(walk.firstRunning));
  const start = events.find(({ eventType }) => eventType === 'Job-Running');
  return start && epochMsOf(mustParseTimestamp(start.timestamp));
}
