/** Both ends that talk to the writer thread: a shard's and main's. The writer itself is the test. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import { threadPlatform } from '../../../../../src/actors/shard/wire/thread-platform.ts';
import { MainWriter } from '../../../../../src/actors/shard/writer/main-writer.ts';
import { WriterClient } from '../../../../../src/actors/shard/writer/writer-client.ts';
import type { FromWriter, ToWriter } from '../../../../../src/actors/shard/writer/writer-messages.ts';
import { CodedError, type Failure } from '../../../../../src/base/errors.ts';
import { textKey } from '../../../../../src/store/kv/keys.ts';
import { visitWrites } from '../../../../../src/store/kv/write-batch.ts';
import { closed, newPortPair, nextMessage } from '../../../../support/port-pair.ts';

const FULL: Failure = { name: 'storageFull' };

interface Shard {
  readonly client: WriterClient;
  readonly writer: MessagePort;
  readonly events: string[];
  say(...messages: readonly FromWriter[]): void;
}

function newShard(t: TestContext): Shard {
  const { port1, port2 } = newPortPair(t);
  const events: string[] = [];
  const client = new WriterClient(port1, threadPlatform, {
    attached: (through) => void events.push(`attached ${through}`),
    durable: (number, seq) => void events.push(`durable ${number} ${seq}`),
    failed: (number, { name }) => {
      events.push(`failed ${number} ${name}`);
      return number + 3;
    },
    delivery: (seq, bytes) => void events.push(`delivery ${seq} ${bytes.byteLength}`),
    events: (first, bytes) => void events.push(`events ${first} ${bytes.byteLength}`),
  });
  const say = (...messages: readonly FromWriter[]): void => {
    for (const message of messages) port2.postMessage(message);
    client.catchUp();
  };
  return { client, writer: port2, events, say };
}

test('what the writer says reaches the shard in its order', (t) => {
  const { events, say } = newShard(t);
  say(
    { type: 'attached', through: 7 },
    { type: 'delivery', seq: 8, bytes: Uint8Array.of(1, 2) },
    { type: 'durable', number: 1, seq: 0 },
    { type: 'durable', number: 2, seq: 9 },
  );
  assert.deepEqual(events, ['attached 7', 'delivery 8 2', 'durable 1 0', 'durable 2 9']);
});

test('the first failure gives up its epoch, and later failures of the same epoch say nothing new', async (t) => {
  const { client, writer, events, say } = newShard(t);
  say({ type: 'failed', number: 4, failure: FULL }, { type: 'failed', number: 5, failure: FULL });
  say({ type: 'failed', number: 6, failure: FULL });
  assert.deepEqual(events, ['failed 4 storageFull'], 'batches 4 to 6 were of one epoch');
  const sent = nextMessage<ToWriter>(writer);
  client.commit(7, Uint8Array.of(1), []);
  const message = await sent;
  assert.ok(message.type === 'commit');
  assert.deepEqual([message.epoch, message.number], [2, 7]);
  say({ type: 'failed', number: 7, failure: FULL });
  assert.deepEqual(events.slice(1), ['failed 7 storageFull']);
});

test('the bytes of a batch move to the writer', async (t) => {
  const { client, writer } = newShard(t);
  const writes = Uint8Array.of(1, 2, 3);
  const messageBatch = Uint8Array.of(4, 5);
  const lines = Uint8Array.of(6);
  const sent = nextMessage<ToWriter>(writer);
  client.commit(1, writes, [{ client: 2, bytes: messageBatch }], lines);
  assert.deepEqual([writes.byteLength, messageBatch.byteLength, lines.byteLength], [0, 0, 0]);
  assert.deepEqual(await sent, {
    type: 'commit',
    epoch: 1,
    number: 1,
    writes: Uint8Array.of(1, 2, 3),
    messageBatches: [{ client: 2, bytes: Uint8Array.of(4, 5) }],
    events: Uint8Array.of(6),
  });
});

test('a drain is answered once for each asker, in order', async (t) => {
  const { client, say } = newShard(t);
  const order: number[] = [];
  const drains = [1, 2].map((i) => client.drain().then(() => order.push(i)));
  say({ type: 'drained' });
  await drains[0];
  assert.deepEqual(order, [1]);
  say({ type: 'drained' });
  await drains[1];
  assert.deepEqual(order, [1, 2]);
});

function isCoded(name: string): (error: unknown) => boolean {
  return (error) => error instanceof CodedError && error.name === name;
}

test('main’s writes are kept when the writer says so, each batch in an epoch of its own', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const main = new MainWriter(port1);
  const seen: string[] = [];
  port2.on('message', (message: ToWriter) => {
    if (message.type !== 'commit') return;
    visitWrites(message.writes, {
      put: (table, key, value) => seen.push(`${message.epoch} put ${table} ${Buffer.from(key)} ${value.byteLength}`),
      remove: (table, key) => seen.push(`${message.epoch} remove ${table} ${Buffer.from(key)}`),
    });
    const { number } = message;
    const answer: FromWriter =
      number === 2 ? { type: 'failed', number, failure: FULL } : { type: 'durable', number, seq: 0 };
    port2.postMessage(answer);
  });
  const put = (name: string) => ({ table: 'meta', key: textKey(name), value: textKey('abc') }) as const;
  const outcomes = await Promise.allSettled([
    main.commit([put('a'), { table: 'meta', key: textKey('old'), value: null }]),
    main.commit([put('b')]),
    main.commit([put('c')]),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.ok(outcomes[1]?.status === 'rejected' && isCoded('storageFull')(outcomes[1].reason));
  assert.deepEqual(seen, ['1 put meta a 3', '1 remove meta old', '2 put meta b 3', '3 put meta c 3']);
});

test('when the writer is gone nothing of main waits for it for ever', async (t) => {
  const { port1, port2 } = newPortPair(t);
  const main = new MainWriter(port1);
  const waiting = main.commit([{ table: 'meta', key: textKey('a'), value: null }]);
  const draining = main.drain();
  const ends = closed(port1);
  port2.close();
  await assert.rejects(waiting, isCoded('internal'));
  await draining;
  await ends;
  await assert.rejects(main.commit([{ table: 'meta', key: textKey('a'), value: null }]), isCoded('internal'));
  await main.drain();
});
