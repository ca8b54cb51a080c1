/**
 * Jobs by queue and status, and what running ones would lose, for `/metrics`: counted from the indexes with the first stretch, then
 * the records of running ones, a stretch of their rows at a time.
 */
import { isRunning, JOB_STATUSES, type Job } from '../../protocol/job.ts';
import { epochMsOf, epochNsOfMs, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { afterKey, afterPrefix, compareKeys, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { idAtEnd, jobIndexPrefix } from '../../store/records/job-index.ts';
import { decodeJobRecord, type JobRecord, type StoredWalk } from '../../store/records/job-record.ts';
import type { NodeFate } from '../../store/records/node-record.ts';
import type { JobFigures, JobFiguresTask, QueueFigures } from '../task/figures-task.ts';
import { GoneNodes } from './gone-nodes.ts';
import { knownUntilMs, ranUntilMs, riskWalkOf } from './job-detail.ts';
import { jobGroups } from './job-groups.ts';

interface Tally {
  readonly statuses: [status: string, count: number][];
  running: number;
  growing: number;
  atRiskSeconds: number;
  unsavedSeconds: number;
  unsavedGrowing: number;
  oldestMs: number | null;
}

const NONE = { running: 0, growing: 0, atRiskSeconds: 0, unsavedSeconds: 0, unsavedGrowing: 0, oldestMs: null };

/** What the rows of each status begin with that a running job has, in order. */
const RUNNING = JOB_STATUSES.filter(isRunning)
  .map((status) => jobIndexPrefix('status', status))
  .sort(compareKeys);

export async function jobFigures(
  reader: Reader,
  { afterKey: after, limit, nowMs }: JobFiguresTask,
): Promise<JobFigures> {
  const queues = new Map<string, Tally>();
  const tallyOf = (queue: string): Tally => {
    const tally = queues.get(queue) ?? { ...NONE, statuses: [] };
    queues.set(queue, tally);
    return tally;
  };
  if (after === null) {
    const question = { filter: {}, byQueue: true, byStatus: true, withStranded: false };
    for (const { queue, status, count } of await jobGroups(reader, question))
      tallyOf(queue).statuses.push([status, count]);
  }
  const nodes = new GoneNodes(reader);
  let left = limit;
  let last: Uint8Array | null = null;
  for (const prefix of RUNNING) {
    const start = after && compareKeys(after, prefix) > 0 ? after : prefix;
    const end = afterPrefix(prefix);
    if (left <= 0) break;
    if (end && compareKeys(start, end) >= 0) continue;
    for (const { key } of reader.range('jobIndex', { start, ...(end ? { end } : {}), limit: left, keysOnly: true })) {
      left--;
      last = key;
      const id = idAtEnd(key.subarray(prefix.length));
      const bytes = id === undefined ? undefined : reader.view('job', textKey(id));
      if (!bytes || isDamaged(bytes)) continue;
      const record = decodeJobRecord(bytes);
      if (!isRunning(record.job.status)) continue;
      addRunning(tallyOf(record.job.queueName), record, nodes.fateOf(record.job.nodeOid), nowMs);
    }
  }
  return {
    queues: [...queues].map(([queue, tally]): QueueFigures => ({ queue, ...tally })),
    // Only forwards, though a damaged key may be out of order.
    nextKey: last && left <= 0 && (after === null || compareKeys(last, after) >= 0) ? afterKey(last) : null,
  };
}

/** `fate`: of its node. Of one that is gone nothing runs on. */
function addRunning(tally: Tally, { meta, job }: JobRecord, fate: NodeFate, nowMs: number): void {
  const walk = meta.sealed?.walk;
  const risk = riskWalkOf(walk, job);
  const untilMs = ranUntilMs(job, fate, nowMs);
  const knownMs = knownUntilMs(job, fate, nowMs);
  const atRiskSeconds = risk.secondsAt(epochNsOfMs(untilMs));
  tally.running++;
  if (risk.segments.open && untilMs >= nowMs) tally.growing++;
  if (risk.segments.open && knownMs >= nowMs) tally.unsavedGrowing++;
  tally.atRiskSeconds += atRiskSeconds;
  tally.unsavedSeconds += risk.unsavedAt(epochNsOfMs(knownMs));
  const sinceMs = checkpointMs(job.events) ?? beforeMs(walk, job.events, untilMs - atRiskSeconds * 1000);
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
