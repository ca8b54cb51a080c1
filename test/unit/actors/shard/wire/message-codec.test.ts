import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageBatch } from '../../../../../src/actors/runtime/behaviour.ts';
import { packMessages, unpackMessages } from '../../../../../src/actors/shard/wire/message-codec.ts';
import { shardOf } from '../../../../../src/actors/shard/wire/placement.ts';
import { CodedError } from '../../../../../src/base/errors.ts';

function messageBatch(id: string, ...values: readonly number[]): MessageBatch {
  const samples = values.map((value) => ['runtime', 1_769_847_300_123, 456_789, value]);
  return { to: { kind: 'job', id }, messages: [{ type: 'samples', samples } as { type: string }] };
}

test('message batches come out of the bytes as they went in, with every digit', () => {
  const messageBatches = [
    messageBatch('queue-größe', 0.1 + 0.2, -0, 1e300, Number.MAX_SAFE_INTEGER),
    messageBatch('system-total'),
  ];
  const [group] = packMessages(messageBatches, 1);
  assert.ok(group);
  assert.equal(group.client, 0);
  // A zero without its sign is a zero: MessagePack writes -0 as 0.
  assert.deepEqual(unpackMessages(group.bytes), JSON.parse(JSON.stringify(messageBatches)));
});

test('there is one group a shard, and each message batch is in that of its receiver, in order', () => {
  const messageBatches = Array.from({ length: 40 }, (_, i) => messageBatch(`queue-${i % 20}`, i));
  const groups = packMessages(messageBatches, 4);
  assert.equal(new Set(groups.map(({ client }) => client)).size, groups.length);
  for (const { client, bytes } of groups) {
    const expected = messageBatches.filter(({ to }) => shardOf(to, 4) === client);
    assert.deepEqual(unpackMessages(bytes), expected);
  }
  const total = groups.reduce((sum, { bytes }) => sum + unpackMessages(bytes).length, 0);
  assert.equal(total, 40);
});

test('each group has a buffer of its own, ready to be transferred', () => {
  for (const { bytes } of packMessages([messageBatch('a', 1), messageBatch('b', 2), messageBatch('c', 3)], 3))
    assert.equal(bytes.buffer.byteLength, bytes.byteLength);
});

test('no message batches are no groups, and bytes that hold none are told by a coded error', () => {
  assert.deepEqual(packMessages([], 4), []);
  for (const bytes of [[], [0xc0], [0x91, 0x01], [0x91, 0x92, 0xa1, 0x61, 0xa1, 0x62]])
    assert.throws(() => unpackMessages(Uint8Array.from(bytes)), CodedError);
});
