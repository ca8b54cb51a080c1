import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChange } from '../../../../web/src/pages/settings/form/list-change.ts';

test('of a long list or map only the entries that differ are told, each with its key', () => {
  assert.deepEqual(listChange('team:batch,owner:me,cost:2', 'team:batch,owner:me,cost:3,env:prod'), [
    { key: 'cost', before: '2', after: '3' },
    { key: 'env', after: 'prod' },
  ]);
  assert.deepEqual(listChange('admin, ops', 'admin, night'), [{ before: 'ops' }, { after: 'night' }]);
  assert.deepEqual(listChange('a:1,b:2', 'a:1'), [{ key: 'b', before: '2' }]);
});

test('single values, and lists of which nothing stays, are told whole', () => {
  for (const [before, after] of [
    ['30s', '1m'],
    ['–', 'team:batch,cost:1'],
    ['a:1,b:2', 'a:2,b:3'],
    ['a,b', 'a,b'],
    ['http://a:1', 'http://b:1'],
    ['–', 'urn:cairn'],
  ] as const)
    assert.equal(listChange(before, after), undefined, `${before} ${after}`);
});

test('a map is told entry by entry, also where it was empty, becomes so, or none of it stays', () => {
  const roles = [
    { key: 'ops', after: 'operator' },
    { key: 'viewers', after: 'viewer@night' },
  ];
  assert.deepEqual(listChange('–', 'ops:operator,viewers:viewer@night', true), roles);
  assert.deepEqual(listChange('team:beta', '–', true), [{ key: 'team', before: 'beta' }]);
  assert.deepEqual(listChange('team:beta', 'team:alpha', true), [{ key: 'team', before: 'beta', after: 'alpha' }]);
  // Of a long one the audit log has the beginning.
  assert.equal(listChange('–', '{"team":"beta","cost…', true), undefined);
});

test('addresses of a list are told apart, although they begin alike', () => {
  assert.deepEqual(listChange('https://a.example,https://b.example', 'https://a.example,https://c.example'), [
    { before: 'https://b.example' },
    { after: 'https://c.example' },
  ]);
});
