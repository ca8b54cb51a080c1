import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PublicEvent } from '../../../../src/protocol/event.ts';
import { packEvents, readEvents } from '../../../../src/store/commit/event-log.ts';
import {
  type CommitOutcome,
  type CommitRequest,
  firstSeqOf,
  GroupCommit,
  readJournal,
} from '../../../../src/store/commit/group-commit.ts';
import { textKey } from '../../../../src/store/kv/keys.ts';
import type { PackedWrites } from '../../../../src/store/kv/write-batch.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';

const eventAt = (round: number, i: number): PublicEvent => ({
  type: 'job.event',
  timeMs: round,
  queue: 'q',
  job: `${i}`,
  node: '',
  json: '{}',
});

interface Sent {
  readonly client?: number;
  readonly epoch?: number;
  readonly number?: number;
  readonly key?: string;
  readonly outgoingMessage?: string;
}

function request({ client = 0, epoch = 1, number = 1, key, outgoingMessage }: Sent): CommitRequest {
  const batch = new WriteBatch();
  if (key !== undefined) batch.put('job', textKey(key), textKey(`${client}/${number}`));
  const messageBatches =
    outgoingMessage === undefined ? [] : [{ client, bytes: Uint8Array.from(textKey(outgoingMessage)) }];
  return { client, epoch, number, writes: batch.seal(), messageBatches };
}

function summary(outcomes: readonly CommitOutcome[]): string[] {
  return outcomes.map((outcome) =>
    outcome.type === 'durable' ? `durable ${outcome.seq}` : `failed ${outcome.failure.name}`,
  );
}

function journal(store: FaultyStore, from = 0, through = Number.MAX_SAFE_INTEGER - 1): string[] {
  return [...readJournal(store, from, through)].map(
    ({ seq, messageBatches }) => `${seq} ${messageBatches.map((bytes) => Buffer.from(bytes)).join()}`,
  );
}

function jobs(store: FaultyStore): string[] {
  return [...store.range('job')].map(({ key, value }) => `${Buffer.from(key)}=${Buffer.from(value)}`);
}

/** Says yes to batches that write the given key. */
function writing(key: string): (batches: readonly PackedWrites[]) => boolean {
  return (batches) => batches.some((batch) => Buffer.from(batch).includes(`${key}`));
}

test('many requests are one transaction, and those with messages get ascending numbers', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  const outcomes = group.commit([
    request({ client: 1, key: 'a', outgoingMessage: 'x' }),
    request({ client: 2, key: 'b' }),
    request({ client: 1, key: 'c', outgoingMessage: 'y', number: 2 }),
    request({ client: 3, outgoingMessage: 'z' }),
  ]);
  assert.deepEqual(summary(outcomes), ['durable 1', 'durable 0', 'durable 2', 'durable 3']);
  assert.equal(store.commits, 1);
  assert.deepEqual(jobs(store), ['a=1/1', 'b=2/1', 'c=1/2']);
  assert.deepEqual(journal(store), ['1 x', '2 y', '3 z']);
  assert.equal(group.lastSeq, 3);
});

test('nothing to commit is no transaction', () => {
  const store = new FaultyStore();
  assert.deepEqual(new GroupCommit(store).commit([]), []);
  assert.equal(store.commits, 0);
});

test('a client that fails fails only itself', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  store.fails = writing('bad');
  const outcomes = group.commit([
    request({ client: 1, key: 'a', outgoingMessage: 'x' }),
    request({ client: 2, key: 'bad', outgoingMessage: 'lost' }),
    request({ client: 3, key: 'c', outgoingMessage: 'z' }),
  ]);
  assert.deepEqual(summary(outcomes), ['durable 1', 'failed storageFull', 'durable 2']);
  assert.deepEqual(jobs(store), ['a=1/1', 'c=3/1']);
  assert.deepEqual(journal(store), ['1 x', '2 z']);
});

test('whatever fails, the positions of events and the numbers of messages have no holes', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  let expectedEvent = 1;
  let expectedSeq = 1;
  for (let round = 1; round <= 20; round++) {
    // Together, then alone, then nobody; a client that failed begins a new epoch.
    store.fails = round % 3 === 0 ? () => true : writing('bad');
    const outcomes = group.commit(
      [1, 2, 3, 4].map((client) => {
        const key = client === 1 + (round % 4) && round % 2 === 0 ? 'bad' : `${client}`;
        const events = packEvents(Array.from({ length: client }, (_, i) => eventAt(round, i)));
        return { ...request({ client, epoch: round, number: round, key, outgoingMessage: 'x' }), events };
      }),
    );
    for (const outcome of outcomes) {
      if (outcome.type !== 'durable') continue;
      assert.deepEqual([outcome.firstEvent, outcome.seq], [expectedEvent, expectedSeq], `round ${round}`);
      expectedEvent += outcome.request.client;
      expectedSeq++;
    }
    assert.deepEqual([group.nextEvent, group.lastSeq], [expectedEvent, expectedSeq - 1], `after round ${round}`);
  }
  const positions = [...readEvents(store, 0, 10_000)].map(({ position }) => position);
  assert.deepEqual(
    positions,
    Array.from({ length: expectedEvent - 1 }, (_, i) => i + 1),
  );
});

