/** Two years of job metrics of many queues, as rollups would have left them, and a last day at 1m: what a summary reads. */
import { seededRandom } from '../../src/base/random.ts';
import { queueObjectId } from '../../src/protocol/metric.ts';
import { LEVELS } from '../../src/protocol/rollup-retention.ts';
import type { Store } from '../../src/store/kv/store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import type { Bucket } from '../../src/store/series/bucket.ts';
import { readRollupState } from '../../src/store/series/rollup-state.ts';
import { QUEUE_METRICS, seriesRows } from '../../src/store/series/series-index.ts';
import { chunkKey, DAY_MS, sliceOf, windowMsOf, windowStartOf } from '../../src/store/series/series-layout.ts';
import { encodeSegment } from '../../src/store/series/series-segment.ts';

const [FINE, , COARSE] = LEVELS;
/** On the last day each metric of a queue has a bucket this often. */
const EVERY_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;

type Content = Map<string, Map<string, Bucket[]>>;

export interface QueuesOf {
  readonly queues: number;
  /** Those with anything in the last hour. */
  readonly busyQueues: number;
  readonly days: number;
}

export function fillQueues(store: Store, { queues, busyQueues, days }: QueuesOf, endMs: number): void {
  const names = Array.from({ length: queues }, (_, i) => queueObjectId(`queue-${i}`));
  const bySlice = new Map<number, string[]>();
  for (const name of names) bySlice.set(sliceOf(name), [...(bySlice.get(sliceOf(name)) ?? []), name]);
  const busy = new Set(names.slice(0, busyQueues));
  const random = seededRandom(7);
  store.refresh();
  const { rolledBeforeMs } = readRollupState(store);
  for (const [slice, objects] of bySlice) {
    const batch = new WriteBatch();
    for (const object of objects)
      for (const { table, key, value } of seriesRows(object, QUEUE_METRICS)) batch.put(table, key, value);
    const fill = (level: typeof FINE | typeof COARSE, fromMs: number, toMs: number, everyMs: number): void => {
      for (let windowMs = windowStartOf(level, fromMs); windowMs < toMs; windowMs += windowMsOf(level)) {
        const content: Content = new Map();
        for (const object of objects) {
          const bucketsOf = (): Bucket[] => {
            const buckets: Bucket[] = [];
            const untilMs = level === FINE && !busy.has(object) ? toMs - HOUR_MS : toMs;
            const last = Math.min(untilMs, windowMs + windowMsOf(level));
            for (let at = Math.max(fromMs, windowMs); at < last; at += everyMs)
              buckets.push(bucketAt(at, random.int(1_000_000) / 100));
            return buckets;
          };
          content.set(object, new Map(QUEUE_METRICS.map((metric) => [metric, bucketsOf()])));
        }
        batch.put('chunk', chunkKey(level, windowMs, slice), encodeSegment(content, windowMs, level.intervalMs));
      }
    };
    fill(COARSE, rolledBeforeMs - days * DAY_MS, rolledBeforeMs, DAY_MS);
    // A day in any case: right behind midnight nothing else would be left of the hours that are asked for.
    fill(FINE, Math.min(rolledBeforeMs, endMs - DAY_MS), endMs, EVERY_MS);
    store.commit([batch.seal()]);
  }
}

function bucketAt(startMs: number, value: number): Bucket {
  const other = value + 1;
  const sum = value + other;
  const rest = value - (sum - other);
  const exact = rest === 0 ? [sum] : [rest, sum];
  return { startMs, count: 2, sum: exact, min: value, max: other, last: other, lastMs: startMs + 30_000, lastNs: 0 };
}
