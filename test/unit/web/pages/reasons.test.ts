/** Reasons of failed jobs as chips above their list. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OTHERS, rowsOf, shownReasons } from '../../../../web/src/pages/reasons.ts';

const rows = (...reasons: (string | null)[]) => reasons.map((lastEventDetail) => ({ lastEventDetail }));

test('reasons that occur more than once are shown, the commonest first, at most six', () => {
  assert.deepEqual(shownReasons(rows('a', 'b', 'b', 'b', null, null, 'c'), undefined), [
    ['b', 3],
    ['', 2],
  ]);
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  assert.equal(shownReasons(rows(...many, ...many), undefined).length, 6);
});

test('one other reason is told by its name, and no chip stands for it', () => {
  const told = rows('a', 'b', 'b');
  assert.deepEqual(shownReasons(told, undefined), [
    ['b', 2],
    ['a', 1],
  ]);
  // Who had chosen the others, when there were more, still has them.
  assert.deepEqual(shownReasons(told, OTHERS), [['b', 2]]);
  assert.equal(rowsOf(told, OTHERS).length, 1);
});

test('jobs whose reasons differ by figures in brackets failed alike', () => {
  const told = rows('exit 137: out of memory (limit 31 GiB)', 'exit 137: out of memory', 'exit (9) of two', 'c');
  assert.deepEqual(shownReasons(told, undefined), [['out of memory', 2]]);
});

test('jobs of one cause failed alike, whether their exit code is told or not', () => {
  const told = rows('no such command: blendr', 'exit 127: no such command: blendr', 'exit 127', 'exit 127');
  assert.deepEqual(shownReasons(told, undefined), [
    ['no such command: blendr', 2],
    ['exit 127', 2],
  ]);
});

test('a chosen reason stays, so that it can be left again', () => {
  assert.deepEqual(shownReasons(rows('a', 'b', 'b'), 'a'), [
    ['b', 2],
    ['a', 1],
  ]);
  assert.deepEqual(shownReasons(rows('b', 'b'), 'gone'), [
    ['b', 2],
    ['gone', 0],
  ]);
  assert.deepEqual(shownReasons(rows('b', 'b'), 'b'), [['b', 2]]);
});

test('the other reasons lead to the jobs that no chip names, and to no others', () => {
  const all = rows('a', 'b', 'b', null, null, 'c', 'exit 1: b (3)');
  const told = (chosen: Parameters<typeof rowsOf>[1]) => rowsOf(all, chosen).map((row) => row.lastEventDetail);
  assert.deepEqual(told(OTHERS), ['a', 'c']);
  assert.deepEqual(told('b'), ['b', 'b', 'exit 1: b (3)']);
  assert.deepEqual(told(''), [null, null]);
  assert.equal(told(undefined).length, all.length);
  assert.deepEqual(shownReasons(all, OTHERS), shownReasons(all, undefined));
});
