/** Answers that a shard makes itself are those of the pool, and those that may take long are left to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { readWithin } from '../../../../src/store/kv/bounded-reader.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import type { Bucket } from '../../../../src/store/series/bucket.ts';
import { blockKey, chunkKey, sliceOf, windowMsOf } from '../../../../src/store/series/series-layout.ts';
import { encodeSegment } from '../../../../src/store/series/series-segment.ts';
import { seriesAnswer, shortSeries } from '../../../../src/workers/series/series-answer.ts';
import type { SeriesTask } from '../../../../src/workers/task/task.ts';
import { writeAll } from '../../../support/write-all.ts';

const [FINE] = LEVELS;
const MINUTE_MS = FINE.intervalMs;
const HOUR_MS = 60 * MINUTE_MS;
const WINDOW_MS = windowMsOf(FINE);
const OBJECT = 'node-a';

function bucketAt(startMs: number): Bucket {
  const value = (startMs / MINUTE_MS) % 7;
  return { startMs, count: 1, sum: [value], min: value, max: value, last: value, lastMs: startMs, lastNs: 0 };
}

function segment(windowMs: number, fromMs: number, toMs: number): Uint8Array {
  const buckets: Bucket[] = [];
  for (let at = fromMs; at < toMs; at += MINUTE_MS) buckets.push(bucketAt(at));
  return encodeSegment(new Map([[OBJECT, new Map([['cpuPercent', buckets]])]]), windowMs, MINUTE_MS);
}

/** Merged windows, and a last one of so many blocks. */
function storeOf(windows: number, blocks: number): MemoryStore {
  const store = new MemoryStore();
  const slice = sliceOf(OBJECT);
  for (let i = 0; i < windows; i++) {
    const windowMs = i * WINDOW_MS;
    const value = segment(windowMs, windowMs, windowMs + WINDOW_MS);
    writeAll(store, [{ table: 'chunk', key: chunkKey(FINE, windowMs, slice), value }]);
  }
  const last = windows * WINDOW_MS;
  for (let seq = 0; seq < blocks; seq++) {
    const value = segment(last, last + seq * MINUTE_MS, last + (seq + 1) * MINUTE_MS);
    writeAll(store, [{ table: 'block', key: blockKey(last, slice, seq + 1), value }]);
  }
  return store;
}

function taskOf(fromMs: number, toMs: number, more: Partial<SeriesTask> = {}): SeriesTask {
  const definition = {
    id: 'metricDef-cpuPercent',
    name: 'cpu',
    description: '',
    unit: '',
    labels: [],
    aggregation: 'avg',
  } as const;
  const range = { level: '1m', fromMs, toMs, value: 'avg', format: 'json', open: [] } as const;
  return { type: 'series', objectId: OBJECT, definition, ...range, ...more };
}

function textOf(bytes: Uint8Array | undefined): string {
  assert.ok(bytes, 'the answer was left to the pool');
  return Buffer.from(bytes).toString('utf8');
}

test('a short answer is the answer of the pool, byte for byte', () => {
  const store = storeOf(12, 8);
  const end = 12 * WINDOW_MS + HOUR_MS;
  const ranges = [
    [end - 4 * HOUR_MS, end],
    [90 * MINUTE_MS, 330 * MINUTE_MS],
    [0, 24 * HOUR_MS],
  ] as const;
  for (const [fromMs, toMs] of ranges) {
    for (const format of ['json', 'ndjson', 'csv'] as const) {
      const task = taskOf(fromMs, toMs, { format });
      const short = textOf(shortSeries(store, task));
      assert.equal(short, textOf(seriesAnswer(store, task)));
      assert.ok(short.length > 1_000);
    }
  }
});

test('every minute of two days has its own time and value, in every form and for every value', () => {
  const store = storeOf(24, 3);
  const toMs = 24 * WINDOW_MS + HOUR_MS;
  const expected = Array.from({ length: 24 * 120 + 3 }, (_, minute) => ({
    time: new Date(minute * MINUTE_MS).toISOString().replace('.000', ''),
    value: minute % 7,
  }));
  for (const value of ['avg', 'sum', 'min', 'max', 'last', 'count'] as const) {
    const points = value === 'count' ? expected.map(({ time }) => ({ time, value: 1 })) : expected;
    const answer = (format: 'json' | 'ndjson' | 'csv'): string =>
      textOf(seriesAnswer(store, taskOf(0, toMs, { value, format })));
    assert.deepEqual((JSON.parse(answer('json')) as { points: unknown }).points, points);
    assert.equal(answer('ndjson'), points.map((point) => `${JSON.stringify(point)}\n`).join(''));
    assert.equal(answer('csv'), `time,value\n${points.map((point) => `${point.time},${point.value}\n`).join('')}`);
  }
});

test('what has many points, many blocks or many bytes is left to the pool', () => {
  assert.equal(shortSeries(storeOf(14, 0), taskOf(0, 28 * HOUR_MS)), undefined);
  assert.equal(shortSeries(storeOf(0, 119), taskOf(0, 2 * HOUR_MS)), undefined);
  const bounds = { reads: 10, bytes: 80 };
  const large = storeOf(1, 0);
  const key = chunkKey(FINE, 0, sliceOf(OBJECT));
  assert.equal(
    readWithin(large, bounds, (reader) => reader.get('chunk', key)),
    undefined,
  );
  assert.equal(
    readWithin(large, bounds, (reader) => [...reader.range('chunk')].length),
    undefined,
  );
});

test('another failure of a bounded read is not taken for too much of it', () => {
  const failing = (): never => {
    throw new Error('the disk is gone');
  };
  assert.throws(() => readWithin(new MemoryStore(), { reads: 1, bytes: 1 }, failing), /the disk is gone/);
});

test('an answer that failed half way leaves nothing to the next one', () => {
  const store = storeOf(2, 0);
  const whole = textOf(seriesAnswer(store, taskOf(0, 2 * HOUR_MS)));
  const key = chunkKey(FINE, WINDOW_MS, sliceOf(OBJECT));
  writeAll(store, [{ table: 'chunk', key, value: Uint8Array.of(1, 2, 3) }]);
  assert.throws(() => seriesAnswer(store, taskOf(0, 4 * HOUR_MS)), /cannot read a series segment/);
  assert.equal(textOf(seriesAnswer(store, taskOf(0, 2 * HOUR_MS))), whole);
});
