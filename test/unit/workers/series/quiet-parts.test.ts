/** A summary passes over what it knows to be too old, and never over anything else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import type { Bucket } from '../../../../src/store/series/bucket.ts';
import { chunkKey, sliceOf, windowMsOf } from '../../../../src/store/series/series-layout.ts';
import { encodeSegment, partsOf } from '../../../../src/store/series/series-segment.ts';
import { QuietParts, QuietSegments } from '../../../../src/workers/series/quiet-parts.ts';
import { summaryAnswer } from '../../../../src/workers/series/summary.ts';
import { writeAll } from '../../../support/write-all.ts';

const [FINE] = LEVELS;
const MINUTE_MS = FINE.intervalMs;
const WINDOW_MS = windowMsOf(FINE);
const HOUR_MS = 60 * MINUTE_MS;

/** A bucket of one sample in each of these minutes of the first window. */
function put(store: MemoryStore, queue: string, ...minutes: readonly number[]): void {
  const buckets = minutes.map((minute): Bucket => {
    const startMs = minute * MINUTE_MS;
    return { startMs, count: 1, sum: [1], min: 1, max: 1, last: 1, lastMs: startMs, lastNs: 0 };
  });
  const content = new Map([[queue, new Map([['runtime', buckets]])]]);
  const key = chunkKey(FINE, 0, sliceOf(queue));
  writeAll(store, [{ table: 'chunk', key, value: encodeSegment(content, 0, MINUTE_MS) }]);
}

function runtimeFrom(store: MemoryStore, fromMs: number): unknown {
  const range = { fromMs, toMs: WINDOW_MS, nowMs: WINDOW_MS };
  const bytes = summaryAnswer(store, { type: 'summary', ...range, format: 'json', keys: null, open: [], queues: null });
  const { items } = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
    items: Record<string, { point: { value: number } }[]>;
  };
  return items['runtime']?.map(({ point }) => point.value);
}

test('what is quiet in one range is found in an earlier one, and once it has grown', () => {
  const store = new MemoryStore();
  put(store, 'queue-a', 0, 59);
  for (let i = 0; i < 2; i++) assert.deepEqual(runtimeFrom(store, HOUR_MS), []);
  assert.deepEqual(runtimeFrom(store, 59 * MINUTE_MS), [1]);
  assert.deepEqual(runtimeFrom(store, 0), [2]);
  assert.deepEqual(runtimeFrom(store, HOUR_MS), []);
  put(store, 'queue-a', 0, 59, 60);
  assert.deepEqual(runtimeFrom(store, HOUR_MS), [1]);
});

test('a part is known by all that tells it from others', () => {
  const parts = new QuietParts();
  const part = { objectId: 'queue-a', sum: 7, size: 40 };
  parts.add(part, WINDOW_MS, 10);
  assert.equal(parts.newestOf(part, WINDOW_MS, 11), 10);
  assert.equal(parts.newestOf(part, WINDOW_MS, 10), undefined);
  assert.equal(parts.newestOf(part, 0, 11), undefined);
  assert.equal(parts.newestOf({ ...part, objectId: 'queue-b' }, WINDOW_MS, 11), undefined);
  assert.equal(parts.newestOf({ ...part, size: 41 }, WINDOW_MS, 11), undefined);
  assert.equal(parts.newestOf({ ...part, sum: 8 }, WINDOW_MS, 11), undefined);
});

test('what is remembered has a bound', () => {
  const parts = new QuietParts();
  const partOf = (sum: number) => ({ objectId: 'queue-a', sum, size: 40 });
  for (let sum = 0; sum <= 16_384; sum++) parts.add(partOf(sum), 0, 10);
  assert.equal(parts.newestOf(partOf(0), 0, 11), undefined);
  assert.equal(parts.newestOf(partOf(16_384), 0, 11), 10);
});

test('a segment is known by its directory and every one of its parts', () => {
  const bucket = (value: number): Bucket => ({
    startMs: 0,
    count: 1,
    sum: [value],
    min: value,
    max: value,
    last: value,
    lastMs: 0,
    lastNs: 0,
  });
  const segmentOf = (a: number, b: number): Uint8Array =>
    encodeSegment(
      new Map([
        ['queue-a', new Map([['runtime', [bucket(a)]]])],
        ['queue-b', new Map([['runtime', [bucket(b)]]])],
      ]),
      0,
      MINUTE_MS,
    );
  const segments = new QuietSegments();
  const segment = segmentOf(1, 2);
  segments.add(segment, 0, 10, [...partsOf(segment)]);
  assert.ok(segments.isQuiet(segment, 0, 11));
  assert.ok(!segments.isQuiet(segment, 0, 10));
  assert.ok(!segments.isQuiet(segment, WINDOW_MS, 11));
  for (const other of [segmentOf(2, 2), segmentOf(1, 1)]) {
    assert.equal(other.byteLength, segment.byteLength, 'the same but for a value');
    assert.ok(!segments.isQuiet(other, 0, 11));
  }
});
