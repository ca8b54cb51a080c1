/**
 * Merges the blocks of windows that have ended into one chunk a slice: what is read for days should be few values. Blocks never
 * change, so the merge may run while others are written: it removes exactly those that it read.
 */
import { LEVELS } from '../../protocol/rollup-retention.ts';
import { afterKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { WriteBatch } from '../../store/kv/write-batch.ts';
import { blockKey, blockRange, chunkKey, placeText, readBlockKey } from '../../store/series/series-layout.ts';
import { encodeSegment } from '../../store/series/series-segment.ts';
import type { MergeBlocksTask, SeriesWrites } from '../task/task.ts';
import { addSegment, type SliceContent } from './slice-read.ts';

const FINEST = LEVELS[0];

/** Slices one after the other, until there are enough writes for one transaction. */
export function mergeBlocks(reader: Reader, task: MergeBlocksTask): SeriesWrites {
  const batch = new WriteBatch();
  const damaged: string[] = [];
  let removedBytes = 0;
  let start: Uint8Array | null = task.afterKey && afterKey(task.afterKey);
  for (;;) {
    const [first] = [...reader.range('block', { ...(start ? { start } : {}), limit: 1 })];
    if (!first) return { writes: batch.seal(), damaged, nextKey: null };
    const { windowMs, slice } = readBlockKey(first.key);
    if (windowMs >= task.beforeMs) return { writes: batch.seal(), damaged, nextKey: null };
    // What cannot be read stays where it is, all of the slice: half of a block must never be merged twice.
    const removed = mergeSlice(reader, batch, windowMs, slice);
    if (removed === null) damaged.push(placeText('1m', windowMs, slice));
    removedBytes += removed ?? 0;
    start = blockKey(windowMs, slice, Number.MAX_SAFE_INTEGER);
    if (batch.byteLength + removedBytes >= task.bytesMax) return { writes: batch.seal(), damaged, nextKey: start };
  }
}

/** Bytes of what goes for it: LMDB pays for pages that become free as for those that are written. Null where it cannot be read. */
function mergeSlice(reader: Reader, batch: WriteBatch, windowMs: number, slice: number): number | null {
  const content: SliceContent = new Map();
  const key = chunkKey(FINEST, windowMs, slice);
  const merged: Uint8Array[] = [];
  let removedBytes = 0;
  try {
    const chunk = reader.get('chunk', key);
    if (chunk) addSegment(content, chunk, windowMs, FINEST.intervalMs);
    removedBytes += chunk?.byteLength ?? 0;
    for (const block of reader.range('block', blockRange(windowMs, slice))) {
      addSegment(content, block.value, windowMs, FINEST.intervalMs);
      merged.push(block.key);
      removedBytes += block.value.byteLength;
    }
  } catch {
    return null;
  }
  for (const block of merged) batch.remove('block', block);
  batch.put('chunk', key, encodeSegment(content, windowMs, FINEST.intervalMs));
  return removedBytes;
}
