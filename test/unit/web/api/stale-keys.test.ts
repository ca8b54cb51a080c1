/** Which answers an event makes stale. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staleKeys } from '../../../../web/src/api/feed-event.ts';

const keys = (name: string): readonly string[] => staleKeys({ name, data: {} } as Parameters<typeof staleKeys>[0]);

test('a node that goes or comes back changes jobs and reclaims too, a notice no job', () => {
  for (const name of ['node.lost', 'node.deregistered', 'node.alive', 'node.registered'])
    assert.deepEqual(keys(name), ['nodes', 'jobs', 'reclaims'], name);
  assert.deepEqual(keys('node.interruption'), ['nodes', 'reclaims']);
  assert.deepEqual(keys('node.late'), ['nodes']);
});
