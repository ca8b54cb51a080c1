/** The writer and its journal: what it keeps for whom, and that it lets go of everything else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplicatedCommit } from '../../../../../src/actors/shard/writer/replicated-commit.ts';
import { TRANSACTION_BYTES_MAX, Writer } from '../../../../../src/actors/shard/writer/writer.ts';
import { type FromWriter, MAIN_CLIENT } from '../../../../../src/actors/shard/writer/writer-messages.ts';
import type { Failure } from '../../../../../src/base/errors.ts';
import { firstSeqOf, GroupCommit } from '../../../../../src/store/commit/group-commit.ts';
import { keyOf, textKey } from '../../../../../src/store/kv/keys.ts';
import { type PackedWrites, WriteBatch } from '../../../../../src/store/kv/write-batch.ts';
import { FaultyStore } from '../../../../support/faulty-store.ts';
import { PlayedPlatform, PlayedPort } from '../../../../support/played-platform.ts';

const ENTRIES = 10_000;

interface World {
  readonly store: FaultyStore;
  readonly platform: PlayedPlatform;
  readonly writer: Writer;
  readonly failures: string[];
  attach(client: number): PlayedPort<FromWriter>;
}

/** Entries of the journal, each with a message to one of two shards. */
function note(store: FaultyStore, entries: number, outgoingMessage: Uint8Array): void {
  const group = new GroupCommit(store);
  for (let number = 1; number <= entries; number++)
    group.commit([
      {
        client: 0,
        epoch: 1,
        number,
        writes: new WriteBatch().seal(),
        messageBatches: [{ client: number % 2, bytes: outgoingMessage }],
      },
    ]);
}

/** A writer that opens a store with a journal of so many entries, the messages of two shards. */
function open(
  entries: number,
  outgoingMessage = Uint8Array.of(1),
  replicated?: (store: FaultyStore) => ReplicatedCommit,
): World {
  const store = new FaultyStore();
  note(store, entries, outgoingMessage);
  store.commits = 0;
  const platform = new PlayedPlatform();
  const failures: string[] = [];
  const host = {
    shardCount: 2,
    pulse: () => {},
    countSeries: () => {},
    trimFailed: (what: string, { name }: Failure) => failures.push(`${what}: ${name}`),
    unreadableEvents: (count: number) => failures.push(`${count} unreadable events`),
  };
  const writer = new Writer(store, platform, host, replicated?.(store));
  const attach = (client: number): PlayedPort<FromWriter> => {
    const port = new PlayedPort<FromWriter>();
    writer.attach(client, port);
    return port;
  };
  return { store, platform, writer, failures, attach };
}

/** As a shard that has replayed the journal and has nothing open. */
function settle(port: PlayedPort<FromWriter>, through: number): void {
  port.say({ type: 'acknowledged', below: through + 1, received: through });
}

test('nothing is trimmed before every shard has been there, however long that takes', () => {
  const { store, platform, attach } = open(100);
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), 1, 'nobody is there');
  attach(MAIN_CLIENT);
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), 1, 'only main is there');
  const first = attach(0);
  settle(first, 100);
  platform.pass(60_000);
  assert.equal(firstSeqOf(store), 1, 'a shard is missing');
  const second = attach(1);
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), 1, 'it is there and has not said anything');
  second.say({ type: 'acknowledged', below: 40, received: 100 });
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), 40, 'it still needs those from 40 on');
  settle(second, 100);
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), undefined);
});

test('a shard that has crashed keeps what it may need, and so does its successor', () => {
  const { store, platform, attach } = open(100);
  const [first, second] = [attach(0), attach(1)];
  settle(first, 100);
  second.say({ type: 'acknowledged', below: 60, received: 100 });
  second.close();
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), 60);
  attach(1);
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), 60);
});

test('what was applied while another server led is kept for the shards that come after it', async () => {
  let commit: ReplicatedCommit | undefined;
  const { store, platform, attach } = open(0, Uint8Array.of(1), (opened) => {
    const propose = async (_: string, payload: Uint8Array): Promise<number> => {
      opened.commit([payload as PackedWrites]);
      return 1;
    };
    commit = new ReplicatedCommit(opened, { isOpen: () => true, propose });
    return commit;
  });
  const { lead, leadNoMore } = { lead: () => commit?.lead(), leadNoMore: () => commit?.leadNoMore() };
  lead();
  for (const shard of [0, 1]) settle(attach(shard), 0);
  leadNoMore();
  note(store, 10, Uint8Array.of(1));
  lead();
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), 1, 'the shards are those of before');
  for (const shard of [0, 1]) settle(attach(shard), 10);
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), undefined);
});

test('all that is settled goes within moments, however much it is, in slices with room for others between them', () => {
  const { store, platform, attach } = open(ENTRIES);
  for (const shard of [0, 1]) settle(attach(shard), ENTRIES);
  platform.pass(1_500);
  assert.equal(firstSeqOf(store), undefined);
  assert.ok(store.commits >= 4, `${ENTRIES} entries are more than ${store.commits} short transactions`);
});

