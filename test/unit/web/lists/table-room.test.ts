/** Which columns a table shows where there is less room than they need, and who has the room that there is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlacedColumn, paperTracksOf, shownColumns, tracksOf } from '../../../../web/src/lists/table-room.ts';

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

test('a column to spare is there only where no text of the others is cut for it', () => {
  const columns: readonly PlacedColumn[] = [
    { id: 'id', width: 'minmax(10rem, 2fr)' },
    { id: 'restores', width: '5rem', isSpare: true },
  ];
  const at = (widthPx: number | undefined, id: number): number =>
    shownColumns(columns, [], widthPx, new Map([['id', id]])).length;
  // 10 + 5 rem of 16 pixels, and 13 at the edges; with an id of 300 pixels 393.
  assert.deepEqual([at(253, 100), at(393, 300), at(392, 300), at(undefined, 300)], [2, 2, 1, 2]);
});

test('of columns to spare no more go than must, the one that yields first before the others', () => {
  const columns: readonly PlacedColumn[] = [
    { id: 'id', width: '10rem' },
    { id: 'restores', width: '5rem', yields: 1, isSpare: true },
    { id: 'checkpoint', width: '8rem', yields: 2, isSpare: true },
  ];
  const at = (widthPx: number): string =>
    shownColumns(columns, [], widthPx)
      .map(({ id }) => id)
      .join(' ');
  assert.equal(at(13 + 368), 'id restores checkpoint');
  assert.equal(at(13 + 367), 'id checkpoint');
  assert.equal(at(13 + 288), 'id checkpoint');
  // The narrow one has room where the wide one has none.
  assert.equal(at(13 + 287), 'id restores');
  assert.equal(at(13 + 239), 'id');
});

const TRACKS: readonly PlacedColumn[] = [
  { id: 'id', width: 'minmax(10rem, 2fr)' },
  { id: 'phase', width: '6rem' },
  { id: 'event', width: '14rem', yields: 1 },
  { id: 'queue', width: 'minmax(8rem, 1fr)' },
  { id: 'count', width: '5rem' },
];
const tracks = (widthPx: number, needs: Readonly<Record<string, number>>): string =>
  tracksOf(TRACKS, 13 + widthPx, new Map(Object.entries(needs))).replaceAll('px', '');

test('no column has room to spare while the texts of another one are cut', () => {
  // 160 + 96 + 100 + 128 + 80 at least: 136 are left, of which the queue needs 40 and the id more than there is.
  assert.equal(tracks(700, { id: 400, phase: 96, event: 100, queue: 168 }), '256 96 100 168 80');
  // Both are cut: each has half of what is left.
  assert.equal(tracks(700, { id: 400, phase: 96, event: 100, queue: 300 }), '228 96 100 196 80');
  // A pill that is longer than its column has the room first.
  assert.equal(tracks(700, { id: 400, phase: 112, event: 100, queue: 300 }), '220 112 100 188 80');
});

test('what nobody needs goes to the flexible columns, and without needs the widths are those of the style', () => {
  assert.equal(tracks(700, { id: 100, phase: 96, event: 100, queue: 100 }), '249.3 96 100 174.6 80');
  assert.equal(tracks(700, {}), 'minmax(10rem, 2fr) 6rem 14rem minmax(8rem, 1fr) 5rem');
});

test('a column whose texts are short makes room before one goes', () => {
  const ids = (event: number): string =>
    shownColumns(TRACKS, [], 13 + 600, new Map([['event', event]]))
      .map(({ id }) => id)
      .join(' ');
  assert.equal(ids(224), 'id phase queue count');
  assert.equal(ids(136), 'id phase event queue count');
});

test('on paper columns share the sheet by what they need', () => {
  const paper = paperTracksOf(
    TRACKS.slice(0, 3),
    new Map([
      ['id', 900],
      ['event', 100],
    ]),
  );
  assert.equal(paper, 'minmax(0, 300fr) minmax(0, 96fr) minmax(0, 100fr)');
});
