/** What is kept of answers is bounded, and belongs to the very content that it was made of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import type { Bucket } from '../../../../src/store/series/bucket.ts';
import { blockKey, chunkKey, sliceOf, windowMsOf } from '../../../../src/store/series/series-layout.ts';
import { encodeSegment } from '../../../../src/store/series/series-segment.ts';
import { seriesAnswer } from '../../../../src/workers/series/series-answer.ts';
import { WindowTexts } from '../../../../src/workers/series/window-texts.ts';
import type { SeriesTask } from '../../../../src/workers/task/task.ts';
import { writeAll } from '../../../support/write-all.ts';

const [FINE] = LEVELS;
const WINDOW_MS = windowMsOf(FINE);
const OBJECT = 'node-a';
const SLICE = sliceOf(OBJECT);
const QUESTION = { objectId: OBJECT, metric: 'cpuPercent', value: 'avg', format: 'json' } as const;
const WINDOW = { level: FINE, windowMs: 0, sum: 1, size: 10 };

function bucketAt(startMs: number, value: number): Bucket {
  return { startMs, count: 1, sum: [value], min: value, max: value, last: value, lastMs: startMs, lastNs: 0 };
}

function put(store: MemoryStore, windowMs: number, value: number, metric = 'cpuPercent'): void {
  const buckets = [bucketAt(windowMs, value), bucketAt(windowMs + FINE.intervalMs, value + 1)];
  const segment = encodeSegment(new Map([[OBJECT, new Map([[metric, buckets]])]]), windowMs, FINE.intervalMs);
  writeAll(store, [{ table: 'chunk', key: chunkKey(FINE, windowMs, SLICE), value: segment }]);
}

function ask(store: MemoryStore, texts?: WindowTexts, more: Partial<SeriesTask> = {}): string {
  const definition = {
    id: 'metricDef-cpuPercent',
    name: '',
    description: '',
    unit: '',
    labels: [],
    aggregation: 'avg',
  };
  const range = { level: '1m', fromMs: 0, toMs: 3 * WINDOW_MS, value: 'avg', format: 'json', open: [] };
  const task = { type: 'series', objectId: OBJECT, definition, ...range, ...more } as SeriesTask;
  return Buffer.from(seriesAnswer(store, task, texts)).toString();
}

test('an answer from kept texts is the answer without them, in every form and for every part of the range', () => {
  const store = new MemoryStore();
  const texts = new WindowTexts(1);
  for (const i of [0, 1, 2]) put(store, i * WINDOW_MS, i * 10);
  const ranges = [
    { fromMs: 0, toMs: 3 * WINDOW_MS },
    { fromMs: FINE.intervalMs, toMs: 3 * WINDOW_MS },
    { fromMs: WINDOW_MS, toMs: 2 * WINDOW_MS },
    { fromMs: 0, toMs: 2 * WINDOW_MS + 1 },
    { fromMs: 4 * WINDOW_MS, toMs: 5 * WINDOW_MS },
  ];
  for (const format of ['json', 'ndjson', 'csv'] as const)
    for (const range of [...ranges, ...ranges]) {
      const asked = { ...range, format };
      assert.equal(ask(store, texts, asked), ask(store, undefined, asked), JSON.stringify(asked));
    }
  assert.notEqual(ask(store, texts, { value: 'count' }), ask(store, texts));
  assert.ok(texts.bytes > 0);
});

test('a window that changes is read again: by a merge, by a block that comes late, by what is open', () => {
  const store = new MemoryStore();
  const texts = new WindowTexts(1);
  put(store, 0, 1);
  put(store, WINDOW_MS, 5);
  ask(store, texts);
  put(store, 0, 3);
  assert.match(ask(store, texts), /00:00:00Z","value":3\}/);
  const late = encodeSegment(
    new Map([[OBJECT, new Map([['cpuPercent', [bucketAt(2 * FINE.intervalMs, 77)]]])]]),
    0,
    FINE.intervalMs,
  );
  const buckets = [bucketAt(WINDOW_MS + 3 * FINE.intervalMs, 88)];
  assert.match(ask(store, texts, { open: [{ lastSeq: 9, buckets }] }), /02:03:00Z","value":88\}/);
  writeAll(store, [{ table: 'block', key: blockKey(0, SLICE, 1), value: late }]);
  assert.match(ask(store, texts), /00:02:00Z","value":77\}/);
  assert.equal(ask(store, texts), ask(store));
});

test('a damaged window is named also where its text is known', () => {
  const store = new MemoryStore();
  const texts = new WindowTexts(1);
  put(store, 0, 1);
  ask(store, texts);
  const key = chunkKey(FINE, 0, SLICE);
  const damaged = Uint8Array.from(store.get('chunk', key) as Uint8Array);
  damaged[damaged.length - 1] = (damaged.at(-1) as number) ^ 1;
  writeAll(store, [{ table: 'chunk', key, value: damaged }]);
  assert.throws(() => ask(store, texts), /bad checksum/);
});

test('a text is that of its content, its size and its question', () => {
  const texts = new WindowTexts(1);
  const text = Uint8Array.of(1);
  texts.add(QUESTION, WINDOW, text);
  assert.equal(texts.find(QUESTION, WINDOW), text);
  assert.equal(texts.find(QUESTION, { ...WINDOW, sum: 2 }), undefined);
  assert.equal(texts.find(QUESTION, { ...WINDOW, size: 11 }), undefined);
  assert.equal(texts.find(QUESTION, { ...WINDOW, windowMs: WINDOW_MS }), undefined);
  assert.equal(texts.find(QUESTION, { ...WINDOW, level: LEVELS[1] }), undefined);
  for (const other of [{ metric: 'x' }, { objectId: 'node-b' }, { value: 'sum' }, { format: 'csv' }] as const)
    assert.equal(texts.find({ ...QUESTION, ...other }, WINDOW), undefined);
});

test('texts take no more memory than they may: those go that were not asked for longest', () => {
  const texts = new WindowTexts(2, 8_000);
  const at = (i: number) => ({ ...WINDOW, windowMs: i * WINDOW_MS });
  for (const i of [0, 1, 2]) texts.add(QUESTION, at(i), new Uint8Array(1_000));
  assert.ok(texts.find(QUESTION, at(0)));
  texts.add(QUESTION, at(3), new Uint8Array(1_000));
  assert.equal(texts.find(QUESTION, at(1)), undefined);
  assert.ok(texts.find(QUESTION, at(0)));
  // The same again takes its own place.
  const { bytes } = texts;
  texts.add(QUESTION, at(3), new Uint8Array(1_000));
  assert.equal(texts.bytes, bytes);
  texts.add(QUESTION, at(4), new Uint8Array(9_000));
  assert.equal(texts.bytes, 0);
});
