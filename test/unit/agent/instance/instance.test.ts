import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ec2InstanceOf, keptInstanceOf, localInstanceOf, tryMachineId } from '../../../../agent/instance/instance.ts';

const TEXTS = {
  instanceId: 'i-0123456789abcdef0',
  instanceType: 'm5.2xlarge',
  zone: 'us-east-1a',
  region: 'us-east-1',
  lifeCycle: 'spot',
  identityDocument: '{"pendingTime": "2026-10-01T12:00:00Z", "accountId": "1"}',
};

test('the metadata of an EC2 instance becomes its facts', () => {
  assert.deepEqual(ec2InstanceOf(TEXTS), {
    cloud: 'aws',
    instanceId: 'i-0123456789abcdef0',
    instanceType: 'm5.2xlarge',
    zone: 'us-east-1a',
    region: 'us-east-1',
    createTime: '2026-10-01T12:00:00Z',
    payType: 'Spot',
  });
});

test('the life cycle says how the instance is paid for', () => {
  const payType = (lifeCycle: string | undefined): string | undefined =>
    ec2InstanceOf({ ...TEXTS, lifeCycle })?.payType;
  assert.equal(payType('on-demand'), 'OnDemand');
  assert.equal(payType('capacity-block'), 'CapacityBlock');
  assert.equal(payType(undefined), '');
});

test('facts that the service does not give stay empty, and the region follows from the zone', () => {
  const bare = { instanceType: undefined, region: undefined, lifeCycle: undefined, identityDocument: '<html>' };
  const instance = ec2InstanceOf({ ...TEXTS, ...bare });
  assert.equal(instance?.region, 'us-east-1');
  assert.equal(instance?.instanceType, '');
  assert.equal(instance?.createTime, null);
});

test('another service at that address is not an EC2 instance', () => {
  assert.equal(ec2InstanceOf({ ...TEXTS, instanceId: undefined }), null);
  assert.equal(ec2InstanceOf({ ...TEXTS, instanceId: '<html>hello</html>' }), null);
});

test('a pending time that is no timestamp is left out', () => {
  assert.equal(ec2InstanceOf({ ...TEXTS, identityDocument: '{"pendingTime": "yesterday"}' })?.createTime, null);
});

test('a machine without a cloud has an id that is always the same, and its boot as its birth', () => {
  const machineId = '0123456789abcdef0123456789abcdef';
  const instance = localInstanceOf(machineId, null, 1_790_000_000);
  assert.match(instance.instanceId, /^local-[0-9a-f]{12}$/);
  assert.deepEqual(instance, localInstanceOf(machineId, null, 1_790_000_000));
  assert.notEqual(instance.instanceId, localInstanceOf(machineId, 'n-1', 1_790_000_000).instanceId, 'with --id');
  assert.notEqual(instance.instanceId, localInstanceOf(`${machineId}0`, null, null).instanceId);
  assert.equal(instance.createTime, '2026-09-21T14:13:20.000Z');
  assert.deepEqual([instance.cloud, instance.zone, instance.payType], ['local', 'local', 'OnDemand']);
});

test('a machine id is 32 hexadecimal digits; what an image is shipped with is none', () => {
  assert.equal(tryMachineId('0123456789ABCDEF0123456789abcdef\n'), '0123456789abcdef0123456789abcdef');
  for (const none of ['', 'uninitialized\n', '0'.repeat(32), 'abc']) assert.equal(tryMachineId(none), null);
});

test('a kept instance counts in the same boot only', () => {
  const instance = ec2InstanceOf(TEXTS);
  const text = JSON.stringify({ bootId: 'boot-1', instance });
  assert.deepEqual(keptInstanceOf(text, 'boot-1'), instance);
  assert.equal(keptInstanceOf(text, 'boot-2'), null);
  assert.equal(keptInstanceOf(JSON.stringify({ bootId: '', instance }), ''), null);
  assert.equal(keptInstanceOf('{"bootId": "boot-1", "instance": {"instanceId": 7}}', 'boot-1'), null);
  assert.equal(keptInstanceOf('half a li', 'boot-1'), null);
});
