/**
 * Runs a new thread warm: code that has hardly run is interpreted, and the first question then takes ten times as long as later
 * ones. Small questions of a small store in memory, which has what real ones have; the thread's own store may still be empty.
 */
import { type Definition, JOB_DEFINITIONS, queueObjectId, shortNameOf } from '../protocol/metric.ts';
import { LEVELS, type Level } from '../protocol/rollup-retention.ts';
import { MemoryStore } from '../store/kv/memory-store.ts';
import type { Entry, RangeOptions } from '../store/kv/store.ts';
import type { Table } from '../store/kv/tables.ts';
import { WriteBatch } from '../store/kv/write-batch.ts';
import type { Bucket } from '../store/series/bucket.ts';
import { rollupStateWrite } from '../store/series/rollup-state.ts';
import { QUEUE_METRICS } from '../store/series/series-index.ts';
import { chunkKey, DAY_MS, sliceOf, windowMsOf } from '../store/series/series-layout.ts';
import { encodeSegment } from '../store/series/series-segment.ts';
import { seriesAnswer } from './series/series-answer.ts';
import { summaryAnswer } from './series/summary.ts';

const [FINE, , COARSE] = LEVELS;
const MINUTE_MS = FINE.intervalMs;
const WINDOW_MS = windowMsOf(FINE);
const DEFINITION = JOB_DEFINITIONS[0] as Definition;
const OBJECT = 'node-warm-up';
const QUEUES = Array.from({ length: 40 }, (_, i) => queueObjectId(`q-${i}`));
const WINDOWS = 12;
/** More of them make a first question hardly quicker. */
const ROUNDS = 40;

/** Takes some 200 ms of processor time, in steps of a millisecond or a few, between which the thread answers callers. Gives the bytes of all answers. */
export async function warmUp(): Promise<number> {
  const store = await storeOf();
  let bytes = 0;
  const toMs = DAY_MS + WINDOWS * WINDOW_MS;
  for (let round = 0; round < ROUNDS; round++) {
    const value = (['avg', 'sum', 'max', 'last'] as const)[round % 4] ?? 'avg';
    const series = { type: 'series', objectId: OBJECT, definition: DEFINITION, level: '1m' } as const;
    bytes += seriesAnswer(store, { ...series, fromMs: DAY_MS, toMs, value, format: 'json', open: [] }).byteLength;
    await aTurn();
    roll(store, round);
    const fromMs = round % 2 === 0 ? 0 : DAY_MS + 30 * MINUTE_MS;
    const range = { type: 'summary', fromMs, toMs, nowMs: toMs } as const;
    bytes += summaryAnswer(store, { ...range, format: 'json', keys: null, open: [], queues: null }).byteLength;
    await aTurn();
  }
  return bytes;
}

/** Values as LMDB gives them: code that was compiled for other arrays would be compiled again. */
class BufferStore extends MemoryStore {
  override get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const value = super.get(table, key);
    return value && Buffer.from(value);
  }

  override *range(table: Table, options: RangeOptions = {}): Generator<Entry> {
    for (const { key, value } of super.range(table, options))
      yield { key: Buffer.from(key), value: Buffer.from(value) };
  }
}

/** A day of queues that is rolled, one window of them, and a node with a bucket a minute. */
async function storeOf(): Promise<MemoryStore> {
  const store = new BufferStore();
  const batch = new WriteBatch();
  const add = (level: Level, windowMs: number, objectId: string, metrics: readonly string[], everyMs: number): void => {
    const buckets: Bucket[] = [];
    const endMs = windowMs + (level.name === FINE.name ? WINDOW_MS : DAY_MS);
    for (let at = windowMs; at < endMs; at += everyMs) buckets.push(bucketAt(at));
    const content = new Map([[objectId, new Map(metrics.map((metric) => [metric, buckets]))]]);
    batch.put(
      'chunk',
      chunkKey(level, windowMs, sliceOf(objectId)),
      encodeSegment(content, windowMs, level.intervalMs),
    );
  };
  for (const queue of QUEUES) {
    add(COARSE, 0, queue, QUEUE_METRICS, DAY_MS);
    add(FINE, DAY_MS, queue, QUEUE_METRICS, 10 * MINUTE_MS);
    await aTurn();
  }
  for (let i = 0; i < WINDOWS; i++) add(FINE, DAY_MS + i * WINDOW_MS, OBJECT, [shortNameOf(DEFINITION.id)], MINUTE_MS);
  store.commit([batch.seal()]);
  return store;
}

/** Another generation, or the days that were summed for the question before would be used again. */
function roll(store: MemoryStore, generation: number): void {
  const state = { closedBeforeMs: DAY_MS, rolledBeforeMs: DAY_MS, nextSlice: 0, generation };
  const { table, key, value } = rollupStateWrite(state);
  const batch = new WriteBatch();
  batch.put(table, key, value);
  store.commit([batch.seal()]);
}

/** Of one to three samples, with values of two decimals. */
function bucketAt(startMs: number): Bucket {
  const minute = startMs / MINUTE_MS;
  const min = ((minute * 7_919) % 10_000) / 100;
  const count = 1 + (minute % 3);
  const max = count === 1 ? min : min + 1.25;
  const sum = count === 3 ? [min + max + max] : [count === 1 ? min : min + max];
  return { startMs, count, sum, min, max, last: max, lastMs: startMs + 30_000, lastNs: 0 };
}

function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
