/** What is typed into the search of a log, and the lines that have it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineFilter } from '../../../../src/base/lines/line-filter.ts';
import { hasWords, shownWords, textsOfWords, wordsOf } from '../../../../src/protocol/lists/log-words.ts';

const LINES = [
  '{"level":"warn","time":"2026-01-31T08:00:00Z","job":"train-1","queue":"prod/low priority","message":"job failed","detail":"Out of memory"}',
  '{"method":"GET","path":"/x","status":404}',
  String.raw`{"message":"opened C:\\data"}`,
  'plain step=7 of Épreuve',
];

/** The numbers of the lines that the server and the dashboard find, which must be the same. */
function found(text: string): number[] {
  const texts = textsOfWords(text);
  const here = LINES.flatMap((line, i) => (hasWords(line, texts) ? [i] : []));
  const filter = new LineFilter(texts);
  const there = Buffer.concat([filter.push(Buffer.from(`${LINES.join('\n')}\n`)), filter.end()]).toString();
  const lines = there.split('\n').filter(Boolean);
  assert.deepEqual(
    lines.map((line) => LINES.indexOf(line)),
    here,
    text,
  );
  return here;
}

test('words are found in any order and case, all of them', () => {
  assert.deepEqual(found('memory FAILED'), [0]);
  assert.deepEqual(found('out of memory'), [0]);
  assert.deepEqual(found('failed 404'), []);
  assert.deepEqual(found('  '), [0, 1, 2, 3]);
  // Only from A to Z.
  assert.deepEqual(found('ÉPREUVE'), [3]);
  assert.deepEqual(found('épreuve'), []);
});

test('words between quotation marks stand together', () => {
  assert.deepEqual(
    wordsOf('a "b c" d="e f" "g').map(({ word }) => word),
    ['a', 'b c', 'd=e f', '"g'],
  );
  assert.deepEqual(found('"failed job"'), []);
  assert.deepEqual(found('"job failed"'), [0]);
});

test('a field is found as it is shown, and as it is written', () => {
  assert.deepEqual(found('job=train-1'), [0]);
  assert.deepEqual(found('job=train-1 queue=prod/low priority'), [0]);
  assert.deepEqual(found('queue="prod/low priority"'), [0]);
  assert.deepEqual(found('status=404'), [1]);
  assert.deepEqual(found('job=rain'), [], 'a value is found by its beginning');
  assert.deepEqual(found('"job":"train-1"'), [0]);
  assert.deepEqual(found('step=7'), [3]);
  assert.deepEqual(found(String.raw`C:\data`), [2]);
});

test('a word behind a hyphen leaves lines out; a number and an option are looked for', () => {
  assert.deepEqual(found('-failed'), [1, 2, 3]);
  assert.deepEqual(found('-job=train-1 -OPENED'), [1, 3]);
  assert.deepEqual(found('train-1 -"out of memory"'), []);
  assert.deepEqual(found('message -queue="prod/low priority"'), [2]);
  const excluded = wordsOf('-9 --fresh - -a').map(({ word, isExcluded }) => [word, isExcluded]);
  assert.deepEqual(excluded, [
    ['-9', false],
    ['--fresh', false],
    ['-', false],
    ['a', true],
  ]);
  assert.deepEqual(shownWords('train -night'), ['train']);
});

test('what is marked is what stands on the screen: of a field its value', () => {
  assert.deepEqual(shownWords('failed job=train-1'), ['failed job=train-1', 'failed', 'job=train-1', 'train-1']);
  assert.deepEqual(shownWords(' failed '), ['failed']);
  assert.deepEqual(shownWords(' '), []);
});
