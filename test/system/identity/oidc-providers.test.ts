/** Any OpenID Connect provider (contract section 14), by real issuers with the tokens of Keycloak, Entra and Okta. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import type { Answer, Api } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { type Brand, ENTRA_GROUPS, OidcIssuer } from '../../support/providers/oidc-issuer.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { withServer } from '../../support/with-server.ts';

const GROUPS: Readonly<Record<Brand, { admin: string; staff: string }>> = {
  keycloak: { admin: 'cairn-admin', staff: 'staff' },
  entra: { admin: ENTRA_GROUPS.admins, staff: ENTRA_GROUPS.staff },
  okta: { admin: 'Cairn Admins', staff: 'Everyone' },
};
const BRANDS = Object.keys(GROUPS) as Brand[];
const issuers = new Map<Brand, OidcIssuer>();

let server: ServerProcess;
let api: Api;

withServer(
  async () => {
    for (const brand of BRANDS) issuers.set(brand, await OidcIssuer.start(brand));
    return {};
  },
  (served) => {
    ({ server, api } = served);
  },
);
after(async () => {
  for (const issuer of issuers.values()) await issuer.stop();
});

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

function put(body: object, headers: Record<string, string> = {}): Promise<Answer> {
  return api.request('PUT', '/api/v1/security/idp', { body, headers });
}

async function disable(): Promise<void> {
  const args = ['bundle/src/main.js', 'idp', 'disable', '--data-dir', server.folders.data];
  await promisify(execFile)(process.execPath, args);
}

async function fieldsOf(body: object): Promise<Record<string, string>> {
  const answer = await put(body);
  assert.equal(answer.status, 422, `${JSON.stringify(body)}: ${answer.text}`);
  assert.deepEqual([answer.json.errorCode, answer.json.message], [1003, 'Invalid argument']);
  return answer.json.fields;
}

for (const brand of BRANDS)
  test(`${brand}: enabled with a token, roles by its groups, keys rotated, and disabled on the host`, async () => {
    const issuer = issuers.get(brand) as OidcIssuer;
    const { admin, staff } = GROUPS[brand];
    const settings = { ...issuer.settings, adminGroups: admin };
    const [root, user] = [await issuer.token([admin, 'x']), await issuer.token([staff])];
    assert.deepEqual(Object.keys(await fieldsOf({ ...settings, token: user })), ['adminGroups']);
    assert.deepEqual(Object.keys(await fieldsOf({ ...settings, clientID: 'z', audience: 'z', token: root })), [
      'token',
    ]);
    const enabled = await put({ ...settings, scopes: 'openid profile', token: root });
    assert.equal(enabled.status, 200, enabled.text);
    assert.deepEqual(enabled.json, { ...settings, scopes: 'openid profile', token: root });
    const read = await api.get('/api/v1/security/idp');
    assert.equal(read.json.issuer, issuer.url);
    assert.equal(read.json.scopes, 'openid profile');
    assert.equal(read.headers['cairn-token-endpoint'], `${issuer.url}/token`);
    const { name, roles } = (await api.get('/api/v1/security/me', bearer(root))).json;
    assert.deepEqual([name, roles], ['program', ['admin']]);
    assert.equal((await api.get('/api/v1/job', bearer(user))).status, 200);
    assert.equal((await put(settings, bearer(user))).json.errorCode, 2003);
    issuer.rotate();
    assert.equal((await api.get('/api/v1/job', bearer(await issuer.token([staff])))).status, 200);
    const isOn = async (): Promise<boolean> => (await api.get('/api/v1/security/idp')).json.enabled;
    assert.equal(await isOn(), true);
    await disable();
    assert.equal(await isOn(), false);
    assert.equal((await api.get('/api/v1/job')).status, 200);
  });

for (const brand of BRANDS)
  test(`${brand}: a lock-out, by groups or by the client, is undone on the host`, async () => {
    const issuer = issuers.get(brand) as OidcIssuer;
    const { admin } = GROUPS[brand];
    const settings = { ...issuer.settings, adminGroups: admin };
    const root = bearer(await issuer.token([admin]));
    for (const [change, refusal] of [
      [{ adminGroups: 'nobody-is-in-it' }, 2003],
      [{ clientID: 'another', audience: 'another' }, 2002],
    ] as const) {
      assert.equal((await put({ ...settings, ...change })).status, 200);
      assert.equal((await put(settings, root)).json.errorCode, refusal);
      await disable();
      assert.equal((await put({ ...settings, token: root['authorization']?.slice(7) })).status, 200);
      assert.equal((await put(settings, root)).status, 200, 'an administrator again');
      await disable();
    }
  });

test('roles by group: a viewer, an operator, and who is in none of the groups', async () => {
  const issuer = issuers.get('keycloak') as OidcIssuer;
  assert.equal((await put({ ...issuer.settings, adminGroups: 'root' })).status, 200);
  const root = bearer(await issuer.token(['root']));
  const set = (value: string): Promise<Answer> =>
    api.request('PUT', '/api/v1/configKV', { body: { kvMap: { 'security.roles': value } }, headers: root });
  const rolesOf = async (...groups: string[]): Promise<unknown> => {
    const { status, json } = await api.get('/api/v1/security/me', bearer(await issuer.token(groups)));
    return status === 200 ? json.roles : `${status}/${json.errorCode}`;
  };
  assert.deepEqual(await rolesOf('nobody'), ['viewer']);
  for (const bad of ['a:root', 'a:admin@q', 'a', 'a:viewer@', 'a:viewer@q@q'])
    assert.ok('security.roles' in (await set(bad)).json.fields, bad);
  assert.equal(
    (await set('see:viewer,op%3Aa:operator@a|b%7Cc,root:viewer')).status,
    422,
    'a queue has no bar in its name',
  );
  assert.equal((await set('see:viewer,op%3Aa:operator@a|b/c,root:viewer')).status, 200);
  assert.equal(await rolesOf('nobody'), '403/2003');
  assert.deepEqual(await rolesOf('see'), ['viewer']);
  assert.deepEqual(await rolesOf('op:a'), ['operator@a|b/c']);
  assert.deepEqual(await rolesOf('op:a', 'see'), ['operator@a|b/c', 'viewer']);
  assert.deepEqual(await rolesOf('root'), ['admin']);
  assert.equal((await set('')).status, 200);
  assert.deepEqual(await rolesOf('nobody'), ['viewer']);
  await disable();
});

test('what could not work is refused, by field', async () => {
  const issuer = issuers.get('okta') as OidcIssuer;
  const settings = { ...issuer.settings, adminGroups: 'admin' };
  const named = async (change: object): Promise<string[]> => Object.keys(await fieldsOf({ ...settings, ...change }));
  assert.deepEqual(await named({ region: 'us-east-1', userPoolID: 'us-east-1_a' }), ['region', 'userPoolID']);
  assert.deepEqual(await named(IDP_SETTINGS), ['region', 'userPoolID', 'identityPoolID']);
  for (const url of [
    'http://idp.example/',
    'http://127.0.0.1.example/',
    'ftp://127.0.0.1/',
    'idp.example',
    'https://u:p@idp.example',
    'https://idp.example/?a=b',
    `${issuer.url}/`,
    `${issuer.url}/nowhere`,
    'http://127.0.0.1:1/x',
  ])
    assert.deepEqual(await named({ issuer: url }), ['issuer'], url);
  assert.deepEqual(await named({ clientID: '' }), ['clientID']);
  assert.deepEqual(await named({ adminGroups: ' , ' }), ['adminGroups']);
  assert.deepEqual(await named({ scopes: 'a"b' }), ['scopes']);
  assert.equal((await api.get('/api/v1/security/idp')).json.enabled, false);
});

test('a discovery document that lies, or leads elsewhere, is not used', async () => {
  const issuer = issuers.get('entra') as OidcIssuer;
  const settings = { ...issuer.settings, adminGroups: 'admin' };
  const why = async (lies: Record<string, unknown>): Promise<string | undefined> => {
    issuer.lies = lies;
    return (await fieldsOf(settings))['issuer'];
  };
  assert.match((await why({ issuer: 'https://other.example' })) ?? '', /another issuer: https:\/\/other\.example/);
  assert.match((await why({ issuer: 7 })) ?? '', /another issuer/);
  assert.match((await why({ jwks_uri: 'http://keys.example/jwks' })) ?? '', /jwks_uri is not https/);
  assert.match((await why({ jwks_uri: 'file:///etc/passwd' })) ?? '', /jwks_uri is not an https address/);
  assert.match((await why({ jwks_uri: undefined })) ?? '', /names no jwks_uri/);
  assert.match((await why({ jwks_uri: 'http://127.0.0.1:2/keys' })) ?? '', /nothing listens at 127\.0\.0\.1:2$/);
  assert.match((await why({ jwks_uri: `${issuer.url}/.well-known/openid-configuration` })) ?? '', /holds no key/);
  issuer.lies = { authorization_endpoint: 'javascript:alert(1)', token_endpoint: 'http://tokens.example' };
  assert.equal((await put(settings)).status, 200);
  const { headers } = await api.get('/api/v1/security/idp');
  assert.deepEqual([headers['cairn-authorization-endpoint'], headers['cairn-token-endpoint']], [undefined, undefined]);
  await disable();
  issuer.lies = {};
  issuer.answer = 'redirect';
  assert.match((await fieldsOf(settings))['issuer'] ?? '', /answered 302, and redirects are not followed/);
  const away = { ...settings, issuer: 'http://127.0.0.1:2' };
  assert.match((await fieldsOf(away))['issuer'] ?? '', /cannot be used: nothing listens at 127\.0\.0\.1:2$/);
  issuer.answer = 'nothing';
  assert.match((await fieldsOf(settings))['issuer'] ?? '', /cannot be used/);
  issuer.answer = 'as it should';
});

test('while the provider is away known keys work, and a token of an unknown key is answered "later"', async () => {
  const issuer = issuers.get('entra') as OidcIssuer;
  assert.equal((await put({ ...issuer.settings, adminGroups: 'admin' })).status, 200);
  const known = bearer(await issuer.token(['admin']));
  issuer.rotate();
  const unknown = bearer(await issuer.token(['admin']));
  issuer.answer = 'redirect';
  assert.equal((await api.get('/api/v1/job', known)).status, 200);
  const later = await api.get('/api/v1/job', unknown);
  assert.deepEqual([later.status, later.json.errorCode], [503, 3002]);
  assert.equal((await api.get('/api/v1/job', known)).status, 200, 'also after a look that failed');
  issuer.answer = 'as it should';
  await disable();
});
