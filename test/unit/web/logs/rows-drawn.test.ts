import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsDrawn } from '../../../../web/src/logs/rows-drawn.ts';

test('at the end of a log a whole window is drawn, though only the last line is known to be in sight', () => {
  const ends = (rows: readonly number[]): (number | undefined)[] => [rows[0], rows.at(-1)];
  assert.deepEqual(ends(rowsDrawn({ startIndex: 999, endIndex: 999, overscan: 20, count: 1_000 })), [900, 999]);
  assert.deepEqual(ends(rowsDrawn({ startIndex: 500, endIndex: 526, overscan: 20, count: 1_000 })), [480, 546]);
  assert.deepEqual(rowsDrawn({ startIndex: 0, endIndex: 2, overscan: 20, count: 3 }), [0, 1, 2]);
  assert.deepEqual(rowsDrawn({ startIndex: 0, endIndex: 0, overscan: 20, count: 0 }), []);
});
