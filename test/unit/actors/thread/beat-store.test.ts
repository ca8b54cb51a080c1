import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '../../../../src/actors/node/behaviour.ts';
import { BeatStore } from '../../../../src/actors/thread/beat-store.ts';
import { beatKeyOf, beatLogKey, encodeBeats, readBeats } from '../../../../src/store/beat-log.ts';
import { MemoryStore } from '../../../../src/store/memory-store.ts';
import { writeAll } from '../../../support/write-all.ts';

const NODE = { id: 'n', wallMs: 7_000 };

/** A store with a log of each of so many shards, and the beats of a shard that starts on it now. */
function startOn(shardsBefore: number, index: number, shardCount: number): { store: MemoryStore; strays: () => void } {
  const store = new MemoryStore();
  for (let shard = 0; shard < shardsBefore; shard++)
    writeAll(store, [
      { table: 'beat', key: beatLogKey(shard, 1), value: encodeBeats([{ id: `of-${shard}`, wallMs: 1 }]) },
    ]);
  let strays = (): void => {};
  const beats = new BeatStore({
    index,
    shardCount,
    reader: store,
    rim: {
      after: (_, run) => {
        strays = run;
        return () => {};
      },
    },
    runningCount: () => 1,
    running: () => [NODE as NodeState].values(),
    persist: (writes) => writeAll(store, writes),
  });
  beats.adopt();
  beats.save();
  return { store, strays: () => strays() };
}

function shardsOf(store: MemoryStore): number[] {
  return [...readBeats(store).sequences.keys()];
}

test('with as many shards as before nothing is written anew', () => {
  const { store } = startOn(2, 0, 2);
  assert.equal(readBeats(store).lastWallMs.get(beatKeyOf(NODE.id)), undefined);
});

test('with more shards every shard writes its nodes anew, the old ones too, for nodes of all of them have moved', () => {
  for (const index of [0, 1, 2]) {
    const { store } = startOn(2, index, 3);
    assert.equal(readBeats(store).lastWallMs.get(beatKeyOf(NODE.id)), NODE.wallMs, `shard ${index}`);
  }
});

test('with fewer shards they are written anew, and the logs of shards that are no more go later', () => {
  const { store, strays } = startOn(3, 0, 2);
  assert.equal(readBeats(store).lastWallMs.get(beatKeyOf(NODE.id)), NODE.wallMs);
  assert.deepEqual(shardsOf(store), [0, 1, 2]);
  strays();
  assert.deepEqual(shardsOf(store), [0, 1]);
});
