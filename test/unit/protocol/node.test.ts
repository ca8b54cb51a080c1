import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastSignMsOf, type NodeState } from '../../../src/protocol/names/node-state.ts';
import { factsOf, nodeRegistrationSchema } from '../../../src/protocol/node.ts';

test('a registration that tells nothing gives every field of the interface, empty', () => {
  assert.deepEqual(factsOf('n-1', nodeRegistrationSchema.parse({})), {
    id: 'n-1',
    ips: [],
    hostName: '',
    cloud: '',
    arch: '',
    cores: 0,
    cpuModel: '',
    cpuVendor: '',
    memoryInMB: 0,
    instance: { zone: '', instanceId: '', instanceType: '', region: '', payType: '' },
  });
});

const FULL = {
  id: 'n-1',
  ips: ['10.0.0.1', 'fe80::1'],
  hostName: 'worker-1',
  cloud: 'aws',
  arch: 'x86_64',
  cores: 8,
  cpuModel: 'Xeon',
  cpuVendor: 'Intel',
  memoryInMB: 16_384,
  instance: {
    zone: 'us-east-1a',
    instanceId: 'i-1',
    instanceType: 'm5.large',
    region: 'us-east-1',
    createTime: '2026-01-31T08:15:00.123456789Z',
    payType: 'Spot',
    pricePerHour: 0.05,
    onDemandPricePerHour: 0,
  },
};

test('what a node tells is kept to the digit, and what nobody knows is ignored', () => {
  const sent = { ...FULL, colour: 'blue', lastHeartbeat: 'never', instance: { ...FULL.instance, rack: 7 } };
  assert.deepEqual(factsOf('n-1', nodeRegistrationSchema.parse(sent)), FULL);
});

test('null is as good as absent', () => {
  const nulls = Object.fromEntries(Object.keys(FULL).map((key) => [key, null]));
  assert.deepEqual(
    factsOf('n-1', nodeRegistrationSchema.parse(nulls)),
    factsOf('n-1', nodeRegistrationSchema.parse({})),
  );
});

test('what is of another kind is refused', () => {
  for (const bad of [
    { id: 'a b' },
    { ips: '10.0.0.1' },
    { ips: new Array(65).fill('10.0.0.1') },
    { cores: 1.5 },
    { cores: -1 },
    { memoryInMB: '16' },
    { hostName: 7 },
    { instance: 'i-1' },
    { instance: { createTime: 'yesterday' } },
    { instance: { pricePerHour: -1 } },
    { instance: { pricePerHour: '0.05' } },
  ]) {
    assert.ok(!nodeRegistrationSchema.safeParse(bad).success, JSON.stringify(bad).slice(0, 60));
  }
});

test('a node that was lost was there until its last heartbeat, one that was deregistered until then', () => {
  const node = { lastHeartbeat: '2026-01-31T08:15:00Z', endedAt: '2026-01-31T08:17:00Z' };
  const until = (state: NodeState): string => new Date(lastSignMsOf({ ...node, state })).toISOString();
  assert.equal(until('lost'), '2026-01-31T08:15:00.000Z');
  assert.equal(until('deregistered'), '2026-01-31T08:17:00.000Z');
});
