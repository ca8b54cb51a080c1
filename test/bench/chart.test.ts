/** A growth curve has every point where its size and cost say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartOf } from '../../bench/harness/chart.ts';
import { curvesOf } from '../../bench/scenarios/growth.ts';

const rowOf = (unit: string, size: number, cpuMicroseconds: number) => {
  return { name: `${unit} ${size}`, unit, perSecond: 1, p50Ms: 1, p99Ms: 1, cpuMicroseconds, facts: { size } };
};

test('rows of one unit make a curve, and a single one makes none', () => {
  const rows = [rowOf('page', 1_000, 800), rowOf('page', 100_000, 900), rowOf('beat', 1_000, 20)];
  const curves = curvesOf([...rows, { name: 'a peer', absent: 'not installed' }]);
  assert.deepEqual([...curves.keys()], ['growth-page']);
  assert.deepEqual(curves.get('growth-page')?.points, [
    { size: 1_000, cost: 0.8 },
    { size: 100_000, cost: 0.9 },
  ]);
});

test('decades are equally far apart, and cost rises upwards', () => {
  const about = { title: 'Pages & <jobs>', of: 'jobs', measure: 'µs' };
  const points = [1_000, 10_000, 100_000].map((size, i) => ({ size, cost: 10 ** i }));
  const svg = chartOf({ ...about, points });
  assert.match(svg, /Pages &amp; &lt;jobs>/);
  const [, line = ''] = /polyline points="([^"]+)"/.exec(svg) ?? [];
  const places = line.split(' ').map((place) => place.split(',').map(Number));
  const [[x0 = 0, y0 = 0] = [], [x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = []] = places;
  assert.equal(x1 - x0, x2 - x1);
  assert.equal(y0 - y1, y1 - y2);
  assert.ok(x0 < x1 && y0 > y1);
});
