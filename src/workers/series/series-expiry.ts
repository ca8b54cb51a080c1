/**
 * Series that have no bucket left. Only the removal of a window of the coarsest level can take a series' last bucket, so the
 * series of that window are all that is looked at: those that nothing newer holds leave, in the same transaction. Two leases
 * later they are looked at again, and go, or come back (`store/series/series-index.ts` says why that is safe).
 */
import { LEVELS } from '../../protocol/rollup-retention.ts';
import { afterKey, KeyReader } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { WriteBatch } from '../../store/kv/write-batch.ts';
import { readRollupState } from '../../store/series/rollup-state.ts';
import {
  companionsOf,
  expiryKey,
  expiryValue,
  hasSeries,
  LEAVING_MS,
  readExpiryKey,
  readExpiryValue,
  seriesKey,
} from '../../store/series/series-index.ts';
import {
  blockRange,
  chunkKey,
  chunksBefore,
  DAY_MS,
  placeText,
  readChunkKey,
  windowMsOf,
  windowStartOf,
} from '../../store/series/series-layout.ts';
import { metricsOf, readableBodiesOf } from '../../store/series/series-segment.ts';
import type { EndSeriesTask, ExpiringSeriesRow, LeftSeries, RemoveCoarseTask } from '../task/task.ts';

const [FINE, , COARSE] = LEVELS;
/** Samples may be a day ahead. */
const AHEAD_MS = 2 * DAY_MS;

/** Metrics by object; `isWhole` where all of what was read of them could be. */
interface Held {
  readonly metrics: Map<string, Set<string>>;
  isWhole: boolean;
}

/** Removes windows of the coarsest level that begin before the time, and lets the series go that have nothing newer. */
export function removeCoarse(reader: Reader, task: RemoveCoarseTask): LeftSeries {
  const batch = new WriteBatch();
  const damaged: string[] = [];
  let left = 0;
  let chunks = 0;
  for (const { key, value } of reader.range('chunk', { ...chunksBefore(COARSE, task.beforeMs), limit: task.limit })) {
    const { windowMs, slice } = readChunkKey(key);
    const gone = newHeld();
    addSuspended(gone, value);
    const held = heldBy(reader, slice, windowMs + windowMsOf(COARSE), task.nowMs);
    if (!gone.isWhole || !held.isWhole) damaged.push(placeText(COARSE.name, windowMs, slice));
    // It is unknown which series an unreadable chunk holds, so no series of the slice leaves.
    for (const [objectId, metrics] of held.isWhole ? gone.metrics : [])
      for (const metric of expiringOf(reader, objectId, metrics, held)) {
        batch.remove('series', seriesKey(objectId, metric));
        batch.put('leaving', expiryKey(objectId, metric), expiryValue(task.nowMs));
        left++;
      }
    batch.remove('chunk', key);
    chunks++;
  }
  return { writes: batch.seal(), damaged, left, chunks };
}

/** Metrics with a row that go with those of a removed window: all of a queue's job metrics, or none. */
function expiringOf(reader: Reader, objectId: string, gone: ReadonlySet<string>, held: Held): Set<string> {
  const leaving = new Set<string>();
  for (const metric of gone) {
    const companions = companionsOf(objectId, metric);
    if (leaving.has(metric) || companions.some((companion) => held.metrics.get(objectId)?.has(companion))) continue;
    for (const companion of companions) if (hasSeries(reader, objectId, companion)) leaving.add(companion);
  }
  return leaving;
}

/** Series that have been leaving for long enough, object by object, at least `limit` where there are so many. */
export function endSeries(reader: Reader, { nowMs, limit }: EndSeriesTask): ExpiringSeriesRow[] {
  const rows: ExpiringSeriesRow[] = [];
  let held = newHeld();
  let heldSlice = -1;
  let start: Uint8Array | undefined;
  for (;;) {
    const [entry] = [...reader.range('leaving', { ...(start ? { start } : {}), limit: 1 })];
    // A pass marks slice after slice, so the first is the oldest; what was marked before a clock was set back waits with it.
    if (!entry || readExpiryValue(entry.value) + LEAVING_MS > nowMs) return rows;
    const { slice, objectId, metric } = readExpiryKey(entry.key);
    if (rows.length >= limit && rows.at(-1)?.objectId !== objectId) return rows;
    if (slice !== heldSlice) held = heldBy(reader, slice, Number.NEGATIVE_INFINITY, nowMs);
    heldSlice = slice;
    const isSuspended =
      !held.isWhole || companionsOf(objectId, metric).some((companion) => held.metrics.get(objectId)?.has(companion));
    rows.push({ objectId, metric, isSuspended });
    start = afterKey(entry.key);
  }
}

/** Every series with a bucket in the store: at 24h in windows from `fromMs` on, or not rolled yet. */
function heldBy(reader: Reader, slice: number, fromMs: number, nowMs: number): Held {
  const held = newHeld();
  const oldestMs = nowMs - COARSE.retentionMs - 2 * windowMsOf(COARSE);
  const endMs = nowMs + AHEAD_MS;
  for (let windowMs = windowStartOf(COARSE, Math.max(fromMs, oldestMs)); windowMs < endMs; ) {
    const chunk = reader.get('chunk', chunkKey(COARSE, windowMs, slice));
    if (chunk) addSuspended(held, chunk);
    windowMs += windowMsOf(COARSE);
  }
  for (let windowMs = firstNotRolled(reader); windowMs < endMs; windowMs += windowMsOf(FINE)) {
    const chunk = reader.get('chunk', chunkKey(FINE, windowMs, slice));
    if (chunk) addSuspended(held, chunk);
    for (const { value } of reader.range('block', blockRange(windowMs, slice))) addSuspended(held, value);
  }
  return held;
}

/** The first day with buckets that 24h may lack. */
function firstNotRolled(reader: Reader): number {
  const { rolledBeforeMs } = readRollupState(reader);
  const [stale] = [...reader.range('stale', { limit: 1 })];
  return stale ? Math.min(rolledBeforeMs, new KeyReader(stale.key).ms()) : rolledBeforeMs;
}

function newHeld(): Held {
  return { metrics: new Map(), isWhole: true };
}

function addSuspended(held: Held, segment: Uint8Array): void {
  const damage = (): void => {
    held.isWhole = false;
  };
  for (const { objectId, body } of readableBodiesOf(segment, damage)) {
    const metrics = held.metrics.get(objectId) ?? new Set<string>();
    try {
      for (const { name } of metricsOf(body)) metrics.add(name);
    } catch {
      damage();
    }
    held.metrics.set(objectId, metrics);
  }
}
