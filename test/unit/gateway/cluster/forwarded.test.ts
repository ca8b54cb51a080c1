import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readForwarded, signForwarded } from '../../../../src/gateway/cluster/forwarded.ts';

const CLAIM = { from: '10.1.2.3', isCertified: true };

test('a claim that was signed with the cluster’s key is read as it was written', () => {
  for (const claim of [CLAIM, { from: '2001:db8::1', isCertified: false }])
    assert.deepEqual(readForwarded(signForwarded(claim, 'key'), 'key'), claim);
});

test('a claim without the key’s signature says nothing', () => {
  const signed = signForwarded(CLAIM, 'key');
  const [claim, signature] = signed.split('.') as [string, string];
  const other = signForwarded({ ...CLAIM, from: '10.9.9.9' }, 'key').split('.')[0];
  const wrong = [
    signForwarded(CLAIM, 'another key'),
    `${other}.${signature}`,
    `${claim}.`,
    claim,
    '',
    `${signed}.${signature}`,
    `${'a'.repeat(600)}.${signature}`,
  ];
  for (const header of wrong) assert.equal(readForwarded(header, 'key'), undefined, header);
});

test('without a key nothing is trusted, whatever it was signed with', () => {
  assert.equal(readForwarded(signForwarded(CLAIM, ''), ''), undefined);
});
