import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Roles } from '../../../../src/gateway/identity/roles.ts';
import { scopeOf } from '../../../../src/protocol/identity/role.ts';

test('without roles every signed-in user is a viewer, and the administrator groups administrate', () => {
  const roles = new Roles(['admin'], {});
  assert.deepEqual(roles.grantsOf([]), [{ role: 'viewer', queues: null }]);
  assert.deepEqual(roles.grantsOf(['x', 'admin']), [{ role: 'admin', queues: null }]);
});

test('with roles a user in none of the groups has none, and administrator groups stay administrators', () => {
  const roles = new Roles(['admin'], { admin: 'viewer', 'a%3Ab': 'operator@x|y', staff: 'viewer' });
  assert.deepEqual(roles.grantsOf([]), []);
  assert.deepEqual(roles.grantsOf(['a%3Ab']), []);
  assert.deepEqual(roles.grantsOf(['admin']), [{ role: 'admin', queues: null }]);
  assert.deepEqual(roles.grantsOf(['a:b']), [{ role: 'operator', queues: ['x', 'y'] }]);
  assert.deepEqual(scopeOf(roles.grantsOf(['a:b', 'staff'])), { reads: null, operates: ['x', 'y'] });
  assert.deepEqual(scopeOf(roles.grantsOf(['a:b'])), { reads: ['x', 'y'], operates: ['x', 'y'] });
});
