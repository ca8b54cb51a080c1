/** Which series share a panel of the metrics page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { panelsApart, panelsOf, pendingLine, type SeriesLine } from '../../../../web/src/pages/metrics/panels.ts';

const line = (name: string, unit: string, isCounted: boolean, value: number): SeriesLine => ({
  name,
  label: name,
  unit,
  isCounted,
  points: [{ time: '2026-01-01T00:00:00Z', value }],
  format: String,
});
const shown = (...lines: SeriesLine[]) =>
  panelsOf(lines).map((panel) => [panel[0]?.isCounted, panel.map(({ name }) => name)]);

test('what adds up is one stack of bars, and what does not is another', () => {
  assert.deepEqual(
    shown(
      line('system-total/metricDef-checkpointSuccess', 'count', true, 9),
      line('system-total/metricDef-jobCost', 'USD', true, 5),
      line('system-total/metricDef-checkpointFailure', 'count', true, 1),
      line('system-total/metricDef-onDemandSavings', 'USD', true, 5),
      line('system-total/metricDef-spotSavings', 'USD', true, 5),
    ),
    [
      [true, ['system-total/metricDef-checkpointSuccess', 'system-total/metricDef-checkpointFailure']],
      [true, ['system-total/metricDef-jobCost']],
      [true, ['system-total/metricDef-onDemandSavings', 'system-total/metricDef-spotSavings']],
    ],
  );
});

test('queues are stacked on each other, but not on the sum that they are a part of', () => {
  const of = (object: string) => line(`${object}/metricDef-jobSubmitted`, 'count', true, 3);
  assert.deepEqual(shown(of('system-total'), of('queue-a'), of('queue-b')), [
    [true, ['system-total/metricDef-jobSubmitted']],
    [true, ['queue-a/metricDef-jobSubmitted', 'queue-b/metricDef-jobSubmitted']],
  ]);
});

test('measured values of one unit share an axis unless one would lie on the bottom of it', () => {
  const of = (name: string, value: number, unit = 'seconds') => line(`node-1/${name}`, unit, false, value);
  assert.deepEqual(shown(of('short', 30), of('long', 90_000), of('longer', 100_000), of('percent', 40, 'percent')), [
    [false, ['node-1/longer', 'node-1/long']],
    [false, ['node-1/short']],
    [false, ['node-1/percent']],
  ]);
});

test('series that are still asked for have the panels that they will be drawn in', () => {
  const asked = (definition: string) => pendingLine(`system-total/metricDef-${definition}`, undefined);
  assert.deepEqual(shown(asked('jobSubmitted'), asked('checkpointSuccess'), asked('checkpointFailure')), [
    [true, ['system-total/metricDef-jobSubmitted']],
    [true, ['system-total/metricDef-checkpointSuccess', 'system-total/metricDef-checkpointFailure']],
  ]);
  // Of a measured one it is not known how great it is: it takes no panel that it may not need.
  const [loaded, other] = ['node-a', 'node-b'].map((object) => `${object}/metricDef-cpuPercent`) as [string, string];
  assert.deepEqual(shown(line(loaded, 'percent', false, 80), pendingLine(other, undefined)), [
    [false, [loaded, other]],
  ]);
});

test('series apart have a chart each, and those of one measure have one scale', () => {
  const of = (name: string, value: number) => line(name, 'count', true, value);
  const panels = panelsApart([
    of('queue-a/metricDef-checkpointFailure', 3),
    of('queue-b/metricDef-checkpointFailure', 40),
    of('queue-b/metricDef-jobSubmitted', 900),
  ]);
  assert.deepEqual(
    panels.map((panel) => panel.map(({ name, reach }) => [name, reach])),
    [
      [['queue-a/metricDef-checkpointFailure', 40]],
      [['queue-b/metricDef-checkpointFailure', 40]],
      [['queue-b/metricDef-jobSubmitted', 900]],
    ],
  );
});
