/** Records of what was done, in words: what they are about, where they lead, and how they are found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasWords, placeOf, targetText } from '../../../../web/src/pages/settings/records/audit-text.ts';
import { isFound, whoOf } from '../../../../web/src/pages/settings/records/history-text.ts';

test('a record of tokens for nodes says which they are', () => {
  const of = (action: string, target: string): string => targetText({ action, target, detail: {} });
  assert.equal(of('nodeToken.made', 'join'), 'For any new node');
  assert.equal(of('nodeToken.made', 'node n1'), 'For node n1');
  assert.equal(of('nodeToken.revoked', 'join'), 'All that were made before');
  assert.equal(of('nodeToken.revoked', 'node n1'), 'All of node n1 that were made before');
});

test('a record leads to what it is about, as long as that exists', () => {
  const existing = { webhooks: new Set(['on-call']), tokens: new Set(['9b67']), nodes: new Set(['n1']) };
  const of = (action: string, target: string): string | undefined => {
    const place = placeOf({ action, target }, existing);
    return place && [place.to, ...Object.values(place.search), place.hash].join(' ').trim();
  };
  assert.equal(of('webhook.set', 'webhook on-call'), '/settings webhooks on-call');
  assert.equal(of('webhook.removed', 'webhook gone'), undefined);
  assert.equal(of('serviceToken.made', 'service token 9b67'), '/settings tokens 9b67');
  assert.equal(of('serviceToken.revoked', 'service token 1234'), undefined);
  assert.equal(of('nodeToken.revoked', 'join'), '/settings tokens join-tokens');
  assert.equal(of('nodeToken.made', 'node n1'), '/settings tokens join-tokens');
  assert.equal(of('node.drained', 'n1'), '/node n1');
  assert.equal(of('node.drained', 'n2'), undefined);
  assert.equal(of('config.changed', 'node.ttl'), undefined);
});

test('a change is found by what was copied of it as it is shown', () => {
  const change = { who: 'anna (10.0.0.7)', key: 'node.ttl', old: '20m0s', new: '25m0s' };
  const onOff = { 'ckpt.ckptOnSigTerm': { old: false, new: true } };
  const tags = { 'job.customTags': { old: {}, new: { team: 'beta' } } };
  const recorded = (changes: object, words: string): boolean =>
    hasWords(
      { who: 'anna', from: '10.0.0.7', action: 'config.changed', target: '', detail: { changes } },
      words,
      '2026-01-31 12:34:56 UTC',
    );
  assert.equal(isFound(change, '20m → 25m', ''), true);
  assert.equal(isFound(change, '20m → 26m', ''), false);
  assert.equal(recorded({ 'node.ttl': { old: '20m0s', new: '25m0s' } }, '20m → 25m'), true);
  assert.equal(recorded(onOff, 'Off → On'), true);
  assert.equal(recorded(tags, '+ team: beta'), true);
});

test('who made a change is told apart from the address', () => {
  assert.deepEqual(whoOf('anna (10.0.0.7)'), { who: 'anna', from: '10.0.0.7' });
  assert.deepEqual(whoOf('config.json (edited by hand)'), { who: 'config.json', from: 'edited by hand' });
  assert.deepEqual(whoOf('anna (ops) (::1)'), { who: 'anna (ops)', from: '::1' });
  assert.deepEqual(whoOf('anna'), { who: 'anna', from: undefined });
});
