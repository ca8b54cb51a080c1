/** Finds what has outlived its retention, by index and in bounded steps. It removes nothing: actors do. */
import { epochNsOfMs } from '../protocol/timestamp.ts';
import { afterKey, KeyReader, keyOf } from '../store/keys.ts';
import { decodeNodeRecord } from '../store/node-record.ts';
import { readChunkKey, windowMsOf } from '../store/series-chunk.ts';
import type { Reader } from '../store/store.ts';
import type { EndedNodesTask, ExpiredChunks, ExpiredChunksTask, ExpiredJobsTask } from './task.ts';

export function expiredJobs(reader: Reader, task: ExpiredJobsTask): string[] {
  const latestMs = Math.max(task.succeededBeforeMs, task.failedBeforeMs);
  const ids: string[] = [];
  for (const { key, value } of reader.range('jobEnded', { end: keyOf({ ns: epochNsOfMs(latestMs) }) })) {
    const parts = new KeyReader(key);
    const updatedAt = parts.ns();
    const before = Buffer.from(value).toString() === 'Succeeded' ? task.succeededBeforeMs : task.failedBeforeMs;
    if (updatedAt < epochNsOfMs(before)) ids.push(parts.text());
    if (ids.length >= task.limit) break;
  }
  return ids;
}

export function endedNodes(reader: Reader, task: EndedNodesTask): string[] {
  const ids: string[] = [];
  for (const { key, value } of reader.range('node')) {
    const { endedAtMs } = decodeNodeRecord(value);
    if (endedAtMs !== null && endedAtMs < task.endedBeforeMs) ids.push(Buffer.from(key).toString('utf8'));
    if (ids.length >= task.limit) break;
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
