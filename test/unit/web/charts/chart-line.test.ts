import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketText, valueLabels } from '../../../../web/src/charts/chart-axis.ts';
import {
  colourName,
  drawnValues,
  finishedValues,
  partialBucket,
  unfinishedText,
} from '../../../../web/src/charts/chart-line.ts';
import { unitText } from '../../../../web/src/parts/format.ts';

test('a line has the colour of its place among all charts, and only a failure is red', () => {
  assert.equal(colourName({}, 1), 'chart-2');
  assert.equal(colourName({ place: 3 }, 0), 'chart-4');
  assert.equal(colourName({ place: 5 }, 0), 'chart-1');
  assert.equal(colourName({ place: 3, isFailure: true }, 0), 'chart-failed');
});

test('the last bucket is a part of one while it runs, or where the range ends within it', () => {
  const stepMs = 60_000;
  const times = [0, 60, 120];
  const at = (nowMs: number, endMs: number): number => partialBucket(times, { startMs: 0, endMs, stepMs }, nowMs);
  assert.equal(at(130_000, 180_000), 2);
  assert.equal(at(900_000, 150_000), 2);
  assert.equal(at(180_000, 180_000), -1);
  assert.equal(partialBucket([], { startMs: 0, endMs: 0, stepMs }, 0), -1);
});

test('a bar that is not over is explained only where one is drawn', () => {
  const stretch = { startMs: 0, endMs: 180_000, stepMs: 60_000 };
  const at = (minute: number) => [{ time: new Date(minute * 60_000).toISOString(), value: 6 }];
  const line = { label: '', isCounted: true, format: String };
  assert.equal(unfinishedText([{ ...line, points: at(2) }], stretch, 130_000), 'Not over yet');
  assert.equal(unfinishedText([{ ...line, points: at(1) }], stretch, 130_000), undefined);
  assert.equal(unfinishedText([{ ...line, points: at(2), isCounted: false }], stretch, 130_000), undefined);
  assert.equal(unfinishedText([{ ...line, points: at(2) }], stretch, 180_000), undefined);
  const past = { ...stretch, endMs: 150_000 };
  assert.equal(unfinishedText([{ ...line, points: at(2) }], past, 900_000), 'Cut by the end of the range');
});

test('figures of a line are of what is drawn: 0 where nothing was counted, nothing where nothing was measured', () => {
  const points = [1, 3].map((minute) => ({ time: new Date(minute * 60_000).toISOString(), value: 6 }));
  const line = { label: '', points, format: String };
  const values = (isCounted: boolean): number[] =>
    drawnValues({ ...line, isCounted }, { startMs: 0, endMs: 300_000, stepMs: 60_000 }, 240_000);
  // The last minute is not there yet.
  assert.deepEqual(values(true), [0, 6, 0, 6]);
  assert.deepEqual(values(false), [6, 6]);
});

test('what was counted so far in a minute that is not over is no last figure; what was measured in it is', () => {
  const points = [1, 3].map((minute) => ({ time: new Date(minute * 60_000).toISOString(), value: 6 }));
  const values = (isCounted: boolean, nowMs: number): number[] =>
    finishedValues(
      { label: '', points, format: String, isCounted },
      { startMs: 0, endMs: 300_000, stepMs: 60_000 },
      nowMs,
    );
  assert.deepEqual(values(true, 200_000), [0, 6, 0]);
  assert.deepEqual(values(true, 240_000), [0, 6, 0, 6]);
  assert.deepEqual(values(false, 200_000), [6, 6]);
});

test('labels beside a chart fit into its gutter, and say what is below 0 as a count', () => {
  const labels = (unit: string, ...ticks: number[]): string[] =>
    valueLabels(ticks, { unit, format: (value) => unitText(value, unit) });
  assert.deepEqual(labels('USD', 0, 50, 1_500), ['$0', '$50', '$1,500']);
  assert.deepEqual(labels('USD', 0, 0.005, 0.01, 0.015), ['$0', '$0.005', '$0.010', '$0.015']);
  assert.deepEqual(labels('USD', 0, 0.5, 1), ['$0', '$0.50', '$1.00']);
  assert.deepEqual(labels('count', 0, 0.005, 0.01), ['0', '0.005', '0.010']);
  assert.deepEqual(labels('MB', 0, 131_072, 2_097_152), ['0', '128 GiB', '2 TiB']);
  assert.deepEqual(labels('count', -20, 0, 20), ['-20', '0', '20'], 'measured');
  assert.deepEqual(valueLabels([-20, 0, 20], { unit: 'count', format: String, isBelow: true }), ['20', '0', '20']);
  assert.deepEqual(labels('seconds', -120, 60), ['-2\u00a0m', '1\u00a0m']);
  assert.deepEqual(labels('requests a second', 0, 5_000), ['0', '5K']);
  for (const unit of ['USD', 'MB', 'core-seconds', 'seconds', 'requests a second'])
    for (const label of labels(unit, 0, 3_600_000, 720_000_000)) assert.ok(label.length <= 9, `${unit}: ${label}`);
});

test('the pointer tells a moment of a line, and begin and end of a bar', () => {
  const ms = Date.UTC(2026, 10, 23, 14);
  assert.equal(bucketText(ms, undefined, 'utc'), 'Nov 23, 14:00');
  assert.equal(bucketText(ms, 1_800_000, 'utc'), 'Nov 23, 14:00 – 14:30');
  assert.equal(bucketText(ms, 86_400_000, 'utc'), 'Nov 23');
});
