/** Finds what has outlived its retention, by index and in bounded steps. It removes nothing: actors do. */
import { TERMINAL_STATUSES } from '../protocol/job.ts';
import { LEVELS, type Level } from '../protocol/metric.ts';
import { epochNsOfMs } from '../protocol/timestamp.ts';
import { jobIndexPrefix } from '../store/job-index.ts';
import { KeyReader, keyOf } from '../store/keys.ts';
import { chunksBefore, SLICES, staleRange } from '../store/series-place.ts';
import type { Entry, Reader } from '../store/store.ts';
import type { EndedNodesTask, ExpiredChunksTask, ExpiredJobsTask, StaleDaysTask } from './task.ts';

const [FINE, MIDDLE] = LEVELS;

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

/** The caller says when a level's windows may go: not before every coarser level covers them. */
export function expiredChunks(reader: Reader, task: ExpiredChunksTask): Uint8Array[] {
  const { beforeMs, limit } = task;
  const before = (level: Level, ms: number): Uint8Array[] =>
    [...reader.range('chunk', { ...chunksBefore(level, ms), limit })].map(({ key }) => key);
  return [...before(FINE, beforeMs['1m']), ...before(MIDDLE, beforeMs['30m'])];
}

export function staleDays(reader: Reader, task: StaleDaysTask): number[] {
  const days: number[] = [];
  let start: Uint8Array | null = null;
  while (days.length < task.limit) {
    const [first]: Entry[] = [...reader.range('stale', { ...(start ? { start } : {}), limit: 1 })];
    const day: number = first ? new KeyReader(first.key).ms() : task.beforeMs;
    if (day >= task.beforeMs) break;
    days.push(day);
    start = staleRange(day, SLICES).start;
  }
  return days;
}
