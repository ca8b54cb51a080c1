import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Parcel } from '../../../../../src/actors/runtime/behaviour.ts';
import { packParcels, unpackParcels } from '../../../../../src/actors/shard/wire/message-codec.ts';
import { shardOf } from '../../../../../src/actors/shard/wire/placement.ts';
import { CodedError } from '../../../../../src/base/errors.ts';

function parcel(id: string, ...values: readonly number[]): Parcel {
  const samples = values.map((value) => ['runtime', 1_769_847_300_123, 456_789, value]);
  return { to: { kind: 'job', id }, messages: [{ type: 'samples', samples } as { type: string }] };
}

test('parcels come out of the bytes as they went in, with every digit', () => {
  const parcels = [parcel('queue-größe', 0.1 + 0.2, -0, 1e300, Number.MAX_SAFE_INTEGER), parcel('system-total')];
  const [group] = packParcels(parcels, 1);
  assert.ok(group);
  assert.equal(group.client, 0);
  // A zero without its sign is a zero: MessagePack writes -0 as 0.
  assert.deepEqual(unpackParcels(group.bytes), JSON.parse(JSON.stringify(parcels)));
});

test('there is one group a shard, and each parcel is in that of its receiver, in order', () => {
  const parcels = Array.from({ length: 40 }, (_, i) => parcel(`queue-${i % 20}`, i));
  const groups = packParcels(parcels, 4);
  assert.equal(new Set(groups.map(({ client }) => client)).size, groups.length);
  for (const { client, bytes } of groups) {
    const expected = parcels.filter(({ to }) => shardOf(to, 4) === client);
    assert.deepEqual(unpackParcels(bytes), expected);
  }
  const total = groups.reduce((sum, { bytes }) => sum + unpackParcels(bytes).length, 0);
  assert.equal(total, 40);
});

test('each group has a buffer of its own, ready to be transferred', () => {
  for (const { bytes } of packParcels([parcel('a', 1), parcel('b', 2), parcel('c', 3)], 3))
    assert.equal(bytes.buffer.byteLength, bytes.byteLength);
});

test('no parcels are no groups, and bytes that hold none are told by a coded error', () => {
  assert.deepEqual(packParcels([], 4), []);
  for (const bytes of [[], [0xc0], [0x91, 0x01], [0x91, 0x92, 0xa1, 0x61, 0xa1, 0x62]])
    assert.throws(() => unpackParcels(Uint8Array.from(bytes)), CodedError);
});
