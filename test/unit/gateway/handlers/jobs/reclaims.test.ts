/** Nodes that run on after a notice, as the shards give them to the list of reclaims. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeItem, NodePage } from '../../../../../src/actors/node/directory.ts';
import type { HandlerServices } from '../../../../../src/gateway/handlers/handler.ts';
import { noticedNodes } from '../../../../../src/gateway/handlers/jobs/reclaims.ts';

/** One shard that has this many of them. */
function hostOf(count: number): HandlerServices['host'] {
  const items = Array.from({ length: count }, (_, i) => ({ id: `n-${i}`, json: `{"id":"n-${i}"}` }) as NodeItem);
  const page: NodePage = { items, more: false, last: '' };
  return { shardCount: 1, ask: async () => page } as unknown as HandlerServices['host'];
}

test('more nodes with a notice than are read are told to be more', async () => {
  const few = await noticedNodes(hostOf(2), 3);
  assert.deepEqual([few.nodes.length, few.isCut], [2, false]);
  assert.equal((await noticedNodes(hostOf(3), 3)).isCut, true);
});
