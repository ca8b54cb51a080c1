/** Which columns a table shows where there is less room than they need. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlacedColumn, shownColumns } from '../../../../web/src/parts/table-room.ts';

const COLUMNS: readonly PlacedColumn[] = [
  { id: 'id', width: 'minmax(10rem, 2fr)' },
  { id: 'phase', width: '6rem' },
  { id: 'age', width: '5rem', inCard: 'right' },
  { id: 'node', width: '8rem', yields: 2, inCard: true },
  { id: 'restores', width: '5rem', yields: 1 },
];
const shown = (widthPx: number | undefined, hidden: readonly string[] = []): string =>
  shownColumns(COLUMNS, hidden, widthPx)
    .map(({ id }) => id)
    .join(' ');

test('the least important columns make room, one by one, and no other goes', () => {
  // 34 rem of 16 pixels, and 13 at the edges.
  assert.equal(shown(557), 'id phase age node restores');
  assert.equal(shown(556), 'id phase age node');
  assert.equal(shown(477), 'id phase age node');
  assert.equal(shown(476), 'id phase age');
  assert.equal(shown(100), 'id phase age');
  assert.equal(shown(477, ['node', 'id']), 'id phase age restores');
});

test('a card has the columns that were chosen for it, one of them at the right', () => {
  assert.equal(shown(undefined), 'id phase node age');
});