test('a slice is bounded by its bytes too', () => {
  const { store, platform, attach } = open(20, new Uint8Array(300_000));
  for (const shard of [0, 1]) settle(attach(shard), 20);
  platform.pass(1_500);
  assert.equal(firstSeqOf(store), undefined);
  assert.equal(store.commits, 5, 'four entries are more than a megabyte');
});

test('a trim that fails is told once, and made up for when there is room again', () => {
  const { store, platform, failures, attach } = open(100);
  for (const shard of [0, 1]) settle(attach(shard), 100);
  store.fails = () => true;
  platform.pass(5_000);
  assert.deepEqual(failures, ['the journal: storageFull']);
  assert.equal(firstSeqOf(store), 1);
  store.fails = () => false;
  platform.pass(2_000);
  assert.equal(firstSeqOf(store), undefined);
});

test('batches are committed between the slices of a trim', () => {
  const { store, platform, attach } = open(ENTRIES);
  const [first, second] = [attach(0), attach(1)];
  settle(first, ENTRIES);
  settle(second, ENTRIES);
  platform.pass(1_000);
  assert.ok(firstSeqOf(store) !== undefined, 'it is not done');
  const batch = new WriteBatch();
  batch.put('meta', textKey('a'), textKey('b'));
  first.say({ type: 'commit', epoch: 1, number: 1, writes: batch.seal(), messageBatches: [] });
  assert.deepEqual(first.sent.at(-1), { type: 'durable', number: 1, seq: 0 });
});

test('a closed writer trims no more', () => {
  const { store, platform, writer, attach } = open(ENTRIES);
  for (const shard of [0, 1]) settle(attach(shard), ENTRIES);
  platform.pass(1_000);
  writer.close();
  const first = firstSeqOf(store);
  assert.ok(first !== undefined);
  platform.pass(5_000);
  assert.equal(firstSeqOf(store), first);
});

test('records of the event log that cannot be read are removed as the oldest, and told', () => {
  const { store, platform, failures } = open(0);
  const batch = new WriteBatch();
  for (const position of [1, 2, 3]) batch.put('event', keyOf({ number: position }), textKey('1\t0\tnode.lost'));
  store.commit([batch.seal()]);
  platform.pass(2_000);
  assert.deepEqual(failures, ['3 unreadable events']);
  assert.deepEqual([...store.range('event')], []);
});

test('a transaction is bounded by its bytes, the next has its turn, and the order of a client stays', () => {
  const { store, platform, attach } = open(0);
  const [first, second] = [attach(0), attach(1)];
  const commit = (number: number): object => {
    const writes = new WriteBatch();
    writes.put('meta', textKey(`n${number}`), new Uint8Array(TRANSACTION_BYTES_MAX / 4));
    return { type: 'commit', epoch: 1, number, writes: writes.seal(), messageBatches: [], events: null };
  };
  // What fills a transaction by itself is committed at once; what comes in the same turn waits.
  const large = new WriteBatch();
  large.put('meta', textKey('large'), new Uint8Array(TRANSACTION_BYTES_MAX));
  first.say({ type: 'commit', epoch: 1, number: 1, writes: large.seal(), messageBatches: [], events: null });
  for (let number = 2; number <= 11; number++) first.say(commit(number));
  first.say({ type: 'drain' });
  second.say(commit(1));
  assert.equal(store.commits, 1);
  const numbers = (): number[] => first.sent.flatMap((message) => (message.type === 'durable' ? [message.number] : []));
  assert.deepEqual(numbers(), [1]);
  platform.pass(0);
  assert.equal(store.commits, 4, 'four in each of the next ones');
  assert.deepEqual(
    numbers(),
    Array.from({ length: 11 }, (_, i) => i + 1),
  );
  assert.equal(first.sent.at(-1)?.type, 'drained', 'after all that was sent before it');
  assert.equal(second.sent.at(-1)?.type, 'durable');
});

test('what waits for its turn goes with the thread that sent it, and with the writer', () => {
  for (const end of ['thread', 'writer']) {
    const { store, platform, writer, attach } = open(0);
    const port = attach(0);
    const writes = (key: string): Uint8Array => {
      const batch = new WriteBatch();
      batch.put('meta', textKey(key), new Uint8Array(TRANSACTION_BYTES_MAX));
      return batch.seal();
    };
    for (const [number, key] of [
      [1, 'a'],
      [2, 'b'],
    ] as const)
      port.say({ type: 'commit', epoch: 1, number, writes: writes(key), messageBatches: [], events: null });
    if (end === 'thread') attach(0);
    else writer.close();
    platform.pass(1_000);
    assert.notEqual(store.get('meta', textKey('a')), undefined);
    assert.equal(store.get('meta', textKey('b')), undefined, `after the ${end}'s end`);
  }
});
