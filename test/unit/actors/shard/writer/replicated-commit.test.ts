import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplicatedCommit } from '../../../../../src/actors/shard/writer/replicated-commit.ts';
import type { CommitOutcome } from '../../../../../src/store/commit/group-commit.ts';
import { textKey } from '../../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../../src/store/kv/write-batch.ts';

const CLIENT = 3;

function committing() {
  let number = 0;
  const commit = new ReplicatedCommit(new MemoryStore(), { propose: async () => 1, isOpen: () => true });
  const write = (): Promise<CommitOutcome['type'] | undefined> => {
    const batch = new WriteBatch();
    batch.put('definition', textKey(`key-${++number}`), textKey('value'));
    const request = { client: CLIENT, epoch: number, number, writes: batch.seal(), messageBatches: [] };
    return new Promise((resolve) => commit.commit([request], ([outcome]) => resolve(outcome?.type)));
  };
  return { commit, write };
}

test('a client that knows what was before another server led writes nothing until it has read again', async () => {
  const { commit, write } = committing();
  commit.begin(CLIENT);
  commit.lead();
  assert.equal(await write(), 'failed', 'it was there before this server led');
  commit.begin(CLIENT);
  assert.equal(await write(), 'durable');
  await commit.log(CLIENT, new Uint8Array(1));
  commit.leadNoMore();
  assert.equal(await write(), 'failed');
  commit.lead();
  assert.equal(await write(), 'failed', 'another one may have led meanwhile');
  await assert.rejects(commit.log(CLIENT, new Uint8Array(1)), /Not the leader/);
  commit.begin(CLIENT);
  assert.equal(await write(), 'durable');
});
