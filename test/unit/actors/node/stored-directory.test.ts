import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeFilter, NodeItem, NodePage } from '../../../../src/actors/node/directory.ts';
import { countNodes } from '../../../../src/actors/node/node-tally.ts';
import { StoredDirectory } from '../../../../src/actors/node/stored-directory.ts';
import type { EventType } from '../../../../src/protocol/event.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { encodeEvent } from '../../../../src/store/commit/event-log.ts';
import { keyOf, textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { beatLogKey, encodeBeats } from '../../../../src/store/records/heartbeat-log.ts';
import { encodeNodeRecord, type NodeRecord } from '../../../../src/store/records/node-record.ts';
import { nodeFacts } from '../../../support/node-world.ts';
import { writeAll } from '../../../support/write-all.ts';

const ALL: NodeFilter = { state: 'all' };
const RUNNING: NodeFilter = { state: 'running' };

class World {
  readonly store = new MemoryStore();
  nowMs = 0;
  readonly directory = new StoredDirectory(this.store, () => this.nowMs);
  #events = 0;

  put(id: string, state: NodeRecord['state'], more: Partial<NodeRecord> = {}): void {
    const record = {
      factsJson: JSON.stringify(nodeFacts(id, {})),
      state,
      registeredAtMs: 1,
      endedAtMs: null,
      lastBeatWallMs: 1_000,
      ...more,
    };
    writeAll(this.store, [{ table: 'node', key: textKey(id), value: encodeNodeRecord(record) }]);
  }

  beat(id: string, wallMs: number): void {
    const value = encodeBeats([{ id, wallMs }]);
    writeAll(this.store, [{ table: 'beat', key: beatLogKey(3, wallMs), value }]);
  }

  event(type: EventType, node: string): void {
    const value = encodeEvent({ type, timeMs: 1, queue: '', job: '', node, json: '{}' });
    writeAll(this.store, [{ table: 'event', key: keyOf({ number: ++this.#events }), value }]);
  }

  one(id: string): WorkerNode | null {
    const item = this.directory.answer(1, { type: 'one', id }) as NodeItem | null;
    return item && (JSON.parse(item.json) as WorkerNode);
  }

  ids(filter: NodeFilter): string[] {
    const ids: string[] = [];
    for (let after = ''; ; ) {
      const page = this.directory.answer(0, { type: 'page', filter, after, limit: 2 }) as NodePage;
      ids.push(...page.items.map(({ id }) => id));
      if (!page.more) return ids;
      after = page.last;
    }
  }
}

test('nodes are listed by what the leader has written, once, in pages', () => {
  const world = new World();
  for (const id of ['a', 'c', 'e']) world.put(id, 'alive');
  world.put('b', 'lost', { endedAtMs: 5 });
  world.put('d', 'deregistered', { endedAtMs: 5 });
  assert.deepEqual(world.ids(ALL), ['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(world.ids(RUNNING), ['a', 'c', 'e']);
  assert.deepEqual(world.ids({ state: 'lost' }), ['b']);
  assert.deepEqual(world.ids({ state: 'all', cloud: 'nowhere' }), []);
  world.put('f', 'alive', { interruption: { action: 'stop', time: '2026-01-31T12:00:00Z' } });
  assert.deepEqual(world.ids({ state: 'running', isNoticed: true }), ['f']);
  const others = world.directory.answer(1, { type: 'page', filter: ALL, after: '', limit: 9 });
  assert.deepEqual(others, { items: [], more: false, last: '' }, 'the first shard has listed them');
});

test('one node is found whichever shard is asked, with the newest beat that is stored', () => {
  const world = new World();
  world.put('a', 'alive');
  assert.equal(world.one('x'), null);
  assert.equal(world.one('a')?.lastHeartbeat, '1970-01-01T00:00:01.000Z');
  world.beat('a', 9_000);
  world.nowMs += 60_000;
  assert.equal(world.one('a')?.lastHeartbeat, '1970-01-01T00:00:09.000Z');
  world.put('b', 'lost', { endedAtMs: 5 });
  assert.deepEqual(world.ids({ state: 'all', heardAfterMs: 8_999 }), ['a'], 'the filter takes the newest beat, too');
  assert.deepEqual(world.ids({ state: 'all', heardBeforeMs: 9_000 }), ['b'], 'the bound itself is left out');
});

test('a node is late from the leader’s event until the leader says otherwise', () => {
  const world = new World();
  world.put('a', 'alive');
  world.put('b', 'alive');
  world.event('node.late', 'a');
  assert.equal(world.one('a')?.state, 'late');
  assert.equal(world.one('b')?.state, 'alive');
  assert.deepEqual(world.ids({ state: 'late' }), ['a']);
  assert.deepEqual(world.ids(RUNNING), ['a', 'b'], 'a late node is a running one');
  world.event('node.drained', 'a');
  assert.equal(world.one('a')?.state, 'late', 'a drain is no heartbeat');
  world.event('node.alive', 'a');
  assert.equal(world.one('a')?.state, 'alive');
  world.event('node.late', 'a');
  world.put('a', 'lost', { endedAtMs: 5 });
  assert.equal(world.one('a')?.state, 'lost', 'what has ended is not late');
  assert.equal(world.one('a')?.endedAt, '1970-01-01T00:00:00.005Z');
  assert.equal(world.one('b')?.endedAt, undefined);
});

test('nodes that run are counted from what is stored, by state and pay type, once for all shards', async () => {
  const world = new World();
  for (let i = 0; i < 1_200; i++) world.put(`n-${i}`, i % 10 === 0 ? 'lost' : 'alive');
  world.put('spot', 'alive', {
    factsJson: JSON.stringify(nodeFacts('spot', { payType: 'Spot' })),
  });
  for (const id of ['n-1', 'n-2', 'n-10']) world.event('node.late', id);
  let turns = 0;
  const count = (shard: number) => countNodes(world.directory.running(shard), async () => void turns++);
  const counts = new Map((await count(0)).map(([state, payType, number]) => [`${state} ${payType}`, number]));
  assert.deepEqual([...counts].sort(), [
    ['alive ', 1_078],
    ['alive Spot', 1],
    ['late ', 2],
  ]);
  assert.deepEqual(await count(1), []);
  world.event('node.alive', 'n-1');
  assert.equal((await count(0)).find(([state]) => state === 'late')?.[2], 1, 'by the events of now');
});
