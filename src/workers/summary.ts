/**
 * The summary: every job metric of every queue over a range, exact. Each stretch of the range is read at the finest level
 * that still holds it; the levels agree on every aligned stretch, so the cuts between them lie on days.
 *
 *      24h level            30m level              1m level
 *   ─────────────────┤├─────────────────────┤├────────────────── now
 *              start of the first whole day that the finer level still holds
 */
import { JOB_DEFINITIONS, LEVELS, SHORT_SUMMARY_NAMES, type Summary, shortNameOf } from '../protocol/metric.ts';
import { type Bucket, mergeBuckets } from '../store/bucket.ts';
import { KeyReader, keyOf } from '../store/keys.ts';
import type { Reader } from '../store/store.ts';
import { pointOf, readBuckets } from './series-read.ts';
import type { OpenBuckets, SummaryTask } from './task.ts';

const DAY_MS = 86_400_000;
const QUEUE_PREFIX = 'queue-';

export function summaryAnswer(reader: Reader, task: SummaryTask): Summary {
  const items: Summary['items'] = {};
  const queues = [...new Set([...queueObjects(reader), ...Object.keys(task.open)])].sort();
  for (const definition of JOB_DEFINITIONS) {
    const metric = shortNameOf(definition.id);
    const found: Summary['items'][string] = [];
    for (const objectId of queues) {
      const bucket = sumOverRange(reader, objectId, metric, task, task.open[objectId] ?? []);
      if (!bucket) continue;
      const point = pointOf(bucket, definition.aggregation);
      found.push({
        id: `${definition.id}.${objectId}`,
        point,
        metaData: { queueName: objectId.slice(QUEUE_PREFIX.length) },
      });
    }
    items[definition.id] = found;
  }
  for (const name of SHORT_SUMMARY_NAMES) {
    items[name] = (items[`metricDef-${name}`] ?? []).map((item) => ({
      ...item,
      id: item.id.slice('metricDef-'.length),
    }));
  }
  return { items };
}

/** One bucket over the whole range; its start is that of the newest bucket in it. */
function sumOverRange(
  reader: Reader,
  objectId: string,
  metric: string,
  task: SummaryTask,
  open: readonly OpenBuckets[],
): Bucket | undefined {
  const [fine, middle, coarse] = LEVELS;
  const fineFrom = firstWholeDay(task.nowMs - fine.retentionMs);
  const middleFrom = firstWholeDay(task.nowMs - middle.retentionMs);
  const stretches = [
    { level: coarse, from: task.fromMs, to: Math.min(task.toMs, middleFrom) },
    { level: middle, from: Math.max(task.fromMs, middleFrom), to: Math.min(task.toMs, fineFrom) },
    { level: fine, from: Math.max(task.fromMs, fineFrom), to: task.toMs },
  ];
  let total: Bucket | undefined;
  for (const { level, from, to } of stretches) {
    if (from >= to) continue;
    for (const bucket of readBuckets(reader, level, objectId, metric, from, to, open)) {
      total = total ? { ...mergeBuckets(total, bucket), startMs: bucket.startMs } : bucket;
    }
  }
  return total;
}

function firstWholeDay(timeMs: number): number {
  return Math.ceil(timeMs / DAY_MS) * DAY_MS;
}

/** Queues that have series. */
function queueObjects(reader: Reader): Set<string> {
  const queues = new Set<string>();
  const start = Buffer.from(QUEUE_PREFIX);
  let from: Uint8Array = start;
  for (;;) {
    // Hop from queue to queue: each has a row a metric, one is enough to know it.
    const [entry] = [...reader.range('series', { start: from, limit: 1 })];
    if (!entry) return queues;
    const objectId = new KeyReader(entry.key).text();
    if (!objectId.startsWith(QUEUE_PREFIX)) return queues;
    queues.add(objectId);
    from = keyOf({ text: objectId }, { byte: 0xff });
  }
}
