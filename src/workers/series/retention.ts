/**
 * Finds what has outlived its retention, by index and in bounded steps. It removes nothing: actors do, and of series
 * `control/maintenance/series-compaction.ts`. How long each level is kept is in `protocol/rollup-retention.ts`.
 */
import { TERMINAL_STATUSES } from '../../protocol/job.ts';
import { LEVELS } from '../../protocol/rollup-retention.ts';
import { epochNsOfMs } from '../../protocol/timestamp.ts';
import { afterKey, KeyReader, keyOf } from '../../store/kv/keys.ts';
import type { Entry, Reader } from '../../store/kv/store.ts';
import type { Table } from '../../store/kv/tables.ts';
import { idAtEnd, jobIndexPrefix } from '../../store/records/job-index.ts';
import { chunksBefore, SLICES, staleRange } from '../../store/series/series-layout.ts';
import type { EndedNodesTask, ExpiredChunksTask, ExpiredJobsTask, FoundIds, StaleDaysTask } from '../task/task.ts';

const [FINE, MIDDLE] = LEVELS;

/** Each terminal status is a range in the order of updatedAt, so nothing that stays is looked at. */
export function expiredJobs(reader: Reader, task: ExpiredJobsTask): FoundIds {
  const ranges = TERMINAL_STATUSES.map((status) => {
    const prefix = jobIndexPrefix('statusUpdated', status);
    const beforeMs = status === 'Succeeded' ? task.succeededBeforeMs : task.failedBeforeMs;
    return { prefix, start: prefix, end: Buffer.concat([prefix, keyOf({ ns: epochNsOfMs(beforeMs) })]) };
  }).sort((a, b) => Buffer.compare(a.prefix, b.prefix));
  return find(reader, 'jobIndex', ranges, task, ({ key, prefix }) => idAtEnd(key.subarray(prefix.length)));
}

export function endedNodes(reader: Reader, task: EndedNodesTask): FoundIds {
  const range = { prefix: NO_BYTES, start: NO_BYTES, end: keyOf({ ms: Math.floor(task.endedBeforeMs) }) };
  return find(reader, 'nodeEnded', [range], task, ({ key }) => {
    const parts = new KeyReader(key);
    parts.ms();
    return parts.text();
  });
}

const NO_BYTES = new Uint8Array(0);

interface IndexRange {
  readonly prefix: Uint8Array;
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

/** Ids of the ranges, which are in the order of their keys; behind `after`, so that one that does not go holds up none behind it. */
function find(
  reader: Reader,
  table: Table,
  ranges: readonly IndexRange[],
  { after, limit }: { readonly after: Uint8Array | null; readonly limit: number },
  /** Undefined of a row that a disk has damaged: it is skipped, and `cairn verify` names it. */
  idOf: (row: { readonly key: Uint8Array; readonly prefix: Uint8Array }) => string | undefined,
): FoundIds {
  const ids: string[] = [];
  const behind = after && afterKey(after);
  for (const { prefix, start, end } of ranges) {
    const from = behind && Buffer.compare(behind, start) > 0 ? behind : start;
    if (Buffer.compare(from, end) >= 0) continue;
    for (const { key } of reader.range(table, { ...(from.length > 0 ? { start: from } : {}), end })) {
      const id = idOf({ key, prefix });
      if (id === undefined) continue;
      ids.push(id);
      if (ids.length >= limit) return { ids, next: key };
    }
  }
  return { ids, next: null };
}

/** The caller says when a level's windows may go: not before every coarser level covers them. Pages that are freed cost too. */
export function expiredChunks(reader: Reader, { beforeMs, limit, bytesMax }: ExpiredChunksTask): Uint8Array[] {
  const keys: Uint8Array[] = [];
  let bytes = 0;
  for (const range of [chunksBefore(FINE, beforeMs['1m']), chunksBefore(MIDDLE, beforeMs['30m'])]) {
    for (const { key, value } of reader.range('chunk', range)) {
      if (keys.length >= limit || bytes >= bytesMax) return keys;
      keys.push(key);
      bytes += value.byteLength;
    }
  }
  return keys;
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