test('after a failure the client’s later batches of that epoch are refused, until a new epoch', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  store.fails = writing('bad');
  const first = group.commit([
    request({ client: 1, key: 'bad', number: 1 }),
    request({ client: 1, key: 'b', number: 2, outgoingMessage: 'x' }),
    request({ client: 2, key: 'c' }),
  ]);
  assert.deepEqual(summary(first), ['failed storageFull', 'failed storageFull', 'durable 0']);
  assert.deepEqual(summary(group.commit([request({ client: 1, key: 'd', number: 3 })])), ['failed storageFull']);
  const later = [
    request({ client: 1, epoch: 1, key: 'e', number: 4 }),
    request({ client: 1, epoch: 2, key: 'f', number: 5, outgoingMessage: 'y' }),
  ];
  assert.deepEqual(summary(group.commit(later)), ['failed storageFull', 'durable 1']);
  assert.deepEqual(jobs(store), ['c=2/1', 'f=1/5']);
});

test('batches of one client that precede its failure in the same call are durable', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  store.fails = writing('bad');
  const outcomes = group.commit([
    request({ client: 1, key: 'a', number: 1 }),
    request({ client: 1, key: 'bad', number: 2 }),
    request({ client: 1, key: 'c', number: 3 }),
  ]);
  assert.deepEqual(summary(outcomes), ['durable 0', 'failed storageFull', 'failed storageFull']);
  assert.deepEqual(jobs(store), ['a=1/1']);
});

test('a client that starts again may begin with the epoch that once failed', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  store.fails = writing('bad');
  group.commit([request({ client: 1, key: 'bad' })]);
  group.begin(1);
  assert.deepEqual(summary(group.commit([request({ client: 1, key: 'a' })])), ['durable 0']);
});

test('a store that throws something of its own is an internal failure', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  store.fails = () => {
    throw new TypeError('surprise');
  };
  assert.deepEqual(summary(group.commit([request({ key: 'a' }), request({ client: 1, key: 'b' })])), [
    'failed internal',
    'failed internal',
  ]);
});

test('the journal survives reopening, and its numbers go on', () => {
  const store = new FaultyStore();
  new GroupCommit(store).commit([request({ outgoingMessage: 'x' }), request({ outgoingMessage: 'y', client: 1 })]);
  const reopened = new GroupCommit(store);
  assert.equal(reopened.lastSeq, 2);
  assert.deepEqual(summary(reopened.commit([request({ outgoingMessage: 'z' })])), ['durable 3']);
  assert.deepEqual(journal(store), ['1 x', '2 y', '3 z']);
  assert.deepEqual(journal(store, 2, 2), ['2 y']);
  assert.equal(firstSeqOf(store), 1);
});

test('a trim removes what is below, in steps, and never lets a number come again', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  for (let i = 1; i <= 5_000; i++) group.commit([request({ outgoingMessage: `l${i}`, number: i })]);
  assert.equal(group.trim(5_001), 2_048);
  assert.equal(group.trim(5_001), 2_048);
  assert.equal(firstSeqOf(store), 4_097);
  assert.equal(group.trim(4_099), 2);
  assert.equal(group.trim(4_099), 0);
  assert.equal(group.trim(5_001), 902);
  assert.equal(firstSeqOf(store), undefined);
  const reopened = new GroupCommit(store);
  assert.deepEqual(summary(reopened.commit([request({ outgoingMessage: 'next' })])), ['durable 5001']);
});

/** Entries of half a step each. */
const HALF_A_STEP = 'x'.repeat(600_000);

test('a trim removes a bounded number of bytes, also of entries that an earlier process has written', () => {
  const store = new FaultyStore();
  const earlier = new GroupCommit(store);
  for (let i = 1; i <= 3; i++) earlier.commit([request({ outgoingMessage: HALF_A_STEP, number: i })]);
  const group = new GroupCommit(store);
  for (let i = 4; i <= 7; i++) group.commit([request({ outgoingMessage: HALF_A_STEP, number: i })]);
  const steps = [];
  for (let count = group.trim(8); count > 0; count = group.trim(8)) steps.push(count);
  assert.deepEqual(steps, [2, 2, 2, 1]);
});

test('a trim reads no entry that this process has written', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  for (let i = 1; i <= 3; i++) group.commit([request({ outgoingMessage: 'x', number: i })]);
  const read: string[] = [];
  store.view = (table) => {
    read.push(table);
    return undefined;
  };
  const range = store.range.bind(store);
  store.range = (table, options) => {
    if (options?.keysOnly !== true) read.push(`values of ${table}`);
    return range(table, options);
  };
  assert.equal(group.trim(4), 3);
  assert.deepEqual(read, []);
});

test('what was made for a transaction is dropped once it is over, and nothing that was sent', () => {
  const store = new FaultyStore();
  const dropped: Uint8Array[] = [];
  const group = new GroupCommit(store, (arrays) => dropped.push(...arrays));
  const sent = [1, 2].map((number) => request({ key: `k${number}`, outgoingMessage: `m${number}`, number }));
  group.commit(sent);
  assert.equal(dropped.length, 2, 'an entry of the journal each');
  assert.ok(sent.every(({ writes }) => !dropped.includes(writes)));
  store.fails = () => true;
  group.commit([request({ key: 'k3', outgoingMessage: 'm3', number: 3 })]);
  assert.equal(dropped.length, 3, 'that of a transaction that failed, too');
});

test('a trim that fails has removed nothing', () => {
  const store = new FaultyStore();
  const group = new GroupCommit(store);
  group.commit([request({ outgoingMessage: 'x' })]);
  store.fails = () => true;
  assert.throws(() => group.trim(2));
  assert.deepEqual(journal(store), ['1 x']);
});
