import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack } from 'msgpackr';
import type { MessageBatch } from '../../../../../src/actors/runtime/behaviour.ts';
import { packMessages, shardOfGroup, unpackMessages } from '../../../../../src/actors/shard/wire/message-codec.ts';
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

test('a shard knows its groups without unpacking them, whatever their ids and their number of entries', () => {
  for (const shards of [1, 2, 7, 64, 127, 200]) {
    for (const length of [1, 20, 31, 32, 200, 255, 256]) {
      for (const count of [1, 15, 16, 100]) {
        const batches = Array.from({ length: count }, (_, i) => messageBatch(`${i}-ü`.padEnd(length, 'x'), i));
        for (const { client, bytes } of packMessages(batches, shards)) {
          const found = shardOfGroup(bytes, shards);
          // Ids of 256 bytes and more have another form, and 200 shards a number of two bytes: those are unpacked.
          if (found !== undefined || (length < 255 && shards < 128)) assert.equal(found, client);
        }
      }
    }
  }
});

test('a group of another number of shards, or of an older release, is one that anybody may need', () => {
  const batches = [messageBatch('a', 1), messageBatch('b', 2)];
  for (const { bytes } of packMessages(batches, 2)) assert.equal(shardOfGroup(bytes, 3), undefined);
  // An older group that happens to end in the number of shards.
  const older = pack(batches.map(({ to }) => [to.kind, to.id, [3]]));
  assert.equal(older.at(-1), 3);
  assert.equal(shardOfGroup(older, 3), undefined);
  assert.deepEqual(
    unpackMessages(older).map(({ to }) => to),
    batches.map(({ to }) => to),
  );
});

test('bytes that are no group are nobody’s', () => {
  for (const bytes of [[], [0xc0], [0x91], [0x91, 0x94], [0x91, 0x94, 0xc0, 0x02], [0xdc, 0x00]])
    assert.equal(shardOfGroup(Uint8Array.from(bytes), 2), undefined);
});
