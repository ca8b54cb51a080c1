import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeConfigByText, newConfig } from '../../../../src/protocol/config/config.ts';
import {
  adminGroupsOf,
  type IdpEnable,
  idpEnableSchema,
  idpFaults,
  idpSettingsOf,
} from '../../../../src/protocol/config/idp.ts';
import { CONFIG_SEEDS } from '../../../support/config-seeds.ts';

const GOOD: IdpEnable = {
  region: 'us-east-1',
  userPoolID: 'us-east-1_Ab3dE6gH9',
  clientID: '4f2k1example9',
  identityPoolID: 'us-east-1:01234567-89ab-cdef-0123-456789abcdef',
  adminGroups: 'admin, ops',
};

test('settings that are right have no fault', () => {
  assert.deepEqual(idpFaults(GOOD), {});
  assert.deepEqual(idpFaults({ ...GOOD, accessKey: 'k', secretKey: 's' }), {});
  assert.deepEqual(idpFaults({ ...GOOD, clientID: '123-ab.apps.example.com' }), {});
  for (const region of ['eu-central-1', 'us-gov-west-1', 'ap-southeast-12', 'local']) {
    const moved = {
      region,
      userPoolID: `${region}_x1`,
      identityPoolID: GOOD.identityPoolID.replace('us-east-1', region),
    };
    assert.deepEqual(idpFaults({ ...GOOD, ...moved }), {});
  }
});

const BAD: readonly (readonly [string, Partial<IdpEnable>, readonly string[]])[] = [
  ['a region that is none', { region: 'everywhere' }, ['region', 'userPoolID', 'identityPoolID']],
  ['a pool without a region', { userPoolID: 'Ab3dE6gH9' }, ['userPoolID']],
  ['a pool of another region', { userPoolID: 'eu-west-1_Ab3dE6gH9' }, ['userPoolID']],
  ['a pool that is empty', { userPoolID: 'us-east-1_' }, ['userPoolID']],
  ['an identity pool without a uuid', { identityPoolID: 'us-east-1:pool' }, ['identityPoolID']],
  [
    'an identity pool of another region',
    { identityPoolID: GOOD.identityPoolID.replace('us', 'eu') },
    ['identityPoolID'],
  ],
  ['a client that is empty', { clientID: '' }, ['clientID']],
  ['a client with a space', { clientID: 'a b' }, ['clientID']],
  ['no group', { adminGroups: ' , ' }, ['adminGroups']],
  ['one key of two', { accessKey: 'k' }, ['secretKey']],
  ['the other key of two', { secretKey: 's', accessKey: '' }, ['accessKey']],
  [
    'all of it empty',
    { region: '', userPoolID: '', clientID: '', identityPoolID: '', adminGroups: '' },
    ['region', 'userPoolID', 'identityPoolID', 'clientID', 'adminGroups'],
  ],
];

for (const [what, change, fields] of BAD) {
  test(`${what}: every bad field is named, and no other`, () => {
    assert.deepEqual(Object.keys(idpFaults({ ...GOOD, ...change })).sort(), [...fields].sort());
  });
}

test('groups are one text with commas', () => {
  assert.deepEqual(adminGroupsOf('admin,root , , ops'), ['admin', 'root', 'ops']);
  assert.deepEqual(adminGroupsOf(''), []);
});

test('the settings that are read tell the region of the pool', () => {
  const changed = changeConfigByText(newConfig(CONFIG_SEEDS), {
    'security.idp.userPoolID': 'us-east-1_Ab3',
    'security.idp.adminGroups': 'admin,root',
  });
  assert.ok(changed.ok);
  assert.deepEqual(idpSettingsOf(changed.config), {
    enabled: false,
    region: 'us-east-1',
    userPoolID: 'us-east-1_Ab3',
    clientID: '',
    identityPoolID: '',
    adminGroups: 'admin,root',
  });
  assert.equal(idpSettingsOf(newConfig(CONFIG_SEEDS)).region, '');
});

test('the body needs its five texts; keys and token may be absent', () => {
  assert.ok(idpEnableSchema.safeParse(GOOD).success);
  assert.ok(idpEnableSchema.safeParse({ ...GOOD, token: null }).success);
  for (const field of Object.keys(GOOD)) assert.ok(!idpEnableSchema.safeParse({ ...GOOD, [field]: undefined }).success);
  assert.ok(!idpEnableSchema.safeParse({ ...GOOD, adminGroups: ['admin'] }).success);
});
