import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObjectLists } from '../../../../src/gateway/body/object-lists.ts';

const bytesOf = (text: string): Buffer => Buffer.from(text);

test('a list is found where its bytes stand, and nowhere else', () => {
  const lists = new ObjectLists();
  const list = lists.learn(bytesOf('abc'), ['a', 'b', 'c']);
  assert.equal(lists.find(bytesOf('xxabcyy'), 2)?.list, list);
  assert.equal(lists.find(bytesOf('xxabcyy'), 2)?.end, 5);
  assert.equal(lists.find(bytesOf('xxabcyy'), 1), undefined);
  assert.equal(lists.find(bytesOf('xxab'), 2), undefined, 'the body ends before');
});

test('what was learnt does not change with the body that it was read from', () => {
  const lists = new ObjectLists();
  const body = bytesOf('abc');
  const list = lists.learn(body, ['a']);
  body.fill(0);
  assert.equal(lists.find(bytesOf('abc'), 0)?.list, list);
});

test('of too many lists, the one that was not used for the longest time is forgotten', () => {
  const lists = new ObjectLists();
  const name = (i: number): string => `list ${String(i).padStart(3, '0')}`;
  for (let i = 0; i < 64; i++) lists.learn(bytesOf(name(i)), [name(i)]);
  assert.ok(lists.find(bytesOf(name(0)), 0), 'used again');
  lists.learn(bytesOf(name(64)), [name(64)]);
  assert.ok(lists.find(bytesOf(name(0)), 0));
  assert.equal(lists.find(bytesOf(name(1)), 0), undefined);
  assert.ok(lists.find(bytesOf(name(64)), 0));
});

test('lists are forgotten for their bytes, too, and one that is too large is not kept', () => {
  const lists = new ObjectLists();
  const large = (text: string): Buffer => bytesOf(text.repeat(400_000));
  for (const id of ['a', 'b', 'c']) lists.learn(large(id), [id]);
  assert.equal(lists.find(large('a'), 0), undefined);
  assert.ok(lists.find(large('b'), 0));
  assert.deepEqual(lists.learn(bytesOf('d'.repeat(2_000_000)), ['d']).ids, ['d']);
  assert.ok(lists.find(large('b'), 0), 'it took the place of no other');
});
