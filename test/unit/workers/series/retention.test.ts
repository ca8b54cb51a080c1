/** What a sweep finds: everything whose time is up, oldest first, in bounded steps, and nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeAddress } from '../../../../src/actors/node/messages.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { endedNodes, expiredJobs } from '../../../../src/workers/series/retention.ts';
import type { FoundIds } from '../../../../src/workers/task/task.ts';
import { JobShelf } from '../../../support/job-shelf.ts';
import { nodeFacts, nodeWorld } from '../../../support/node-world.ts';

const at = (clock: string): string => `2026-01-31T${clock}Z`;
const ms = (clock: string): number => Date.parse(at(clock));

test('jobs are found by status and time of their last event; those that have not ended never are', () => {
  const shelf = new JobShelf(new MemoryStore());
  const job = { queueName: 'q', node: '' };
  shelf.put(
    { ...job, id: 'ok-early', times: [at('08:00:00')], last: 'Job-Succeeded' },
    { ...job, id: 'ok-at-limit', times: [at('09:00:00')], last: 'Job-Succeeded' },
    { ...job, id: 'ok-just-before', times: [at('08:59:59.999999999')], last: 'Job-Succeeded' },
    { ...job, id: 'failed-early', times: [at('06:00:00')], last: 'Job-Failed' },
    { ...job, id: 'failed-late', times: [at('08:00:00')], last: 'Job-Failed' },
    { ...job, id: 'stopped-early', times: [at('05:00:00')], last: 'Job-Stopped' },
    { ...job, id: 'running', times: [at('01:00:00')], last: 'Job-Running' },
    { ...job, id: 'unknown', times: [at('01:00:00')], last: 'Volume-Created' },
  );
  const task = {
    type: 'expiredJobs',
    after: null,
    succeededBeforeMs: ms('09:00:00'),
    failedBeforeMs: ms('07:00:00'),
  } as const;
  const all = ['failed-early', 'stopped-early', 'ok-early', 'ok-just-before'];
  assert.deepEqual(expiredJobs(shelf.store, { ...task, limit: 100 }), { ids: all, next: null });
  const first = expiredJobs(shelf.store, { ...task, limit: 3 });
  assert.deepEqual(first.ids, all.slice(0, 3));
  shelf.remove('ok-early');
  assert.deepEqual(expiredJobs(shelf.store, { ...task, limit: 2 }).ids, all.slice(0, 2));
  assert.deepEqual(expiredJobs(shelf.store, { ...task, after: first.next, limit: 2 }), {
    ids: all.slice(3),
    next: null,
  });
});

test('whatever the step, a walk by `next` comes by everything once, also where nothing goes', () => {
  const shelf = new JobShelf(new MemoryStore());
  const names = Array.from({ length: 20 }, (_, i) => `j${i}`);
  for (const [i, id] of names.entries())
    shelf.put({
      queueName: 'q',
      node: '',
      id,
      times: [at('01:00:00')],
      last: ['Job-Succeeded', 'Job-Failed', 'Job-Stopped'][i % 3] as 'Job-Failed',
    });
  const task = { type: 'expiredJobs', succeededBeforeMs: ms('09:00:00'), failedBeforeMs: ms('09:00:00') } as const;
  for (const limit of [1, 2, 3, 7, 20, 21]) {
    const seen: string[] = [];
    let after: Uint8Array | null = null;
    do {
      const found: FoundIds = expiredJobs(shelf.store, { ...task, after, limit });
      seen.push(...found.ids);
      assert.ok(seen.length <= names.length, 'nothing comes twice');
      after = found.next;
    } while (after);
    assert.deepEqual(seen.sort(), [...names].sort(), `${limit} a step`);
  }
});

const FACTS = nodeFacts('n', { instanceId: 'i-n' });

test('a node is found from its end on, until it comes back or is forgotten', () => {
  const world = nodeWorld();
  const tell = (message: { readonly type: string }): unknown => world.reply(nodeAddress('n'), message as never);
  const found = (): string[] => {
    const endedBeforeMs = world.clock.wallMs() + 1;
    return [...endedNodes(world.store, { type: 'endedNodes', after: null, endedBeforeMs, limit: 10 }).ids];
  };
  const register = { type: 'register', facts: FACTS };
  tell(register);
  assert.deepEqual(found(), []);
  world.pass(301_000);
  assert.deepEqual(world.signalTypes.at(-1), 'node.lost');
  assert.deepEqual(found(), ['n'], 'lost');
  tell({ type: 'beat', samples: [] } as never);
  assert.deepEqual(found(), [], 'a beat brought it back');
  tell({ type: 'deregister' });
  assert.deepEqual(found(), ['n'], 'deregistered');
  tell(register);
  assert.deepEqual(found(), [], 'registered again');
  world.pass(301_000);
  tell({ type: 'deregister' });
  assert.deepEqual(found(), ['n'], 'lost, then deregistered: one end');
  assert.equal(world.store.count('nodeEnded'), 1);
  assert.deepEqual(tell({ type: 'forget', endedBeforeMs: world.clock.wallMs() + 1 } as never), { removed: true });
  assert.equal(world.store.count('nodeEnded') + world.store.count('node'), 0);
});
