/** Series on disk, made from samples in the plainest way: every sample in a bucket of each level that retains its time. */
import type { Write } from '../../src/actors/runtime/behaviour.ts';
import { LEVELS, type Level } from '../../src/protocol/metric.ts';
import { addBucket, type Bucket, bucketOfSample, startOf } from '../../src/store/bucket.ts';
import { chunkKey, encodeChunk, windowStartOf } from '../../src/store/series-chunk.ts';
import { seriesRows } from '../../src/store/series-index.ts';
import type { Store } from '../../src/store/store.ts';
import { writeAll } from './write-all.ts';

export type TestSample = readonly [timeMs: number, value: number];

/** Buckets of one level, by start. */
export function bucketsOf(level: Level, samples: readonly TestSample[]): Bucket[] {
  const buckets = new Map<number, Bucket>();
  for (const [timeMs, value] of samples)
    addBucket(buckets, bucketOfSample(startOf(timeMs, level.intervalMs), timeMs, 0, value));
  return [...buckets.values()].sort((a, b) => a.startMs - b.startMs);
}

/** Writes the series with its row; a level holds what it retains at `nowMs`. */
export function storeSeries(
  store: Store,
  objectId: string,
  metric: string,
  samples: readonly TestSample[],
  nowMs: number,
  appliedSeq = 1,
): void {
  writeAll(store, seriesRows(objectId, [metric]));
  for (const level of LEVELS) {
    const windows = new Map<number, Bucket[]>();
    for (const bucket of bucketsOf(level, samples)) {
      if (bucket.startMs + level.intervalMs <= nowMs - level.retentionMs) continue;
      const windowStartMs = windowStartOf(level, bucket.startMs);
      windows.set(windowStartMs, [...(windows.get(windowStartMs) ?? []), bucket]);
    }
    const chunks = [...windows].map(
      ([windowStartMs, buckets]): Write => ({
        table: 'chunk',
        key: chunkKey(level, objectId, metric, windowStartMs),
        value: encodeChunk(level, windowStartMs, { appliedSeq, buckets }),
      }),
    );
    writeAll(store, chunks);
  }
}
