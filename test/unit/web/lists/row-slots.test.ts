/** Rows that stay keep their elements; where none stays, elements are written over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areWrittenOver, rowSlots } from '../../../../web/src/lists/row-slots.ts';

const NONE: ReadonlyMap<string, number> = new Map();

test('a row that stays keeps its element, and one that comes has one of its own', () => {
  const first = rowSlots(NONE, ['a', 'b', 'c']);
  assert.deepEqual([...first.values()], [0, 1, 2]);
  const next = rowSlots(first, ['b', 'c', 'd', 'e']);
  assert.deepEqual([...next], Object.entries({ b: 1, c: 2, d: 3, e: 4 }));
  assert.equal(areWrittenOver(first, next), false);
});

test('where no row stays the elements are taken from the top down, none of them twice', () => {
  const before = rowSlots(rowSlots(NONE, ['a', 'b', 'c']), ['b', 'c', 'd']);
  const all = rowSlots(before, ['p', 'q', 'r', 's']);
  assert.deepEqual([...all], Object.entries({ p: 1, q: 2, r: 3, s: 4 }));
  assert.deepEqual([...rowSlots(all, ['x'])], [['x', 1]]);
  assert.equal(areWrittenOver(before, all), true);
  assert.equal(areWrittenOver(NONE, all), false);
});
