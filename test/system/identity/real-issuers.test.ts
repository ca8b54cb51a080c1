/** Issuers that are not ours: an emulated Cognito pool with its sign-in, and a certified OpenID Connect provider. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import Provider from 'oidc-provider';
import { type Answer, Api } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { CognitoEmulator, POOL_ID } from '../../support/providers/cognito-emulator.ts';
import { ServerProcess } from '../../support/server-process.ts';

const bearer = (token: string): Record<string, string> => ({ authorization: `bearer ${token}` });

function changeTtl(api: Api, token: string, ttl: string): Promise<Answer> {
  const body = { kvMap: { 'node.ttl': ttl } };
  return api.request('PUT', '/api/v1/configKV', { body, headers: bearer(token) });
}

test('a Cognito pool: enabled with credentials, signed in by password, groups make administrators', async (t) => {
  const pool = await CognitoEmulator.start();
  t.after(() => pool.stop());
  await pool.addUser('anna@example.org', 'admin');
  await pool.addUser('bert@example.org');
  const server = await ServerProcess.start({
    // No override: the issuer is Cognito's own name, and only its keys and its API are served elsewhere.
    env: { CAIRN_IDP_JWKS_URI: pool.jwksUri, CAIRN_COGNITO_ENDPOINT: pool.url },
  });
  const api = new Api(server.address);
  t.after(async () => {
    api.close();
    await server.dispose();
  });
  const anna = await pool.signIn('anna@example.org');
  const bert = await pool.signIn('bert@example.org');
  const settings = {
    ...IDP_SETTINGS,
    userPoolID: POOL_ID,
    clientID: pool.clientId,
    accessKey: 'AKLOCAL',
    secretKey: 'SKLOCAL',
  };
  const fieldsOf = async (change: object): Promise<string[]> => {
    const { status, json } = await api.put('/api/v1/security/idp', { ...settings, ...change });
    assert.equal(status, 422, JSON.stringify(change));
    assert.deepEqual([json.errorCode, json.message], [1003, 'Invalid argument']);
    return Object.keys(json.fields);
  };
  assert.deepEqual(await fieldsOf({ userPoolID: 'us-east-1_Nobody' }), ['userPoolID']);
  assert.deepEqual(await fieldsOf({ clientID: 'nobody' }), ['clientID']);
  assert.deepEqual(await fieldsOf({ token: bert.accessToken }), ['adminGroups']);
  assert.deepEqual(await fieldsOf({ token: anna.idToken }), ['token']);
  const body = { ...settings, token: anna.accessToken };
  const enabled = await api.put('/api/v1/security/idp', body);
  assert.equal(enabled.status, 200, enabled.text);
  assert.deepEqual(enabled.json, body);
  assert.equal((await changeTtl(api, anna.accessToken, '9m')).status, 200);
  assert.equal((await changeTtl(api, bert.accessToken, '8m')).status, 403);
  assert.equal((await api.get('/api/v1/node', bearer(bert.accessToken))).status, 200);
  assert.equal((await api.get('/api/v1/node', bearer(bert.idToken))).status, 401);
  for (const file of ['cairn.log', 'cairn-access.log'])
    assert.doesNotMatch(await server.logText(file), /AKLOCAL|SKLOCAL/);
});

const CLIENT = { client_id: 'dashboard', client_secret: 'not-so-secret' };
const RESOURCE = 'https://cairn.example/';

let oidc: Server;
let issuer: string;
let groups: string[] | undefined;

before(async () => {
  oidc = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => oidc.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(oidc.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: () => ({
          scope: 'api',
          audience: RESOURCE,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: () => (groups ? { roles: groups } : {}),
  });
  const listener = provider.callback();
});

after(() => {
  oidc.closeAllConnections();
  oidc.close();
});

async function oidcToken(): Promise<string> {
  const { client_id, client_secret } = CLIENT;
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api', resource: RESOURCE }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

test('an OpenID Connect provider: its access tokens are known by their type, groups by a claim of its own', async (t) => {
  const server = await ServerProcess.start({
    // Its keys stand where its description says.
    env: { CAIRN_IDP_ISSUER: issuer, CAIRN_IDP_GROUPS_CLAIM: 'roles' },
  });
  const api = new Api(server.address);
  t.after(async () => {
    api.close();
    await server.dispose();
  });
  groups = ['operators'];
  const operator = await oidcToken();
  groups = ['admin'];
  const admin = await oidcToken();
  const settings = { ...IDP_SETTINGS, clientID: 'dashboard', token: admin };
  assert.equal((await api.put('/api/v1/security/idp', { ...settings, token: operator })).status, 422);
  assert.equal((await api.put('/api/v1/security/idp', { ...settings, clientID: 'another' })).status, 422);
  const enabled = await api.put('/api/v1/security/idp', settings);
  assert.equal(enabled.status, 200, enabled.text);
  assert.equal((await changeTtl(api, admin, '9m')).status, 200);
  assert.equal((await changeTtl(api, operator, '8m')).json.errorCode, 2003);
  assert.equal((await api.get('/api/v1/job', bearer(operator))).status, 200);
});
