/** Pieces of a log by bytes: whole lines only, however wide their characters are, and the one that was asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesAround } from '../../../../web/src/logs/lines-around.ts';

const LOG = new TextEncoder().encode('eins\nzwölf\ndrei\nvier\n');
const piece = (begin: number, end: number, atByte: number, linesMax = 10) =>
  linesAround({ bytes: LOG.subarray(begin, end), begin, isEnd: end >= LOG.length, atByte, linesMax });

test('the beginning of a log and its end are whole lines, and tell where they stand', () => {
  assert.deepEqual(piece(0, LOG.length, 0), {
    lines: ['eins', 'zwölf', 'drei', 'vier'],
    place: { fromByte: 0, toByte: LOG.length, aim: 0 },
  });
  assert.deepEqual(piece(0, LOG.length, 99).place.aim, 3);
});

test('lines that are cut are left out, and what follows begins where the piece ended', () => {
  // From the middle of the second line, by a byte of its wide character, to the middle of the last one.
  assert.deepEqual(piece(8, 19, 12), { lines: ['drei'], place: { fromByte: 12, toByte: 17, aim: 0 } });
  assert.deepEqual(piece(0, LOG.length, 0, 2), {
    lines: ['eins', 'zwölf'],
    place: { fromByte: 0, toByte: 12, aim: 0 },
  });
  assert.deepEqual(piece(0, LOG.length, 12).lines[piece(0, LOG.length, 12).place.aim], 'drei');
});

test('a line that is longer than the piece is shown as far as it goes; nothing is nothing', () => {
  assert.deepEqual(piece(0, 3, 0), { lines: ['ein'], place: { fromByte: 0, toByte: 3, aim: 0 } });
  const none = linesAround({ bytes: new Uint8Array(), begin: 0, isEnd: true, atByte: 0, linesMax: 10 });
  assert.deepEqual(none, { lines: [], place: { fromByte: 0, toByte: 0, aim: -1 } });
});
