import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIRECTORY, nodeShardOf, shardOf } from '../../../../../src/actors/shard/wire/placement.ts';

const IDS = Array.from({ length: 3_000 }, (_, i) => `i-${(i * 2_654_435_761).toString(16)}`);

test('an actor’s place depends on its id alone, and lies among the shards', () => {
  for (const count of [1, 2, 3, 7, 64]) {
    for (const id of IDS.slice(0, 200)) {
      const place = shardOf({ kind: 'job', id }, count);
      assert.ok(Number.isInteger(place) && place >= 0 && place < count, `${id} of ${count}: ${place}`);
      assert.equal(shardOf({ kind: 'job', id }, count), place);
    }
  }
});

test('the fast path to a node leads to the node’s shard', () => {
  for (const count of [1, 2, 3, 5]) {
    for (const id of [...IDS.slice(0, 200), 'node-node-1', '', 'ü:@']) {
      const place = shardOf({ kind: 'node', id }, count);
      assert.equal(nodeShardOf(id, count), place, id);
    }
  }
});

test('aggregators stand on the shards in turn', () => {
  for (let partition = 0; partition < 16; partition++)
    assert.equal(shardOf({ kind: 'aggregator', id: String(partition) }, 3), partition % 3);
});

test('a directory is the shard of its number', () => {
  for (let i = 0; i < 8; i++) assert.equal(shardOf({ kind: DIRECTORY, id: String(i) }, 8), i);
});

test('ids that are alike spread evenly', () => {
  for (const count of [2, 3, 8]) {
    const sizes = new Array<number>(count).fill(0);
    for (const id of IDS) {
      const place = shardOf({ kind: 'node', id }, count);
      sizes[place] = (sizes[place] ?? 0) + 1;
    }
    const fair = IDS.length / count;
    assert.ok(
      Math.min(...sizes) > fair * 0.85 && Math.max(...sizes) < fair * 1.15,
      `${count} shards: ${sizes.join(', ')}`,
    );
  }
});
