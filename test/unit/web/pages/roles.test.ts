/** Roles by group as the rows of a form, and as the text that the server takes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rolesOf, textOfRoles } from '../../../../web/src/pages/settings/form/roles.ts';

test('roles are read as rows and written as they were, names with separators included', () => {
  const text = 'crew:operator@night|genomics/a,guests:viewer,root:admin,a%3Ab:viewer@x%3Ay|low priority';
  const rows = [
    { group: 'crew', role: 'operator', queues: 'night, genomics/a' },
    { group: 'guests', role: 'viewer', queues: '' },
    { group: 'root', role: 'admin', queues: '' },
    { group: 'a:b', role: 'viewer', queues: 'x:y, low priority' },
  ] as const;
  assert.deepEqual(rolesOf(text), rows);
  assert.equal(textOfRoles(rows), text);
  assert.deepEqual(rolesOf(''), []);
});

test('a row without a group is left out, and an administrator has all queues', () => {
  const rows = [
    { group: ' ', role: 'viewer', queues: 'night' },
    { group: ' root ', role: 'admin', queues: 'night' },
    { group: 'crew', role: 'viewer', queues: ' day ,, night' },
  ] as const;
  assert.equal(textOfRoles(rows), 'root:admin,crew:viewer@day|night');
});

test('what is no text of roles has no rows', () => {
  assert.deepEqual(
    ['crew', 'crew:boss', 'crew:viewer:x', ':viewer', 'a:admin@q'].map(rolesOf),
    Array(5).fill(undefined),
  );
});
