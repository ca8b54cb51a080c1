/** What a summary remembers of parts of windows changes no answer, whatever is asked and written in between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import type { Bucket } from '../../../../src/store/series/bucket.ts';
import { chunkKey, sliceOf, windowMsOf } from '../../../../src/store/series/series-layout.ts';
import { encodeSegment } from '../../../../src/store/series/series-segment.ts';
import { KnownStretches, type Stretch } from '../../../../src/workers/series/known-stretches.ts';
import { QueueTotals } from '../../../../src/workers/series/queue-totals.ts';
import { summaryAnswer } from '../../../../src/workers/series/summary.ts';
import fc from '../../../support/laws/fast-check.ts';
import { writeAll } from '../../../support/write-all.ts';

const [FINE] = LEVELS;
const MINUTE_MS = FINE.intervalMs;
const WINDOW_MS = windowMsOf(FINE);
const WINDOW_MINUTES = WINDOW_MS / MINUTE_MS;
const METRICS = ['runtime', 'cost'];

function put(store: MemoryStore, windowMs: number, queue: string, minutes: readonly number[]): void {
  const buckets = [...minutes]
    .sort((a, b) => a - b)
    .map((minute): Bucket => {
      const startMs = windowMs + minute * MINUTE_MS;
      return { startMs, count: 1, sum: [1], min: 1, max: 1, last: 1, lastMs: startMs, lastNs: 0 };
    });
  const content = new Map([[queue, new Map(METRICS.map((metric) => [metric, buckets]))]]);
  const value = encodeSegment(content, windowMs, MINUTE_MS);
  writeAll(store, [{ table: 'chunk', key: chunkKey(FINE, windowMs, sliceOf(queue)), value }]);
}

function runtimes(store: MemoryStore, fromMinute: number, toMinute: number, keys: readonly string[] | null): number {
  const range = { fromMs: fromMinute * MINUTE_MS, toMs: toMinute * MINUTE_MS, nowMs: 2 * WINDOW_MS };
  const bytes = summaryAnswer(store, { type: 'summary', ...range, format: 'json', keys, open: [], queues: null });
  const { items } = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
    items: Record<string, { point: { value: number } }[]>;
  };
  return (items['runtime'] ?? []).reduce((sum, { point }) => sum + point.value, 0);
}

const minutes = fc.uniqueArray(fc.nat(WINDOW_MINUTES - 1), { minLength: 1, maxLength: 6 });
/** Few places, so that the same stretch is asked for again. */
const places = fc.constantFrom(0, 30, 60, 61, 119, 120, 121, 200, 240);
const step = fc.oneof(
  fc.record({ window: fc.nat(1), queue: fc.constantFrom('queue-a', 'queue-b'), minutes }),
  fc.record({ from: places, to: places, keys: fc.constantFrom(null, null, ['runtime'], ['cost']) }),
);

test('summaries of changing stretches of changing windows are those of a store that is asked once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const store = new MemoryStore();
      const held = new Map<string, readonly number[]>();
      for (const each of steps) {
        if ('queue' in each) {
          put(store, each.window * WINDOW_MS, each.queue, each.minutes);
          held.set(
            `${each.window} ${each.queue}`,
            each.minutes.map((minute) => each.window * WINDOW_MINUTES + minute),
          );
        } else if (each.from < each.to) {
          const all = [...held.values()].flat().filter((minute) => minute >= each.from && minute < each.to);
          const isAsked = each.keys === null || (each.keys as readonly string[]).includes('runtime');
          assert.equal(runtimes(store, each.from, each.to, each.keys), isAsked ? all.length : 0);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('a stretch is known by all that tells it from others, and the newest ones are', () => {
  const stretches = new KnownStretches();
  const part = { objectId: 'queue-a', sum: 7, size: 40 };
  const stretch: Stretch = { level: '1m', windowMs: 0, fromMs: 60, toMs: 120 };
  const totals = new QueueTotals();
  stretches.add(part, stretch, totals);
  assert.equal(stretches.get(part, stretch), totals);
  for (const other of [{ objectId: 'queue-b' }, { sum: 8 }, { size: 41 }])
    assert.equal(stretches.get({ ...part, ...other }, stretch), undefined);
  for (const other of [{ level: '30m' }, { windowMs: 1 }, { fromMs: 61 }, { toMs: 121 }])
    assert.equal(stretches.get(part, { ...stretch, ...other }), undefined);
  for (let sum = 8; sum <= 2_055; sum++) stretches.add({ ...part, sum }, stretch, totals);
  assert.equal(stretches.get(part, stretch), undefined);
  assert.equal(stretches.get({ ...part, sum: 2_055 }, stretch), totals);
});
