import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeName, encodeName, formatGrant, parseGrant } from '../../../../src/protocol/identity/role.ts';

test('a grant is read as it is written, whatever the queue is called', () => {
  for (const queues of [null, ['a'], ['a', 'b/c d'], ['a:b', 'c@d']])
    for (const role of ['viewer', 'operator'] as const)
      assert.deepEqual(parseGrant(formatGrant({ role, queues })), { role, queues });
  assert.deepEqual(parseGrant('admin'), { role: 'admin', queues: null });
  assert.deepEqual(parseGrant('viewer@a|a'), { role: 'viewer', queues: ['a'] });
});

test('what is no grant says why', () => {
  for (const text of ['', 'root', 'Viewer', 'admin@a', 'viewer@', 'viewer@a|', 'viewer@a@b', 'viewer@%', 'viewer@a;b'])
    assert.equal(typeof parseGrant(text), 'string', text);
});

test('the separators of names are encoded, and nothing else', () => {
  assert.equal(encodeName('a:b,c@d%e|f é/g'), 'a%3Ab%2Cc%40d%25e%7Cf é/g');
  assert.equal(decodeName('a%3Ab%2Cc%40d%25e%7Cf é/g'), 'a:b,c@d%e|f é/g');
  assert.equal(decodeName('%'), undefined);
});
