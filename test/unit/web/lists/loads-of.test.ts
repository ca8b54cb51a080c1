/** What each node runs or has left stranded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadsOf } from '../../../../web/src/lists/loads-of.ts';

test('jobs that run and jobs that are stranded are counted apart, and what they would lose together', () => {
  const loads = loadsOf([
    { nodeOid: 'a', phase: 'running', workAtRisk: 60 },
    { nodeOid: 'a', phase: 'running', workAtRisk: null },
    { nodeOid: 'b', phase: 'stranded', workAtRisk: 5 },
    { nodeOid: 'b', phase: 'stranded', workAtRisk: 7 },
  ]);
  assert.deepEqual(loads.get('a'), { jobs: 2, stranded: 0, unsavedSeconds: 60 });
  assert.deepEqual(loads.get('b'), { jobs: 0, stranded: 2, unsavedSeconds: 12 });
});
