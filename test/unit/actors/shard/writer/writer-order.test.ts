/** The order in which the writer tells its clients of one transaction. The store is in memory; the ports note what is sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Port } from '../../../../../src/actors/shard/wire/thread-platform.ts';
import { Writer } from '../../../../../src/actors/shard/writer/writer.ts';
import type { FromWriter, ToWriter } from '../../../../../src/actors/shard/writer/writer-messages.ts';
import { ManualClock } from '../../../../../src/base/clock.ts';
import { StallAwareClock } from '../../../../../src/base/stall-aware-clock.ts';
import { packEvents } from '../../../../../src/store/commit/event-log.ts';
import { textKey } from '../../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../../src/store/kv/write-batch.ts';

interface Told {
  readonly client: number;
  readonly message: FromWriter;
}

class NotingPort implements Port {
  readonly #client: number;
  readonly #told: Told[];
  say: (message: ToWriter) => void = () => {};

  constructor(client: number, told: Told[]) {
    this.#client = client;
    this.#told = told;
  }

  on(event: 'message' | 'close', take: (message: unknown) => void): void {
    if (event === 'message') this.say = take;
  }

  postMessage(message: unknown): void {
    this.#told.push({ client: this.#client, message: message as FromWriter });
  }

  close(): void {}
}

const EVENT = { type: 'node.lost', timeMs: 1, queue: '', job: '', node: 'n', json: '{}' } as const;

function commitOf(number: number): ToWriter {
  const batch = new WriteBatch();
  batch.put('meta', textKey('k'), textKey('v'));
  const messageBatches = [{ client: 1, bytes: Uint8Array.of(1) }];
  return { type: 'commit', epoch: 1, number, writes: batch.seal(), messageBatches, events: packEvents([EVENT, EVENT]) };
}

test('events are with every listener before anybody hears that they are durable', () => {
  const told: Told[] = [];
  const waiting: { readonly port: Port; readonly message: ToWriter }[] = [];
  const writer = new Writer(
    new MemoryStore(),
    {
      every: () => () => {},
      after: () => () => {},
      soon: () => {},
      drop: () => {},
      newClock: () => new StallAwareClock(new ManualClock()),
      receive: (port) => {
        const at = waiting.findIndex((sent) => sent.port === port);
        return at < 0 ? undefined : { message: waiting.splice(at, 1)[0]?.message };
      },
    },
    { shardCount: 3, pulse: () => {}, countSeries: () => {}, trimFailed: () => {}, unreadableEvents: () => {} },
  );
  const ports = [0, 1, 2].map((client) => new NotingPort(client, told));
  for (const [client, port] of ports.entries()) writer.attach(client, port);
  for (const port of ports) port.say({ type: 'listen' });
  told.length = 0;
  // The first message takes the others of its burst along: one transaction of three batches, and all are told together.
  waiting.push({ port: ports[1] as Port, message: commitOf(1) }, { port: ports[0] as Port, message: commitOf(2) });
  ports[0]?.say(commitOf(1));

  const lastEvents = told.findLastIndex(({ message }) => message.type === 'events');
  const firstOutcome = told.findIndex(({ message }) => message.type !== 'events');
  assert.ok(lastEvents < firstOutcome, 'events come before what was delivered and what is durable');
  for (const client of [0, 1, 2]) {
    const mine = told.filter((entry) => entry.client === client).map(({ message }) => message);
    const firsts = mine.flatMap((message) => (message.type === 'events' ? [message.first] : []));
    assert.deepEqual(firsts, [1, 3, 5], 'in the order of their positions');
  }
  const outcomes = told.filter(({ message }) => message.type === 'durable' || message.type === 'delivery');
  assert.equal(outcomes.filter(({ message }) => message.type === 'durable').length, 3);
  // A delivery to another client is with it before its sender hears of it.
  for (const [i, { client, message }] of outcomes.entries()) {
    if (client !== 0 || message.type !== 'durable') continue;
    assert.ok(outcomes.slice(0, i).some(({ message: sent }) => sent.type === 'delivery' && sent.seq === message.seq));
  }
  writer.close();
});
