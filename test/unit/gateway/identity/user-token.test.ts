import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { CompactSign, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { CodedError } from '../../../../src/base/errors.ts';
import { idpTarget } from '../../../../src/gateway/identity/provider.ts';
import { checkUserToken, localKeysOf } from '../../../../src/gateway/identity/user-token.ts';

const NOW_MS = 1_800_000_000_000;
const NOW_S = NOW_MS / 1_000;
const POOL = { userPoolID: 'us-east-1_abc', clientID: 'app' };
const target = idpTarget(POOL, {});
const oidc = idpTarget(POOL, { CAIRN_IDP_ISSUER: 'https://idp.example/', CAIRN_TOKEN_LEEWAY_SECONDS: '60' });
const rsa = await generateKeyPair('RS256');
const ec = await generateKeyPair('ES256');
const publicRsa = { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', alg: 'RS256' };
const keys = localKeysOf([publicRsa, { ...(await exportJWK(ec.publicKey)), kid: 'ec' }]);

const CLAIMS = {
  iss: target.issuer,
  exp: NOW_S + 100,
  token_use: 'access',
  client_id: 'app',
  username: 'anna',
  'cognito:groups': ['admin'],
};

interface Made {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

const signed = ({ claims = {}, header = {} }: Made = {}): Promise<string> =>
  new SignJWT({ ...CLAIMS, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'rsa', ...header })
    .sign(rsa.privateKey);

const check = (token: string, from = target, nowMs = NOW_MS) => checkUserToken(token, keys, from, nowMs);

async function mustBeInvalid(token: string, what: string, from = target, nowMs = NOW_MS): Promise<void> {
  await assert.rejects(
    check(token, from, nowMs),
    (error) => error instanceof CodedError && error.name === 'tokenInvalid' && !error.message.includes(token),
    what,
  );
}

test('an issuer without an override is the pool’s, and the key set stands below it', () => {
  assert.equal(target.issuer, 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_abc');
  assert.equal(target.jwksUri, `${target.issuer}/.well-known/jwks.json`);
  assert.equal(oidc.jwksUri, 'https://idp.example/.well-known/jwks.json');
  assert.throws(() => idpTarget(POOL, { CAIRN_TOKEN_LEEWAY_SECONDS: '61' }), /0 to 60/);
});

test('a good token gives name, groups and its exact end', async () => {
  assert.deepEqual(await check(await signed()), {
    name: 'anna',
    groups: ['admin'],
    fromMs: 0,
    untilMs: (NOW_S + 100) * 1_000,
  });
  const noGroups = await check(await signed({ claims: { 'cognito:groups': undefined, exp: NOW_S + 0.5 } }));
  assert.deepEqual([noGroups?.groups, noGroups?.untilMs], [null, NOW_MS + 500]);
  const es = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'ES256', kid: 'ec' }).sign(ec.privateKey);
  assert.equal((await check(es))?.name, 'anna');
});

test('a token whose key the set does not have is neither good nor bad', async () => {
  assert.equal(await check(await signed({ header: { kid: 'other' } })), undefined);
});

test('claims that are wrong in any way are refused', async () => {
  const wrong: Record<string, Readonly<Record<string, unknown>>> = {
    'ends now': { exp: NOW_S },
    'ended within this second': { exp: NOW_S - 0.001 },
    'no end': { exp: undefined },
    'an end that is a text': { exp: String(NOW_S + 100) },
    'not yet valid': { nbf: NOW_S + 1 },
    'no issuer': { iss: undefined },
    'another issuer': { iss: `${target.issuer}/` },
    'issuers in a list': { iss: [target.issuer] },
    'an id token': { token_use: 'id' },
    'no token_use': { token_use: undefined },
    'another client': { client_id: 'other' },
    'another client, our audience': { client_id: 'other', aud: 'app' },
    'no client': { client_id: undefined },
    'another audience': { client_id: undefined, aud: ['x'] },
  };
  for (const [what, claims] of Object.entries(wrong)) await mustBeInvalid(await signed({ claims }), what);
  assert.equal((await check(await signed({ claims: { client_id: undefined, aud: ['x', 'app'] } })))?.name, 'anna');
  const short = await signed({ claims: { exp: NOW_S + 0.5 } });
  assert.equal((await check(short, target, NOW_MS + 499))?.name, 'anna');
  await mustBeInvalid(short, 'ended in the middle of this second', target, NOW_MS + 500);
});

test('a signature that is wrong in any way is refused', async () => {
  const good = await signed();
  const [head, payload, signature] = good.split('.') as [string, string, string];
  const other = await generateKeyPair('RS256');
  const forged = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'RS256', kid: 'rsa' }).sign(other.privateKey);
  const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  // The public key as the secret of a symmetric signature: the classic confusion.
  const hsHead = b64({ alg: 'HS256', kid: 'rsa' });
  const hmac = createHmac('sha256', await exportSPKI(rsa.publicKey))
    .update(`${hsHead}.${payload}`)
    .digest('base64url');
  const wrong: Record<string, string> = {
    'another key under the same id': forged,
    'alg none': `${b64({ alg: 'none' })}.${payload}.`,
    'alg none with a signature': `${b64({ alg: 'none', kid: 'rsa' })}.${payload}.${signature}`,
    'no signature': `${head}.${payload}.`,
    'public key as secret': `${hsHead}.${payload}.${hmac}`,
    PS256: await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: 'PS256', kid: 'rsa' })
      .sign(rsa.privateKey)
      .catch(() => `${b64({ alg: 'PS256', kid: 'rsa' })}.${payload}.${signature}`),
    'changed payload': `${head}.${b64({ ...CLAIMS, username: 'root' })}.${signature}`,
    'a critical header': `${b64({ alg: 'RS256', kid: 'rsa', crit: ['x'], x: 1 })}.${payload}.${signature}`,
    'a key in the header': `${b64({ alg: 'RS256', jwk: publicRsa })}.${payload}.${signature}`.slice(0, -4),
    'four parts': `${good}.x`,
    'not JSON': `${head}.${Buffer.from('x').toString('base64url')}.${signature}`,
    'a number': '5',
  };
  for (const [what, token] of Object.entries(wrong)) await mustBeInvalid(token, what);
  const otherKind = `${b64({ alg: 'ES256', kid: 'rsa' })}.${payload}.${signature}`;
  assert.equal(await check(otherKind), undefined, 'a key of another kind is not the key');
  const text = await new CompactSign(Buffer.from('"text"'))
    .setProtectedHeader({ alg: 'RS256', kid: 'rsa' })
    .sign(rsa.privateKey);
  await mustBeInvalid(text, 'a payload that is no object');
});

