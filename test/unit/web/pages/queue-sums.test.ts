/** One measure, queue by queue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Summary } from '../../../../src/protocol/metric.ts';
import { barsOfPoints, queueSums } from '../../../../web/src/pages/metrics/queue-sums.ts';

const item = (queueName: string, value: number) => ({
  id: `metricDef-checkpointFailure.queue-${queueName}`,
  metaData: { queueName },
  point: { timestamp: '2026-01-01T00:00:00Z', value },
});
const summary = (...items: ReturnType<typeof item>[]) =>
  ({ items: { 'metricDef-checkpointFailure': items } }) as unknown as Summary;

test('queues are in the order of their sums, with what they were before; one of nothing is left out', () => {
  const now = summary(item('few', 2), item('none', 0), item('many', 9), item('gone', 0));
  const before = summary(item('few', 5), item('none', 0), item('gone', 3));
  assert.deepEqual(queueSums({ summary: now, before }, 'checkpointFailure'), [
    { queue: 'many', now: 9, before: 0 },
    { queue: 'few', now: 2, before: 5 },
    { queue: 'gone', now: 0, before: 3 },
  ]);
  assert.deepEqual(queueSums({ summary: now, before }, 'jobCost'), []);
});

test('a bar stands at its step, as high as its part of the most in any queue, and is seen however small', () => {
  const startMs = Date.parse('2026-01-01T00:00:00Z');
  const points = [
    { time: '2026-01-01T00:00:00Z', value: 5 },
    { time: '2026-01-01T00:10:00Z', value: 0 },
    { time: '2026-01-01T00:20:00Z', value: 0.001 },
  ];
  const bars = barsOfPoints(points, startMs, 600_000, 10);
  assert.deepEqual(bars[0], { x: 0, height: 0.5 });
  assert.equal(bars.length, 2);
  assert.equal(bars[1]?.x, 2);
  assert.ok((bars[1]?.height ?? 0) > 0.01);
});
