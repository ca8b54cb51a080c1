import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeartbeatCheckpointer, ROWS_MAX } from '../../../../src/actors/node/heartbeat-checkpointer.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { beatKeyOf, decodeBeats, encodeBeats, readBeats } from '../../../../src/store/records/heartbeat-log.ts';
import { writeAll } from '../../../support/write-all.ts';

interface Node {
  readonly id: string;
  wallMs: number;
}

function nodesOf(count: number): Node[] {
  return Array.from({ length: count }, (_, i) => ({ id: `n-${i}`, wallMs: i }));
}

test('what was noted is read back, and the newest time of a node wins', () => {
  const store = new MemoryStore();
  const checkpointer = new HeartbeatCheckpointer<Node>(0, []);
  const node = { id: 'a', wallMs: 1_000 };
  checkpointer.note(node);
  writeAll(
    store,
    checkpointer.take(1, () => [node].values()),
  );
  node.wallMs = 2_000;
  checkpointer.note(node);
  writeAll(
    store,
    checkpointer.take(1, () => [node].values()),
  );
  const { lastWallMs, sequences } = readBeats(store);
  assert.equal(lastWallMs.get(beatKeyOf('a')), 2_000);
  assert.deepEqual([...sequences], [[0, [1, 2]]]);
});

test('a keeper without news writes nothing', () => {
  assert.deepEqual(
    new HeartbeatCheckpointer<Node>(0, []).take(0, () => [][Symbol.iterator]()),
    [],
  );
});

test('the log goes on after the values that are there', () => {
  const store = new MemoryStore();
  const node = { id: 'a', wallMs: 5 };
  const checkpointer = new HeartbeatCheckpointer<Node>(3, [7, 8]);
  checkpointer.note(node);
  writeAll(
    store,
    checkpointer.take(1, () => [node].values()),
  );
  assert.deepEqual([...readBeats(store).sequences], [[3, [9]]]);
});

test('a long log is rewritten step by step, and no node is missing at any moment', () => {
  const store = new MemoryStore();
  const nodes = nodesOf(3 * ROWS_MAX);
  const checkpointer = new HeartbeatCheckpointer<Node>(0, []);
  let values = 0;
  for (let round = 1; round <= 60; round++) {
    for (const node of nodes) {
      node.wallMs = round * 1_000;
      checkpointer.note(node);
    }
    writeAll(
      store,
      checkpointer.take(nodes.length, () => nodes.values()),
    );
    const { lastWallMs } = readBeats(store);
    assert.equal(lastWallMs.size, nodes.length);
    for (const { id } of nodes) assert.equal(lastWallMs.get(beatKeyOf(id)), round * 1_000);
    values = Math.max(values, store.count('beat'));
  }
  assert.ok(values < 120, `${values} values`);
});

test('a log of many small values is rewritten too', () => {
  const store = new MemoryStore();
  const [node] = nodesOf(1) as [Node];
  const checkpointer = new HeartbeatCheckpointer<Node>(0, []);
  for (let round = 0; round < 5_000; round++) {
    checkpointer.note(node);
    writeAll(
      store,
      checkpointer.take(1, () => [node].values()),
    );
  }
  assert.ok(store.count('beat') < 600, `${store.count('beat')} values`);
});

test('bytes that are no heartbeats are refused with a code', () => {
  const bytes = encodeBeats([{ id: 'a', wallMs: 1 }]);
  bytes[0] = 9;
  assert.throws(() => decodeBeats(bytes, () => {}), { name: 'internal' });
  assert.throws(() => decodeBeats(encodeBeats([{ id: 'a', wallMs: 1 }]).subarray(0, 13), () => {}), {
    name: 'internal',
  });
});
