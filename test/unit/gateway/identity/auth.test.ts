import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { SharedState } from '../../../../src/actors/shard/wire/shared-state.ts';
import { CodedError } from '../../../../src/base/errors.ts';
import { Auth } from '../../../../src/gateway/identity/auth.ts';
import { signNodeToken } from '../../../../src/gateway/identity/node-token.ts';
import type { KeySearch } from '../../../../src/gateway/identity/provider.ts';
import { idpTarget } from '../../../../src/gateway/identity/provider.ts';
import { hashOfServiceToken, newServiceToken } from '../../../../src/gateway/identity/service-token.ts';
import { newConfig } from '../../../../src/protocol/config/config.ts';
import { NO_IDENTITY } from '../../../../src/protocol/identity/identity.ts';
import type { StoredServiceToken } from '../../../../src/protocol/identity/service-token.ts';
import { CONFIG_SEEDS } from '../../../support/config-seeds.ts';

const NOW_MS = 1_800_000_000_000;
const POOL = { userPoolID: 'us-east-1_Ab3dE6gH9', clientID: 'client123' };
const { issuer, jwksUri } = idpTarget(POOL, {});
const pair = await generateKeyPair('RS256');
const idpKey = { ...(await exportJWK(pair.publicKey)), kid: 'k1' };
const own = await generateKeyPair('ES256', { extractable: true });
const ownKey = { ...(await exportJWK(own.privateKey)), kid: 'n1', alg: 'ES256' };

function stateOf(
  changes: Partial<SharedState> & { readonly enabled?: boolean; readonly groups?: string[] } = {},
): SharedState {
  const base = newConfig(CONFIG_SEEDS);
  const idp = {
    ...base.security.idp,
    enabled: changes.enabled ?? true,
    ...POOL,
    identityPoolID: '',
    adminGroups: changes.groups ?? ['admin'],
  };
  const config = { ...base, security: { ...base.security, idp } };
  const { d: _, ...publicKey } = ownKey;
  const identity = { ...NO_IDENTITY, idpKeys: { jwksUri, keys: [idpKey] }, nodeKeys: [publicKey] };
  return { config, configVersion: 1, definitions: [], orders: new Map(), identity: changes.identity ?? identity };
}

function authOf(
  state: SharedState,
  found: KeySearch = 'unknown',
): { auth: Auth; sought: string[]; at: { nowMs: number } } {
  const sought: string[] = [];
  const at = { nowMs: NOW_MS };
  const seekIdpKey = async (kid: string): Promise<KeySearch> => {
    sought.push(kid);
    return found;
  };
  return { auth: new Auth({ wallMs: () => at.nowMs, seekIdpKey, env: {} }, state), sought, at };
}

const userToken = (groups: string[], kid = 'k1', seconds = 100): Promise<string> =>
  new SignJWT({ token_use: 'access', client_id: 'client123', username: 'anna', 'cognito:groups': groups })
    .setProtectedHeader({ alg: 'RS256', kid })
    .setIssuer(issuer)
    .setExpirationTime(NOW_MS / 1_000 + seconds)
    .sign(pair.privateKey);
const nodeToken = (nodeId: string | null, untilMs = NOW_MS + 1_000): Promise<string> =>
  signNodeToken({ nodeId, isRenewable: false, issuedMs: NOW_MS, untilMs }, CONFIG_SEEDS.id, ownKey);

const nameOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
    return 'taken';
  } catch (error) {
    return error instanceof CodedError ? error.name : String(error);
  }
};

test('while the provider is off everybody is anyone, whatever the header says, and nothing is sought', () => {
  const { auth, sought } = authOf(stateOf({ enabled: false }));
  for (const header of ['', 'Bearer nonsense', 'Basic x'])
    assert.equal(auth.authenticate(header), auth.authenticate(''));
  assert.equal(auth.isOn, false);
  assert.deepEqual(sought, []);
});

test('a header that holds no bearer token is a missing token, one that is no token an invalid one', async () => {
  const { auth, sought } = authOf(stateOf());
  for (const header of ['Bearer', 'Bearer ', 'bearer  ', 'Basic YTpi', 'Token abc', 'abc'])
    assert.equal(await nameOf(() => auth.authenticate(header)), 'tokenMissing', header);
  for (const header of ['Bearer a b', 'Bearer x', 'Bearer a.b.c', 'Bearer {}', 'bearer ..'])
    assert.equal(await nameOf(() => auth.authenticate(header)), 'tokenInvalid', header);
  assert.deepEqual(sought, []);
});