test('other providers’ access tokens are known by their type, and the leeway is the setting’s', async () => {
  const claims = { iss: oidc.issuer, token_use: undefined };
  await mustBeInvalid(await signed({ claims }), 'no mark of an access token', oidc);
  await mustBeInvalid(await signed({ claims, header: { typ: 'JWT' } }), 'an ordinary type', oidc);
  assert.equal((await check(await signed({ claims, header: { typ: 'at+jwt' } }), oidc))?.name, 'anna');
  const late = await signed({ claims: { ...claims, exp: NOW_S }, header: { typ: 'application/at+jwt' } });
  assert.equal((await check(late, oidc, NOW_MS + 59_999))?.untilMs, NOW_MS + 60_000);
  await mustBeInvalid(late, 'beyond the leeway', oidc, NOW_MS + 60_000);
});

const PROVIDER = { userPoolID: '', clientID: 'app', issuer: 'https://idp.example/realms/x' };
const anyProvider = idpTarget(PROVIDER, {});
const forAudience = idpTarget({ ...PROVIDER, audience: 'api://cairn', groupsClaim: 'realm_access.roles' }, {});
const PLAIN = { iss: PROVIDER.issuer, exp: NOW_S + 100, sub: 's', scope: 'openid', azp: 'app' };

const signedPlain = (claims: object, header: object = {}): Promise<string> =>
  new SignJWT({ ...PLAIN, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'rsa', ...header }).sign(rsa.privateKey);

