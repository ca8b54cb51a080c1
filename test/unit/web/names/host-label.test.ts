/** Names of machines and jobs in narrow places. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutMiddle } from '../../../../web/src/names/cut-middle.ts';
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

test('an id is cut in the middle at whole characters, its end whole, and not where it has room', () => {
  const widthOf = (text: string): number => 7 * text.length;
  const id = 'align-9933d86c-1f52-009d904c';
  assert.equal(cutMiddle(id, widthOf(id), widthOf), id);
  assert.equal(cutMiddle(id, 7 * 15 + 3, widthOf), 'align-…009d904c');
  assert.equal(cutMiddle(id, 20, widthOf), '…009d904c');
});
