import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack } from 'msgpackr';
import { CodedError } from '../../../../src/base/errors.ts';
import { factsOf, type NodeRegistration } from '../../../../src/protocol/node.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import {
  decodeNodePrice,
  decodeNodeRecord,
  encodeNodePrice,
  encodeNodeRecord,
  type NodeRecord,
  nodePriceOf,
  oidKey,
  oidsOf,
  readNodePrice,
} from '../../../../src/store/records/node-record.ts';

const RECORD: NodeRecord = {
  factsJson: '{"id":"n-1","hostName":"größe"}',
  state: 'lost',
  registeredAtMs: 1_769_847_300_000,
  endedAtMs: 1_769_847_600_000.25,
  lastBeatWallMs: 1_769_847_299_999,
  drained: false,
  interruption: null,
};

function factsWith(instance: NodeRegistration['instance']): ReturnType<typeof factsOf> {
  return factsOf('n-1', { instance });
}

test('a node is read as what was written', () => {
  const interruption = { action: 'terminate', time: '2026-01-31T12:00:00.000000001Z' };
  const received = { interruption: { ...interruption, receivedAt: '2026-01-31T11:58:00.25Z' } };
  for (const more of [
    {},
    { state: 'alive' as const, endedAtMs: null },
    { drained: true },
    { interruption },
    received,
  ]) {
    const record = { ...RECORD, ...more };
    assert.deepEqual(decodeNodeRecord(encodeNodeRecord(record)), record);
  }
});

test('a record of before there were drains and interruptions is that of a node with neither', () => {
  const { factsJson, state, registeredAtMs, endedAtMs, lastBeatWallMs } = RECORD;
  const bytes = pack([1, factsJson, state, registeredAtMs, endedAtMs, lastBeatWallMs]);
  assert.deepEqual(decodeNodeRecord(bytes), RECORD);
});

test('a price is read as what was written, by either id of the node', () => {
  const facts = factsWith({ instanceId: 'i-1', payType: 'Spot', pricePerHour: 0.1, onDemandPricePerHour: 0.3 });
  const price = nodePriceOf(facts);
  assert.deepEqual(decodeNodePrice(encodeNodePrice(price)), price);
  const store = new MemoryStore();
  const batch = new WriteBatch();
  for (const oid of oidsOf(facts)) batch.put('nodeByOid', oidKey(oid), encodeNodePrice(price));
  store.commit([batch.seal()]);
  for (const oid of ['i-1', 'n-1']) assert.deepEqual(readNodePrice(store, oid), price);
  for (const oid of ['', 'i-2']) assert.equal(readNodePrice(store, oid), undefined);
});

test('a node without an instance id, or named like its instance, has one id', () => {
  assert.deepEqual(oidsOf(factsWith(null)), ['n-1']);
  assert.deepEqual(oidsOf(factsWith({ instanceId: 'n-1' })), ['n-1']);
  assert.deepEqual(oidsOf(factsWith({ instanceId: 'i-1' })), ['n-1', 'i-1']);
});

test('spot is told by the pay type, in any case of letters', () => {
  for (const payType of ['Spot', 'spot', 'SPOT']) assert.equal(nodePriceOf(factsWith({ payType })).spot, true);
  for (const payType of ['', 'OnDemand', 'spotty', 'Reserved'])
    assert.equal(nodePriceOf(factsWith({ payType })).spot, false);
});

test('without an on-demand price there is nothing to save, without a price it costs nothing', () => {
  assert.deepEqual(nodePriceOf(factsWith({ payType: 'Spot', pricePerHour: 0.1 })), {
    nodeId: 'n-1',
    spot: true,
    price: 0.1,
    onDemandPrice: 0.1,
  });
  assert.equal(nodePriceOf(factsWith({ onDemandPricePerHour: 0.3 })).price, 0);
  assert.equal(nodePriceOf(factsWith({ pricePerHour: 0.1, onDemandPricePerHour: 0 })).onDemandPrice, 0);
});

test('an instance id of any length is a key', () => {
  assert.ok(oidKey('\u{1f600}'.repeat(5_000)).byteLength <= 1_024);
});

test('records of another version are refused', () => {
  const bytes = Uint8Array.from(encodeNodeRecord(RECORD));
  // MessagePack: an array of eight, then the version as a small number.
  assert.equal(bytes[1], 1);
  bytes[1] = 2;
  assert.throws(() => decodeNodeRecord(bytes), CodedError);
});
