import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, cutOldestHalf, wholeLinesEnd } from '../../../../agent/spool/spool-lines.ts';

const line = (id: string, i: number): string => JSON.stringify({ id, time: `t${i}` });

test('a batch is the first whole lines, at most as many as asked for', () => {
  const bytes = Buffer.from([line('n', 1), line('n', 2), line('n', 3), ''].join('\n'));
  const batch = batchOf(bytes, 'n', 2);
  assert.deepEqual(batch.lines, [line('n', 1), line('n', 2)]);
  assert.equal(bytes.toString('utf8', batch.bytes), `${line('n', 3)}\n`);
  assert.equal(batch.skipped, 0);
});

test('a line without its end is not in a batch', () => {
  const whole = `${line('n', 1)}\n`;
  assert.deepEqual(batchOf(Buffer.from(`${whole}{"id":"n","ti`), 'n', 10), {
    lines: [line('n', 1)],
    bytes: whole.length,
    skipped: 0,
  });
  assert.deepEqual(batchOf(Buffer.from('{"id"'), 'n', 10), { lines: [], bytes: 0, skipped: 0 });
});

test('lines of another node, and lines that are not JSON, are skipped and counted', () => {
  const bytes = Buffer.from(`${line('other', 1)}\nnonsense\nnull\n\n${line('n', 2)}\n`);
  assert.deepEqual(batchOf(bytes, 'n', 10), { lines: [line('n', 2)], bytes: bytes.byteLength, skipped: 4 });
});

test('whole lines end behind the last newline', () => {
  assert.equal(wholeLinesEnd(Buffer.from('ab\ncd\nef')), 6);
  assert.equal(wholeLinesEnd(Buffer.from('ab')), 0);
  assert.equal(wholeLinesEnd(Buffer.from('')), 0);
});

test('a full spool gives up its oldest half at a line’s end, and counts what was never sent', () => {
  const bytes = Buffer.from('aaaa\nbbbb\ncccc\ndddd\n');
  assert.deepEqual(cutOldestHalf(bytes, 0), { from: 10, dropped: 2 });
  assert.deepEqual(cutOldestHalf(bytes, 5), { from: 10, dropped: 1 });
  assert.deepEqual(cutOldestHalf(bytes, 15), { from: 15, dropped: 0 });
});

test('a half that ends inside a line goes on to the line’s end', () => {
  assert.deepEqual(cutOldestHalf(Buffer.from('aa\nbbbbbbbbbb\nc\n'), 0), { from: 14, dropped: 2 });
  assert.deepEqual(cutOldestHalf(Buffer.from('no line ends here'), 0), { from: 17, dropped: 0 });
});
