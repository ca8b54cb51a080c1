import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId } from '../../../src/base/format/ids.ts';
import { idSchema, isFolderSafe, objectIdSchema, queueNameSchema } from '../../../src/protocol/id.ts';

function accepts(schema: { safeParse(value: unknown): { success: boolean } }, value: unknown): boolean {
  return schema.safeParse(value).success;
}

test('an id is 1 to 128 characters of the contract’s alphabet', () => {
  for (const id of ['a', 'i-0123456789abcdef0', 'A.b_c:d@e-9', 'x'.repeat(128), '...', '.a', '__proto__'])
    assert.ok(accepts(idSchema, id), id);
  for (const id of ['', 'x'.repeat(129), 'a b', 'a/b', 'ü', 'a\n', 'a\0', '%20', '.', '..', 7, null])
    assert.ok(!accepts(idSchema, id));
  for (const id of ['a', '.', '..', 'a\n', '']) assert.equal(isId(id), accepts(idSchema, id), id);
});

test('a queue name may also have a slash and a space', () => {
  for (const name of ['night/long runs', ' ', 'a'.repeat(128)]) assert.ok(accepts(queueNameSchema, name), name);
  for (const name of ['', 'a'.repeat(129), 'a\tb', 'a\n', 'ü', '.', '..']) assert.ok(!accepts(queueNameSchema, name));
});

test('a metric object’s id has room for the prefix of a queue or a node', () => {
  assert.ok(accepts(objectIdSchema, `queue-${'a'.repeat(128)}`));
  assert.ok(accepts(objectIdSchema, `node-${'a'.repeat(128)}`));
  for (const id of ['a'.repeat(161), '.', '..']) assert.ok(!accepts(objectIdSchema, id));
});

test('an id that would lead out of its folder is not safe for one', () => {
  for (const id of ['.', '..', 'a/b', '/']) assert.equal(isFolderSafe(id), false);
  for (const id of ['...', '.a', 'a..b', 'i-1']) assert.equal(isFolderSafe(id), true);
});
