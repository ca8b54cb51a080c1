/** What each node runs or has left stranded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadOf, loadsOf, loadTone, NO_LOAD } from '../../../../web/src/lists/loads-of.ts';

const saved = { lastCheckpointAt: '2026-01-31T12:00:00Z', spotProtCount: 0 };
const never = { lastCheckpointAt: null, spotProtCount: 0 };

test('jobs that run and jobs that are stranded are counted apart, and what they would lose together', () => {
  const loads = loadsOf([
    { nodeOid: 'a', phase: 'running', unsavedSeconds: 60, ...saved },
    { nodeOid: 'a', phase: 'running', unsavedSeconds: null, ...never },
    { nodeOid: 'b', phase: 'stranded', unsavedSeconds: 5, ...never },
    { nodeOid: 'b', phase: 'stranded', unsavedSeconds: 7, ...saved },
  ]);
  assert.deepEqual(loads.get('a'), {
    ...{ jobs: 2, stranded: 0 },
    ...{ unsavedSeconds: 60, mostSeconds: 60, neverSavedSeconds: 0 },
  });
  assert.deepEqual(loads.get('b'), {
    ...{ jobs: 0, stranded: 2 },
    ...{ unsavedSeconds: 12, mostSeconds: 7, neverSavedSeconds: 5 },
  });
});

test('the unsaved work of a node has the tone of the worst of its jobs, however many it has', () => {
  const load = (mostSeconds: number, neverSavedSeconds = 0) => ({ ...NO_LOAD, mostSeconds, neverSavedSeconds });
  assert.equal(loadTone({ ...load(1_800), unsavedSeconds: 9_000 }, 900), '');
  assert.equal(loadTone(load(1_801), 900), 'warn');
  assert.equal(loadTone(load(9_000, 1_800), 900), 'warn');
  assert.equal(loadTone(load(9_000, 1_801), 900), 'bad');
  assert.equal(loadTone(load(9_000, 9_000), undefined), '');
});

test('jobs that name their node and jobs that name its instance are of one node', () => {
  const running = { phase: 'running', unsavedSeconds: 60 };
  const byNode = loadsOf([
    { nodeOid: 'node-1', ...running, ...saved },
    { nodeOid: 'i-1', ...running, ...saved },
    { nodeOid: 'i-2', ...running, ...saved },
  ]);
  const jobsOf = (id: string, instanceId: string, hasMore = false) =>
    loadOf({ byNode, hasMore }, { id, instance: { instanceId } as Parameters<typeof loadOf>[1]['instance'] })?.jobs;
  assert.equal(jobsOf('node-1', 'i-1'), 2);
  assert.equal(jobsOf('i-2', 'i-2'), 1);
  assert.equal(jobsOf('node-3', 'i-3'), 0);
  assert.equal(jobsOf('node-3', 'i-3', true), undefined, 'its jobs may be among those that were not read');
});
