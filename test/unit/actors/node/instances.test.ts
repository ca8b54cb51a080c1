/** An instance belongs to one living node: its events, its logs and its price. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownOids } from '../../../../src/actors/node/instances.ts';
import { nodeAddress } from '../../../../src/actors/node/messages.ts';
import { readNodePrice } from '../../../../src/store/records/node-record.ts';
import { nodeFacts, nodeWorld } from '../../../support/node-world.ts';

const TTL_MS = 301_000;

class Nodes {
  readonly world = nodeWorld();

  /** `ok`, or the name of the refusal. */
  register(id: string, instanceId: string, pricePerHour = 1, joins = false): string {
    const facts = nodeFacts(id, { instanceId, pricePerHour });
    return this.#ask(id, { type: 'register', facts, joins });
  }

  beat(id: string): string {
    return this.#ask(id, { type: 'beat', samples: [] });
  }

  end(id: string): void {
    this.#ask(id, { type: 'deregister' });
  }

  forget(id: string): unknown {
    return this.world.reply(nodeAddress(id), { type: 'forget', endedBeforeMs: this.world.clock.wallMs() + 1 });
  }

  /** Who has the name, at which price. */
  holder(oid: string): string | undefined {
    const row = readNodePrice(this.world.store, oid);
    return row && `${row.nodeId} ${row.price}`;
  }

  #ask(id: string, message: { readonly type: string; readonly [field: string]: unknown }): string {
    const answer = this.world.ask(nodeAddress(id), message as never);
    this.world.settle();
    return answer.failure?.name ?? 'ok';
  }
}

test('an instance that a live node has is not taken from it, also while it is late', () => {
  const nodes = new Nodes();
  assert.equal(nodes.register('a', 'i-1', 0.5), 'ok');
  assert.equal(nodes.register('b', 'i-1', 9), 'instanceTaken');
  assert.equal(nodes.holder('i-1'), 'a 0.5');
  assert.equal(nodes.world.store.count('node'), 1, 'the other one is not registered at all');
  nodes.world.pass(100_000);
  assert.equal(nodes.register('b', 'i-1'), 'instanceTaken');
  assert.equal(nodes.register('a', 'i-1', 0.7), 'ok', 'its own it may register again');
  assert.equal(nodes.holder('i-1'), 'a 0.7');
});

test('a node’s id is as good as its instance id: neither is another node’s', () => {
  const nodes = new Nodes();
  nodes.register('a', 'i-1');
  assert.equal(nodes.register('b', 'a'), 'instanceTaken', 'the instance would be the id of a');
  assert.equal(nodes.register('i-1', 'i-2'), 'instanceTaken', 'the id would be the instance of a');
  assert.equal(nodes.register('b', ''), 'ok');
  assert.equal(nodes.register('c', ''), 'ok', 'nodes without an instance are not in each other’s way');
});

test('an instance is free when its node has ended, or has another one by now', () => {
  const nodes = new Nodes();
  nodes.register('a', 'i-1');
  nodes.end('a');
  assert.equal(nodes.register('b', 'i-1', 2), 'ok');
  assert.equal(nodes.holder('i-1'), 'b 2');
  nodes.world.pass(TTL_MS);
  assert.equal(nodes.register('c', 'i-1', 3), 'ok', 'b is lost');
  assert.equal(nodes.register('c', 'i-3', 3), 'ok');
  assert.equal(nodes.register('d', 'i-1', 4), 'ok');
  assert.equal(nodes.holder('i-1'), 'd 4');
});

test('a lost node whose instance was taken meanwhile is not alive by a beat; otherwise it has it again', () => {
  const nodes = new Nodes();
  nodes.register('a', 'i-1', 0.5);
  nodes.world.pass(TTL_MS);
  nodes.register('b', 'i-1', 2);
  assert.equal(nodes.beat('a'), 'instanceTaken');
  assert.equal(nodes.register('a', 'i-1'), 'instanceTaken');
  nodes.end('b');
  assert.equal(nodes.beat('a'), 'ok');
  assert.equal(nodes.holder('i-1'), 'a 0.5');
  assert.equal(nodes.register('b', 'i-1'), 'instanceTaken');
});

test('a join token registers whatever is not alive, and nothing that is', () => {
  const nodes = new Nodes();
  assert.equal(nodes.register('a', 'i-1', 1, true), 'ok');
  assert.equal(nodes.register('a', 'i-1', 2, true), 'instanceTaken');
  assert.equal(nodes.register('a', 'i-2', 2, true), 'instanceTaken');
  assert.equal(nodes.holder('i-1'), 'a 1');
  nodes.world.pass(TTL_MS);
  assert.equal(nodes.register('a', 'i-1', 3, true), 'ok', 'lost');
});

test('a node that is forgotten leaves the price of an instance that was registered again under another id', () => {
  const nodes = new Nodes();
  nodes.register('a', 'i-1', 0.5);
  nodes.end('a');
  nodes.register('b', 'i-1', 2);
  assert.deepEqual(nodes.forget('a'), { removed: true });
  assert.equal(nodes.holder('i-1'), 'b 2');
  assert.equal(nodes.holder('a'), undefined);
  nodes.end('b');
  assert.deepEqual(nodes.forget('b'), { removed: true });
  assert.equal(nodes.world.store.count('nodeByOid'), 0);
});

test('the names by which a node’s token may report are those that nobody else has', () => {
  const nodes = new Nodes();
  nodes.register('a', 'i-1');
  const facts = nodeFacts('a', { instanceId: 'i-1' });
  assert.deepEqual(ownOids(facts, nodes.world.store), ['a', 'i-1']);
  nodes.end('a');
  nodes.register('b', 'i-1');
  assert.deepEqual(ownOids(facts, nodes.world.store), ['a']);
});
