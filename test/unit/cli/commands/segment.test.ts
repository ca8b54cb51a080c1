import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../../../cli/api/failure.ts';
import { segment } from '../../../../cli/commands/session.ts';

test('an id that would lead to another route is refused as the server refuses it, and any other is one part of the path', () => {
  for (const id of ['.', '..'])
    assert.throws(
      () => segment(id),
      (error) => error instanceof Failure && error.exitCode === 1,
      id,
    );
  assert.deepEqual(['a/b', '..a', '%2e', '...'].map(segment), ['a%2Fb', '..a', '%252e', '...']);
});
