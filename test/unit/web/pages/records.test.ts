/** Records of what was done, in words: how they are found, and who made them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasWords } from '../../../../web/src/pages/settings/records/audit-text.ts';
import { isFound, whoOf } from '../../../../web/src/pages/settings/records/history-text.ts';

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
