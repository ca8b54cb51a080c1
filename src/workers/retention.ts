/** Finds what has outlived its retention, by index and in bounded steps. It removes nothing: actors do. */
import { TERMINAL_STATUSES } from '../protocol/job.ts';
import { epochNsOfMs } from '../protocol/timestamp.ts';
import { jobIndexPrefix } from '../store/job-index.ts';
import { afterKey, KeyReader, keyOf } from '../store/keys.ts';
import { readChunkKey, windowMsOf } from '../store/series-chunk.ts';
import type { Reader } from '../store/store.ts';
import type { EndedNodesTask, ExpiredChunks, ExpiredChunksTask, ExpiredJobsTask } from './task.ts';

/** Each terminal status is a range in the order of updatedAt, so nothing that stays is looked at. */
export function expiredJobs(reader: Reader, task: ExpiredJobsTask): string[] {
  const ids: string[] = [];
  for (const status of TERMINAL_STATUSES) {
    const beforeMs = status === 'Succeeded' ? task.succeededBeforeMs : task.failedBeforeMs;
    const start = jobIndexPrefix('statusUpdated', status);
    const end = Buffer.concat([start, keyOf({ ns: epochNsOfMs(beforeMs) })]);
    for (const { key } of reader.range('jobIndex', { start, end, limit: task.limit - ids.length })) {
      const parts = new KeyReader(key.subarray(start.length));
      parts.ns();
      ids.push(parts.text());
    }
    if (ids.length >= task.limit) break;
  }
  return ids;
}

export function endedNodes(reader: Reader, task: EndedNodesTask): string[] {
  const ids: string[] = [];
  const end = keyOf({ ms: Math.floor(task.endedBeforeMs) });
  for (const { key } of reader.range('nodeEnded', { end, limit: task.limit })) {
    const parts = new KeyReader(key);
    parts.ms();
    ids.push(parts.text());
  }
  return ids;
}

/** A chunk may go when its last bucket is past the level's retention; the coarser levels hold the same samples. */
export function expiredChunks(reader: Reader, task: ExpiredChunksTask): ExpiredChunks {
  const keys: Uint8Array[] = [];
  let looked = 0;
  let last: Uint8Array | null = null;
  for (const { key } of reader.range('chunk', {
    ...(task.afterKey ? { start: afterKey(task.afterKey) } : {}),
    limit: task.limit,
  })) {
    looked++;
    last = key;
    const { level, windowStartMs } = readChunkKey(key);
    if (windowStartMs + windowMsOf(level) <= task.nowMs - level.retentionMs) keys.push(key);
  }
  return { keys, nextKey: looked < task.limit ? null : last };
}
