import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsJsonOf, packFacts, SharedFacts } from '../../../../src/actors/node/packed-facts.ts';
import { factsOf, type NodeRegistration } from '../../../../src/protocol/node.ts';

const INSTANCE = { zone: 'us-east-1a', instanceType: 'm5.2xlarge', region: 'us-east-1', payType: 'Spot' };
const AGENT = { version: '1.2.3', engine: 'criu', canCheckpoint: true };

function registrationOf(n: number, cloud = 'aws'): NodeRegistration {
  return {
    ips: [`10.0.0.${n}`, `fe80::${n}`],
    hostName: `node-${n}.local`,
    cloud,
    arch: 'x86_64',
    cores: 8,
    memoryInMB: 16_000 + n,
    instance: {
      ...INSTANCE,
      instanceId: `i-${n}`,
      createTime: `2026-11-01T10:00:${10 + n}Z`,
      pricePerHour: n / 100,
      onDemandPricePerHour: 0.4,
    },
    agent: { ...AGENT, saveMBps: 100 + n },
  };
}

test('nodes of a fleet keep what they have in common once', () => {
  const known = new SharedFacts();
  const packed = Array.from({ length: 50 }, (_, n) => {
    const id = `node-${n}`;
    const json = JSON.stringify(factsOf(id, registrationOf(n), 1_000));
    const facts = packFacts(id, json, known);
    assert.equal(factsJsonOf({ id, ...facts }), json);
    return { json, ...facts };
  });
  assert.equal(known.size, 1);
  for (const { json, sharedFacts, ownFacts } of packed) {
    assert.equal(sharedFacts, packed[0]?.sharedFacts);
    assert.ok(ownFacts.length < json.length / 3, `${ownFacts.length} of ${json.length} characters are the node's own`);
  }
});

test('nodes of another kind have other facts in common', () => {
  const known = new SharedFacts();
  for (const cloud of ['aws', 'gcp']) {
    const json = JSON.stringify(factsOf('n', registrationOf(1, cloud)));
    assert.equal(factsJsonOf({ id: 'n', ...packFacts('n', json, known) }), json);
  }
  assert.equal(known.size, 2);
});

test('as many kinds are known as may be, and a node keeps its own where they are forgotten', () => {
  const known = new SharedFacts(3);
  const kinds = Array.from({ length: 10 }, (_, n) => {
    const json = JSON.stringify(factsOf('n', registrationOf(1, `cloud-${n}`)));
    const packed = packFacts('n', json, known);
    assert.ok(known.size <= 3);
    return { json, packed };
  });
  for (const { json, packed } of kinds) assert.equal(factsJsonOf({ id: 'n', ...packed }), json);
});

test('facts of no usual form are kept whole', () => {
  for (const json of ['', '{}', '{"id":"n"}', 'null', '{"id":"\u0000","ips":[]}', '{"id":"\u0001","ips":[]}'])
    assert.equal(factsJsonOf({ id: 'n', ...packFacts('n', json) }), json);
});
