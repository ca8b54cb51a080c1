import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChartLine, Values } from '../../../../web/src/charts/chart-line.ts';
import { layersOf, reachOf } from '../../../../web/src/charts/layers.ts';

const line = (label: string, more: Partial<ChartLine> = {}): ChartLine => ({
  label,
  points: [],
  format: String,
  isCounted: true,
  ...more,
});
const TIMES = [0, 60];
const shown = (lines: readonly ChartLine[], ...columns: (number | null)[][]) =>
  layersOf(lines, [TIMES, ...columns] as Values).map(({ line: { label }, kind, values }) => [label, kind, values]);

test('bars stand on each other, the sum behind its parts; what was before lies behind all, its edge before all', () => {
  const lines = [line('spot'), line('restores'), line('before', { isBefore: true })];
  assert.deepEqual(shown(lines, [1, 2], [3, null], [9, 9]), [
    ['before', 'outline', [9, 9]],
    ['restores', 'bar', [4, 2]],
    ['spot', 'bar', [1, 2]],
    ['before', 'edge', [9, 9]],
  ]);
});

test('what failed is no part of what stands above: it hangs below 0, and by itself it stands', () => {
  const failed = line('failed', { isFailure: true, isBelow: true });
  const layers = shown([line('submitted'), failed], [5, 0], [2, 1]);
  assert.deepEqual(layers, [
    ['submitted', 'bar', [5, 0]],
    ['failed', 'bar', [-2, -1]],
  ]);
  assert.deepEqual(shown([failed], [2, 1]), [['failed', 'bar', [2, 1]]]);
  assert.deepEqual(reachOf(layersOf([line('submitted'), failed], [TIMES, [5, 0], [2, 1]])), { top: 5, depth: 2 });
});

test('of measured values what was before is a line behind the others', () => {
  const lines = [line('load', { isCounted: false }), line('before', { isCounted: false, isBefore: true })];
  assert.deepEqual(shown(lines, [1, 2], [3, 4]), [
    ['before', 'line', [3, 4]],
    ['load', 'line', [1, 2]],
  ]);
});

test('measured values are lines with gaps', () => {
  assert.deepEqual(shown([line('load', { isCounted: false })], [null, 7]), [['load', 'line', [null, 7]]]);
});
