/** Reads buckets of a series: chunks on disk and what the aggregator still holds open, as one. */
import { type BucketValue, LEVELS, type Level, metricObjectOf, type Point, type Series } from '../protocol/metric.ts';
import { formatTimestampSeconds } from '../protocol/timestamp.ts';
import { addBucket, type Bucket, bucketValue, coarsen, startOf } from '../store/bucket.ts';
import { chunkRange, decodeChunk, readChunkKey, windowStartOf } from '../store/series-chunk.ts';
import type { Reader } from '../store/store.ts';
import type { OpenBuckets, SeriesTask } from './task.ts';

/** Buckets of `level` whose start is at or after `fromMs` floored to the level and before `toMs`, ascending. */
export function readBuckets(
  reader: Reader,
  level: Level,
  objectId: string,
  metric: string,
  fromMs: number,
  toMs: number,
  open: readonly OpenBuckets[],
): Bucket[] {
  const first = startOf(fromMs, level.intervalMs);
  if (first >= toMs) return [];
  const buckets = new Map<number, Bucket>();
  const appliedSeq = new Map<number, number>();
  for (const { key, value } of reader.range('chunk', chunkRange(level, objectId, metric, first, toMs))) {
    const { windowStartMs } = readChunkKey(key);
    const chunk = decodeChunk(level, windowStartMs, value);
    appliedSeq.set(windowStartMs, chunk.appliedSeq);
    for (const bucket of chunk.buckets) buckets.set(bucket.startMs, bucket);
  }
  for (const part of open) {
    if (part.metric !== metric) continue;
    for (const bucket of coarsen(part.buckets, level.intervalMs).values()) {
      if ((appliedSeq.get(windowStartOf(level, bucket.startMs)) ?? 0) < part.lastSeq) addBucket(buckets, bucket);
    }
  }
  return [...buckets.values()]
    .filter(({ startMs }) => startMs >= first && startMs < toMs)
    .sort((a, b) => a.startMs - b.startMs);
}

export function seriesAnswer(reader: Reader, task: SeriesTask): Series {
  const level = LEVELS.find(({ name }) => name === task.level) as Level;
  const metric = task.definition.id.slice('metricDef-'.length);
  const buckets = readBuckets(reader, level, task.objectId, metric, task.fromMs, task.toMs, task.open);
  const object = metricObjectOf(task.objectId);
  return {
    id: `${task.definition.id}.${task.objectId}`,
    points: buckets.map((bucket) => pointOf(bucket, task.value)),
    metaData: {
      interval: level.interval,
      ...(object.type === 'queue' ? { queueName: object.name } : {}),
      ...(object.type === 'node' ? { nodeId: object.name } : {}),
    },
  };
}

export function pointOf(bucket: Bucket, value: BucketValue): Point {
  return { time: formatTimestampSeconds(bucket.startMs), value: bucketValue(bucket, value) };
}
