/** Names of machines in narrow places. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostLabel } from '../../../../web/src/names/host-label.ts';

test('of a host name the first label is shown: it tells the machine from the others', () => {
  assert.equal(hostLabel('ip-10-12-149-20.ec2.internal'), 'ip-10-12-149-20');
  assert.equal(hostLabel('ip-10-12-0-93.eu-west-1.compute.internal'), 'ip-10-12-0-93');
  assert.equal(hostLabel('node17.hpc.example.com'), 'node17');
});

test('what is no host name stays whole', () => {
  for (const id of ['fleet.n46.0', 'risk.monte-carlo', 'node-1', 'i-0abc', 'fleet@n3.1', '10.0.0.1', 'a1.b2.c3'])
    assert.equal(hostLabel(id), id);
});
