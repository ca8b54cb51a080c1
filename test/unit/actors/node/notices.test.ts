/** What an operator and the cloud say of a node: drains and interruptions (contract sections 10 and 11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeDirectory, type NodeItem } from '../../../../src/actors/node/directory.ts';
import { nodeAddress } from '../../../../src/actors/node/messages.ts';
import type { NodeState } from '../../../../src/actors/node/state.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { decodeNodeRecord } from '../../../../src/store/records/node-record.ts';
import { nodeFacts, nodeWorld } from '../../../support/node-world.ts';

const NODE = nodeAddress('a');
const NOTICE = { action: 'terminate', time: '2026-01-31T12:02:00Z' };

class Node {
  readonly world = nodeWorld();

  register(): unknown {
    return this.world.reply(NODE, { type: 'register', facts: nodeFacts('a', {}) });
  }

  /** `ok`, or the name of the refusal. */
  tell(message: { readonly type: string; readonly [field: string]: unknown }): string {
    const answer = this.world.ask(NODE, message as never);
    this.world.settle();
    return answer.failure?.name ?? 'ok';
  }

  drain(drained = true): string {
    return this.tell({ type: 'drain', drained });
  }

  interrupt(interruption = NOTICE): string {
    return this.tell({ type: 'interrupt', interruption });
  }

  /** As readers see it, from memory where it lives there; false for what only the store knows. */
  shown(fromMemory = true): WorkerNode {
    const directory = new NodeDirectory({
      reader: this.world.store,
      live: (id) => (fromMemory ? this.world.system.inspectOne<NodeState>('node', id) : undefined),
      liveNodes: () => [],
      membership: () => 0,
      isMine: () => true,
      answerFlushed: (_id, _deadlineMs, answer, done) => done(null, answer()),
    });
    const item = directory.answer({ type: 'one', id: 'a' }) as NodeItem;
    return JSON.parse(item.json) as WorkerNode;
  }

  /** Events since the last look, without their first word. */
  news(): string[] {
    return this.world.signals.splice(0).map(({ type, ...rest }) => `${type} ${JSON.stringify(rest)}`);
  }
}

test('a drained node says so, in memory and on disk, until the drain is undone', () => {
  const node = new Node();
  node.register();
  node.news();
  assert.equal('drained' in node.shown(), false);
  assert.equal(node.drain(), 'ok');
  assert.deepEqual([node.shown().drained, node.shown(false).drained], [true, true]);
  assert.deepEqual(node.news(), ['node.drained {"node":"a","drained":true}']);
  assert.equal(node.drain(), 'ok');
  assert.deepEqual(node.news(), [], 'nothing has changed');
  assert.equal(node.drain(false), 'ok');
  assert.deepEqual([node.shown().drained, node.shown(false).drained], [undefined, undefined]);
  assert.deepEqual(node.news(), ['node.drained {"node":"a","drained":false}']);
});

test('a drain outlives the node’s end, a new registration and a restart of the server, and the node is told', () => {
  const node = new Node();
  node.register();
  node.drain();
  node.tell({ type: 'deregister' });
  assert.equal(node.shown().drained, true);
  assert.equal((node.register() as { drained?: true }).drained, true);
  node.world.restart();
  assert.equal(node.tell({ type: 'beat', samples: [] }), 'ok');
  assert.deepEqual([node.shown().drained, node.shown(false).drained], [true, true]);
  node.drain(false);
  assert.equal('drained' in (node.register() as object), false);
});

test('a node that ended may be drained, and its drain undone; a node that nobody knows may not', () => {
  const node = new Node();
  assert.equal(node.drain(), 'notFound');
  node.register();
  node.tell({ type: 'deregister' });
  assert.equal(node.drain(), 'ok');
  assert.equal(node.drain(false), 'ok');
  assert.equal(node.shown(false).state, 'deregistered');
});

test('an interruption is shown with the node, and told once however often it is reported', () => {
  const node = new Node();
  node.register();
  node.news();
  const receivedAt = new Date(node.world.clock.wallMs()).toISOString();
  assert.equal(node.interrupt(), 'ok');
  node.world.pass(1_000);
  assert.equal(node.interrupt(), 'ok');
  assert.deepEqual([node.shown().interruption, node.shown(false).interruption], [NOTICE, NOTICE]);
  assert.deepEqual(node.news(), [`node.interruption {"node":"a","interruption":${JSON.stringify(NOTICE)}}`]);
  const sooner = { ...NOTICE, time: '2026-01-31T12:01:00Z' };
  node.interrupt(sooner);
  assert.deepEqual(node.shown().interruption, sooner);
  const record = decodeNodeRecord(node.world.store.get('node', textKey('a')) as Uint8Array);
  assert.deepEqual(record.interruption, { ...sooner, receivedAt }, 'the first notice was the warning');
  assert.equal(node.news().length, 1, 'another time is news');
});

test('an interruption outlives a restart of the server and the node’s goodbye; registering withdraws it', () => {
  const node = new Node();
  node.register();
  node.interrupt();
  const kept = node.shown().interruption;
  assert.equal(kept?.time, NOTICE.time);
  node.world.restart();
  assert.equal(node.tell({ type: 'beat', samples: [] }), 'ok');
  assert.deepEqual([node.shown().interruption, node.shown(false).interruption], [kept, kept]);
  node.tell({ type: 'deregister' });
  assert.deepEqual(node.shown().interruption, kept, 'a heartbeat does not withdraw it, nor does the end');
  node.register();
  assert.deepEqual([node.shown().interruption, node.shown(false).interruption], [undefined, undefined]);
});

test('only a registered node is interrupted', () => {
  const node = new Node();
  assert.equal(node.interrupt(), 'notFound');
  node.register();
  node.tell({ type: 'deregister' });
  assert.equal(node.interrupt(), 'notFound');
});

test('a notice is no heartbeat: a node that only reports is late and lost in its time', () => {
  const node = new Node();
  node.register();
  node.world.pass(299_000);
  node.interrupt();
  node.drain();
  node.world.pass(2_000);
  assert.equal(node.shown().state, 'lost');
  assert.equal(node.shown(false).interruption?.time, NOTICE.time);
});
