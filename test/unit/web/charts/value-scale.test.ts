import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueScale } from '../../../../web/src/charts/value-scale.ts';

const PLOT_PX = 118;
const ticks = (top: number, unit: string, more: { depth?: number; ceiling?: number } = {}): readonly number[] =>
  valueScale({ top, depth: 0, unit, heightPx: PLOT_PX, ...more }).ticks;

test('an axis has at least three ticks, the last of them above every value', () => {
  assert.deepEqual(ticks(830, 'count'), [0, 500, 1_000]);
  assert.deepEqual(ticks(45, 'count'), [0, 20, 40, 60]);
  assert.deepEqual(ticks(40, 'count'), [0, 20, 40, 60]);
  assert.deepEqual(ticks(0.004, 'USD'), [0, 0.002, 0.004, 0.006]);
  for (const unit of ['count', 'USD', 'seconds', 'core-seconds', 'MB', 'percent', 'ms'])
    for (let top = 0.003; top < 1e12; top *= 1.7) {
      const { max, ticks: all } = valueScale({ top, depth: 0, unit, heightPx: PLOT_PX });
      assert.ok(all.length >= 3 && all.length <= 6, `${unit} ${top}: ${all.join()}`);
      assert.ok(all[0] === 0 && (all.at(-1) ?? 0) > top && all.at(-1) === max, `${unit} ${top}: ${all.join()}`);
    }
});

test('there is no half of a job, and no tick without a job', () => {
  assert.deepEqual(ticks(1, 'count'), [0, 1, 2]);
  assert.deepEqual(ticks(0, 'count'), [0, 1, 2]);
});

test('ticks are round as the unit is shown', () => {
  assert.deepEqual(ticks(5_000, 'MB'), [0, 2_048, 4_096, 6_144]);
  assert.deepEqual(ticks(5_000, 'seconds'), [0, 1_800, 3_600, 5_400]);
  assert.deepEqual(ticks(5 * 3_600, 'core-seconds'), [0, 7_200, 14_400, 21_600]);
});

test('an axis ends at what there can be, unless there is more', () => {
  assert.deepEqual(ticks(38, 'percent', { ceiling: 100 }), [0, 50, 100]);
  assert.deepEqual(ticks(1, 'MB', { ceiling: 15_987 }), [0, 8_192, 15_987]);
  assert.ok((ticks(130, 'percent', { ceiling: 100 }).at(-1) ?? 0) > 130);
});

test('what stands below 0 has room, be it little', () => {
  const { min, max, ticks: all } = valueScale({ top: 830, depth: 3, unit: 'count', heightPx: PLOT_PX });
  assert.deepEqual([max, all], [1_000, [-150, 0, 500, 1_000]]);
  assert.ok(min <= -0.05 * max && min > -0.2 * max, `${min}`);
  assert.deepEqual(ticks(12, 'count', { depth: 11 }), [-10, 0, 10, 20]);
});

test('in a row of charts 0 stands at one height, and what is below it has the scale of what is above', () => {
  const share = ({ min, max }: { min: number; max: number }): number => -min / (max - min);
  const of = (top: number, depth: number, unit = 'count') =>
    valueScale({ top, depth, unit, heightPx: PLOT_PX, hasBand: true });
  for (const scale of [of(830, 3), of(830, 0), of(12, 40), of(0, 0), of(41.5, 0, 'USD')])
    assert.ok(Math.abs(share(scale) - 0.2) < 1e-9, `${share(scale)}`);
  assert.deepEqual(of(830, 17), { min: -250, max: 1_000, ticks: [-250, 0, 500, 1_000] });
  // The axis is longer where more failed than the band holds.
  for (const depth of [11, 12, 40, 500]) assert.ok(-of(12, depth).min >= depth, `${depth} failed`);
});

test('where values stand below 0 the axis has a figure there, and room to read it', () => {
  const label = 9;
  for (const heightPx of [115, 145, 185, 325])
    for (const unit of ['count', 'USD', 'seconds', 'core-seconds', 'MB', 'percent', 'ms'])
      for (const hasBand of [true, false])
        for (const [top, depth] of [0, 1, 3, 12, 830, 1e5].flatMap((top) =>
          [1, 2, 17, 900].map((depth) => [top, depth]),
        )) {
          const { min, max, ticks: all } = valueScale({ top: top ?? 0, depth: depth ?? 0, unit, heightPx, hasBand });
          const pxOf = (value: number): number => (value / (max - min)) * heightPx;
          const gaps = all.slice(1).map((tick, i) => pxOf(tick - (all[i] ?? 0)));
          const told = `${unit} ${top} ${depth} ${heightPx} ${hasBand}: ${min} ${all.join()}`;
          assert.ok((all[0] ?? 0) < 0 && (all[0] ?? 0) >= min && -min >= (depth ?? 0), told);
          assert.ok(
            gaps.every((px) => px >= label),
            told,
          );
        }
});
