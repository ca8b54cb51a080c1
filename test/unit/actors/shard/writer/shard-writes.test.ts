import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedStats } from '../../../../../src/actors/shard/wire/shared-stats.ts';
import { ShardWrites } from '../../../../../src/actors/shard/writer/shard-writes.ts';
import type { FromWriter } from '../../../../../src/actors/shard/writer/writer-messages.ts';
import { ManualClock } from '../../../../../src/base/clock.ts';
import { type Failure, UNCONFIRMED } from '../../../../../src/base/errors.ts';
import { MemoryStore } from '../../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../../src/store/kv/write-batch.ts';

/** Writes of a shard whose writer is the test. */
function writing() {
  const stats = new SharedStats(1);
  const failures: Failure[] = [];
  const told: string[] = [];
  let number = 0;
  let hear: (message: FromWriter) => void = () => {};
  const system = {
    deliver: () => {},
    batchDurable: () => {},
    batchFailed: (failure: Failure) => void failures.push(failure),
    nextBatch: 0,
    acknowledgedBelow: () => 0,
  };
  const port = { on: (_: string, run: typeof hear) => (hear = run), postMessage: () => {}, close: () => {} };
  const writes = new ShardWrites(
    {
      index: 0,
      shardCount: 1,
      reader: new MemoryStore(),
      clock: new ManualClock(),
      stats,
      log: { error: (_: object, text: string) => void told.push(text) } as never,
      isMine: () => true,
      system: () => system,
    },
    port as never,
    {} as never,
  );
  const commit = (outcome: Failure | null): void => {
    writes.commit({ number: ++number, writes: new WriteBatch().seal(), messageBatches: [], events: [] });
    system.nextBatch = number + 1;
    hear(outcome ? { type: 'failed', number, failure: outcome } : { type: 'durable', number, seq: number });
  };
  return { stats, failures, told, commit };
}

test('the log blames the store for what it refused only', () => {
  const { told, commit } = writing();
  commit({ name: 'notLeader' });
  commit({ name: 'storageFull' });
  assert.match(told[0] ?? '', /^this server no longer leads/);
  assert.match(told[1] ?? '', /^cannot write to the store/);
});

test('only what the disk has refused counts as a failure of the disk, until a write succeeds', () => {
  const { stats, failures, commit } = writing();
  commit({ name: 'notLeader' });
  commit(UNCONFIRMED);
  assert.equal(stats.isFailing, false);
  commit({ name: 'storageFull' });
  assert.equal(stats.isFailing, true);
  commit({ name: 'notLeader' });
  assert.equal(stats.isFailing, true, 'it says nothing of the disk');
  commit(null);
  assert.equal(stats.isFailing, false);
  assert.equal(failures.length, 4);
});
