import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colourName } from '../../../../web/src/charts/chart-line.ts';

test('a line has the colour of its place among all charts, and only a failure is red', () => {
  assert.equal(colourName({}, 1), 'chart-2');
  assert.equal(colourName({ place: 3 }, 0), 'chart-4');
  assert.equal(colourName({ place: 5 }, 0), 'chart-1');
  assert.equal(colourName({ place: 3, isFailure: true }, 0), 'chart-failed');
});