test('of any provider, a type of JWT, at+jwt or none is taken, and no other', async () => {
  for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt'])
    assert.ok(await check(await signedPlain({}, typ === undefined ? {} : { typ }), anyProvider), String(typ));
  for (const typ of ['ID', 'logout+jwt', 'dpop+jwt', 'cairn-node+jwt', ''])
    await mustBeInvalid(await signedPlain({}, { typ }), typ, anyProvider);
});

test('of any provider, the client may be named by any of four claims; with an audience, aud alone decides', async () => {
  const none = { azp: undefined };
  for (const claims of [{ aud: 'app' }, { aud: ['x', 'app'] }, { azp: 'app' }, { client_id: 'app' }, { cid: 'app' }])
    assert.ok(await check(await signedPlain({ ...none, ...claims }), anyProvider), JSON.stringify(claims));
  for (const claims of [none, { ...none, aud: 'other' }, { azp: 'other' }, { azp: ['app'] }])
    await mustBeInvalid(await signedPlain(claims), JSON.stringify(claims), anyProvider);
  assert.ok(await check(await signedPlain({ ...none, aud: 'api://cairn' }), forAudience));
  await mustBeInvalid(await signedPlain({ aud: 'app' }), 'the client alone', forAudience);
});

test('of any provider, ID tokens are refused by whatever marks them', async () => {
  const bad = [
    { token_use: 'id' },
    { typ: 'ID' },
    { at_hash: 'x' },
    { nonce: 'x' },
    { typ: 'Refresh', nonce: 'x' },
    { scope: undefined },
    { typ: 'Bearer', scope: undefined },
  ];
  for (const claims of bad) await mustBeInvalid(await signedPlain(claims), JSON.stringify(claims), anyProvider);
  const good = [
    { typ: 'Bearer', nonce: 'x' },
    { scope: undefined, scp: ['a'] },
    { scope: undefined, cid: 'app' },
  ];
  for (const claims of good) assert.ok(await check(await signedPlain(claims), anyProvider), JSON.stringify(claims));
});

test('of any provider, a token that says what it is for must be for access', async () => {
  for (const use of ['access', undefined])
    assert.ok(await check(await signedPlain({ token_use: use }), anyProvider), String(use));
  for (const use of ['refresh', 'ID', '', null, ['access']])
    await mustBeInvalid(await signedPlain({ token_use: use }), JSON.stringify(use), anyProvider);
});

test('groups are looked for by name before they are looked for by path', async (t) => {
  const groupsOf = async (claims: object, groupsClaim: string) =>
    (await check(await signedPlain(claims), idpTarget({ ...PROVIDER, groupsClaim }, {})))?.groups;
  const nested = { realm_access: { roles: ['ops'] } };
  assert.deepEqual(await groupsOf(nested, 'realm_access.roles'), ['ops']);
  assert.deepEqual(await groupsOf({ ...nested, 'realm_access.roles': ['x'] }, 'realm_access.roles'), ['x']);
  assert.deepEqual(await groupsOf({ 'https://a.example/groups': ['g'] }, 'https://a.example/groups'), ['g']);
  assert.deepEqual(await groupsOf({ groups: 'single' }, 'groups'), ['single']);
  for (const [claims, claim] of [
    [{}, 'groups'],
    [{ groups: [1] }, 'groups'],
    [{ groups: { length: 1, 0: 'admin' } }, 'groups'],
    [nested, 'realm_access.roles.0'],
  ] as const)
    assert.equal(await groupsOf(claims, claim), null, claim);
  // What somebody puts on every object is no claim.
  Object.defineProperty(Object.prototype, 'everywhere', { value: ['admin'], configurable: true });
  t.after(() => Reflect.deleteProperty(Object.prototype, 'everywhere'));
  assert.equal(await groupsOf({}, 'everywhere'), null);
  assert.equal(await groupsOf({ own: {} }, 'own.everywhere'), null);
});

test('people are called by the name that they sign in with', async () => {
  const nameOf = async (claims: object) => (await check(await signedPlain(claims), anyProvider))?.name;
  assert.equal(await nameOf({ preferred_username: 'anna', email: 'a@x' }), 'anna');
  assert.equal(await nameOf({ email: 'a@x' }), 'a@x');
  assert.equal(await nameOf({}), 's');
});
