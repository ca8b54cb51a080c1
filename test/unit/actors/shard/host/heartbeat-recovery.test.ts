/** Last heartbeats when there are more or fewer shards than before: none is lost, in whatever order they start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '../../../../../src/actors/node/state.ts';
import { HeartbeatRecovery } from '../../../../../src/actors/shard/host/heartbeat-recovery.ts';
import { SharedStats } from '../../../../../src/actors/shard/wire/shared-stats.ts';
import type { Failure } from '../../../../../src/base/errors.ts';
import { MemoryStore } from '../../../../../src/store/kv/memory-store.ts';
import {
  beatKeyOf,
  beatLogKey,
  encodeBeats,
  readBeats,
  shardsOfBeats,
  shardsWrite,
} from '../../../../../src/store/records/heartbeat-log.ts';
import { writeAll } from '../../../../support/write-all.ts';
import { writtenLog } from '../../../../support/written-log.ts';

const NODES = Array.from({ length: 12 }, (_, i) => `n-${i}`);

/** Where the node of that number lives. */
const homeOf = (node: number, shardCount: number): number => node % shardCount;

/** A server on a store; each of its shards starts when the test says so. */
class Server {
  readonly store: MemoryStore;
  readonly shardCount: number;
  readonly stats: SharedStats;
  readonly shards = new Map<number, HeartbeatRecovery>();
  readonly log = writtenLog();
  failure: Failure | null = null;

  constructor(store: MemoryStore, shardCount: number) {
    this.store = store;
    this.shardCount = shardCount;
    this.stats = new SharedStats(shardCount);
  }

  /** Reads the shard's nodes: their last heartbeats as it finds them. */
  start(index: number): number[] {
    const mine = NODES.filter((_, i) => homeOf(i, this.shardCount) === index);
    const states: NodeState[] = [];
    const shard = new HeartbeatRecovery({
      index,
      shardCount: this.shardCount,
      reader: this.store,
      stats: this.stats,
      log: this.log.log,
      runningCount: () => states.length,
      running: () => states.values(),
      persist: (writes, done) => {
        if (!this.failure) writeAll(this.store, writes);
        done?.(this.failure);
      },
    });
    const found = mine.map((id) => shard.lastWallMs(id));
    for (const [i, id] of mine.entries()) states.push({ id, wallMs: found[i] } as NodeState);
    shard.adopt();
    this.shards.set(index, shard);
    return found;
  }

  save(times = 1): void {
    for (let i = 0; i < times; i++) for (const shard of this.shards.values()) shard.save();
  }
}

/** A store that so many shards have written, each its own nodes, some values each. */
function writtenBy(shardCount: number, values = 3): MemoryStore {
  const store = new MemoryStore();
  for (let shard = 0; shard < shardCount; shard++) {
    const rows = NODES.flatMap((id, i) => (homeOf(i, shardCount) === shard ? [{ id, wallMs: 1_000 + i }] : []));
    for (let number = 1; number <= values; number++)
      writeAll(store, [{ table: 'beat', key: beatLogKey(shard, number), value: encodeBeats(rows) }]);
  }
  writeAll(store, [shardsWrite(shardCount)]);
  return store;
}

function assertWhole(store: MemoryStore): void {
  const { lastWallMs } = readBeats(store);
  assert.deepEqual(
    NODES.map((id) => lastWallMs.get(beatKeyOf(id))),
    NODES.map((_, i) => 1_000 + i),
  );
}

const sequencesOf = (store: MemoryStore): number[] => [...readBeats(store).sequences.keys()];

test('with as many shards as before nothing is rewritten', () => {
  const store = writtenBy(2);
  const server = new Server(store, 2);
  for (const shard of [0, 1]) server.start(shard);
  server.save(5);
  assert.deepEqual(
    [...readBeats(store).sequences],
    [
      [0, [1, 2, 3]],
      [1, [1, 2, 3]],
    ],
  );
});

for (const [before, after] of [
  [2, 3],
  [3, 2],
  [1, 4],
  [4, 1],
  [2, 4],
] as const) {
  test(`from ${before} shards to ${after}: a shard that starts late finds its nodes, and then the old rows go`, () => {
    for (let late = 0; late < after; late++) {
      const store = writtenBy(before);
      const server = new Server(store, after);
      for (let shard = 0; shard < after; shard++) if (shard !== late) server.start(shard);
      // However long it takes.
      server.save(100);
      assertWhole(store);
      assert.deepEqual(
        server.start(late),
        NODES.flatMap((_, i) => (homeOf(i, after) === late ? [1_000 + i] : [])),
        `shard ${late}`,
      );
      server.save(5);
      assertWhole(store);
      for (const [shard, numbers] of readBeats(store).sequences) {
        assert.ok(shard < after, `rows of shard ${shard} are gone`);
        assert.ok(
          numbers.every((number) => number > (shard < before ? 3 : 0)),
          'and so are those of the start before',
        );
      }
      assert.equal(shardsOfBeats(store), after);
    }
  });
}

test('a server that ends at any moment of the move loses nothing, whatever number of shards comes next', () => {
  for (let saves = 0; saves < 8; saves++) {
    for (const next of [1, 2, 3, 4]) {
      const store = writtenBy(4);
      const moving = new Server(store, 2);
      for (const shard of [0, 1]) moving.start(shard);
      moving.save(saves);
      assertWhole(store);
      const server = new Server(store, next);
      for (let shard = 0; shard < next; shard++) server.start(shard);
      server.save(10);
      assertWhole(store);
      assert.ok(sequencesOf(store).every((shard) => shard < next));
    }
  }
});

test('rows that could not be written keep the old ones, and are written again', () => {
  for (const failing of [1, 2, 3, 10]) {
    const store = writtenBy(3);
    const server = new Server(store, 2);
    for (const shard of [0, 1]) server.start(shard);
    server.failure = { name: 'storageFull' };
    server.save(failing);
    server.failure = null;
    for (let i = 0; i < 10; i++) {
      assertWhole(store);
      server.save();
    }
    assertWhole(store);
    assert.deepEqual(sequencesOf(store), [0, 1]);
  }
});

test('old rows that could not be removed go later', () => {
  const store = writtenBy(3, 50);
  const server = new Server(store, 2);
  for (const shard of [0, 1]) server.start(shard);
  for (let i = 0; sequencesOf(store).length === 3 && i < 20; i++) {
    server.failure = i % 2 === 1 ? { name: 'storageFull' } : null;
    server.save();
  }
  server.failure = null;
  server.save(10);
  assert.deepEqual(sequencesOf(store), [0, 1]);
  assert.equal(shardsOfBeats(store), 2);
  assertWhole(store);
});

test('a long list of old rows goes in steps', () => {
  const store = writtenBy(3, 100);
  const server = new Server(store, 2);
  for (const shard of [0, 1]) server.start(shard);
  for (let i = 0; i < 20; i++) {
    const before = store.count('beat');
    server.save();
    assert.ok(before - store.count('beat') <= 3 * 32, `${before} rows, then ${store.count('beat')}`);
  }
  assert.deepEqual(sequencesOf(store), [0, 1]);
  assertWhole(store);
});

test('values that cannot be read are told once, and the others are read', () => {
  const store = writtenBy(1);
  writeAll(store, [{ table: 'beat', key: beatLogKey(0, 4), value: Uint8Array.of(9) }]);
  const server = new Server(store, 1);
  assert.deepEqual(
    server.start(0),
    NODES.map((_, i) => 1_000 + i),
  );
  assert.deepEqual(
    server.log.lines.map(({ level, damaged }) => [level, damaged]),
    [['error', 1]],
  );
});