test('groups make a user or an administrator, a node token a node, one without a node a join', async () => {
  const { auth } = authOf(stateOf());
  const kindOf = async (token: string): Promise<string> => (await auth.authenticate(`Bearer ${token}`)).kind;
  assert.equal(await kindOf(await userToken(['staff'])), 'user');
  assert.equal(await kindOf(await userToken(['staff', 'admin'])), 'admin');
  assert.equal(await kindOf(await nodeToken('n')), 'node');
  assert.equal(await kindOf(await nodeToken(null)), 'join');
});

test('a token that was seen is answered at once, until it ends', async () => {
  const { auth, at } = authOf(stateOf());
  const header = `Bearer ${await nodeToken('n')}`;
  assert.ok(auth.authenticate(header) instanceof Promise);
  await auth.authenticate(header);
  assert.ok(!(auth.authenticate(header) instanceof Promise));
  at.nowMs += 999;
  assert.ok(!(auth.authenticate(header) instanceof Promise));
  at.nowMs += 1;
  assert.equal(await nameOf(() => auth.authenticate(header)), 'tokenInvalid');
});

test('another list of administrators, a revocation, other keys: what was seen is checked again', async () => {
  const { auth } = authOf(stateOf());
  const user = `Bearer ${await userToken(['root'])}`;
  const node = `Bearer ${await nodeToken('n')}`;
  assert.equal((await auth.authenticate(user)).kind, 'user');
  await auth.authenticate(node);
  const before = auth.key;
  auth.update(stateOf({ groups: ['root'] }));
  assert.notEqual(auth.key, before);
  assert.equal((await auth.authenticate(user)).kind, 'admin');
  const { identity } = stateOf();
  auth.update(stateOf({ identity: { ...identity, revoked: [['n', NOW_MS]] } }));
  assert.equal(await nameOf(() => auth.authenticate(node)), 'tokenInvalid');
  auth.update(stateOf({ identity: { ...identity, nodeKeys: [] } }));
  assert.equal(await nameOf(() => auth.authenticate(node)), 'tokenInvalid');
  auth.update(stateOf({ enabled: false }));
  assert.equal((await auth.authenticate(user)).kind, 'anyone');
});

test('what keys of before have decided is not kept', async () => {
  const { auth } = authOf(stateOf());
  const header = `Bearer ${await userToken([])}`;
  const pending = auth.authenticate(header);
  const { identity } = stateOf();
  auth.update(stateOf({ identity: { ...identity, idpKeys: { jwksUri, keys: [{ ...idpKey, kid: 'k2' }] } } }));
  assert.equal((await pending).kind, 'user');
  assert.equal(await nameOf(() => auth.authenticate(header)), 'tokenInvalid');
});

test('a service token that is gone is refused, although it was seen, wherever it was ended', async () => {
  const { id, token } = newServiceToken();
  const times = { createdAt: '', expiresAt: '', untilMs: NOW_MS + 1_000 };
  const stored = {
    id,
    name: 'ci',
    role: 'viewer',
    queues: null,
    createdBy: '',
    hash: hashOfServiceToken(token),
    ...times,
  };
  const { identity } = stateOf();
  const { auth } = authOf(stateOf({ identity: { ...identity, serviceTokens: [stored as StoredServiceToken] } }));
  const header = `Bearer ${token}`;
  await auth.authenticate(header);
  assert.ok(!(auth.authenticate(header) instanceof Promise), 'it is kept');
  const before = auth.key;
  auth.update(stateOf({ identity: { ...identity, serviceTokens: [] } }));
  assert.notEqual(auth.key, before);
  assert.equal(await nameOf(() => auth.authenticate(header)), 'tokenInvalid');
});

test('an unknown key is sought: 401 where the provider does not have it, later where it does not answer', async () => {
  const header = `Bearer ${await userToken([], 'k2')}`;
  const unknown = authOf(stateOf());
  assert.equal(await nameOf(() => unknown.auth.authenticate(header)), 'tokenInvalid');
  assert.deepEqual(unknown.sought, ['k2']);
  assert.equal(await nameOf(() => authOf(stateOf(), 'unreachable').auth.authenticate(header)), 'overloaded');
});

test('a node token is told from others also while the provider is off, and a bad one is nobody’s', async () => {
  const { auth } = authOf(stateOf({ enabled: false }));
  assert.equal((await auth.bearerOfNodeToken(`Bearer ${await nodeToken('n')}`))?.nodeId, 'n');
  assert.equal(await auth.bearerOfNodeToken(`Bearer ${await userToken([])}`), undefined);
  assert.equal(await auth.bearerOfNodeToken(`Bearer ${await nodeToken('n', NOW_MS)}`), undefined);
  assert.equal(await auth.bearerOfNodeToken(''), undefined);
});
