import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchedBeatSchema, heartbeatBatchSchema, heartbeatSchema } from '../../../src/protocol/heartbeat.ts';

test('a beat may be empty, or carry a time and metrics', () => {
  for (const beat of [
    {},
    { time: null, metrics: null },
    { time: '2026-01-31T08:15:00Z', metrics: { cpuPercent: 12.5, 'x.y_z': -3 } },
    { metrics: {} },
  ]) {
    assert.ok(heartbeatSchema.safeParse(beat).success, JSON.stringify(beat));
  }
});

test('a beat carries numbers that can be added up, at most 64 of them, under names that are ids', () => {
  const metrics = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i]));
  assert.ok(heartbeatSchema.safeParse({ metrics: metrics(64) }).success);
  for (const bad of [
    { metrics: metrics(65) },
    { metrics: { 'a b': 1 } },
    { metrics: { '': 1 } },
    { metrics: { cpu: '12' } },
    { metrics: { cpu: Number.NaN } },
    { metrics: { cpu: Number.POSITIVE_INFINITY } },
    { metrics: { cpu: 1e300 } },
    { metrics: [1] },
    { time: 'now' },
  ]) {
    assert.ok(!heartbeatSchema.safeParse(bad).success, JSON.stringify(bad).slice(0, 60));
  }
});

test('a beat in a batch says whose it is, and a batch has at most 10,000', () => {
  assert.ok(batchedBeatSchema.safeParse({ id: 'n-1' }).success);
  assert.ok(!batchedBeatSchema.safeParse({}).success);
  assert.ok(heartbeatBatchSchema.safeParse(new Array(10_000).fill({ id: 'n-1' })).success);
  assert.ok(!heartbeatBatchSchema.safeParse(new Array(10_001).fill({ id: 'n-1' })).success);
});
