/** The identity provider's endpoints with real tokens (interface.md, authentication; contract sections 8 and 9). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { type Answer, Api } from '../../support/api.ts';
import { IDP_SETTINGS as settings } from '../../support/idp-settings.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { withServer } from '../../support/with-server.ts';

let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  (served) => {
    ({ server, api } = served);
  },
  () => ({ server, api }),
);

after(async () => {
  await issuer.stop();
});

const withToken = (token: string): Record<string, string> => ({ authorization: `bearer ${token}` });
const get = async (path: string, token: string): Promise<Answer> => api.get(path, withToken(token));

test('the settings of a new server are empty and off', async () => {
  const { status, json } = await api.get('/api/v1/security/idp');
  assert.equal(status, 200);
  assert.deepEqual(json, {
    enabled: false,
    region: '',
    userPoolID: '',
    clientID: '',
    identityPoolID: '',
    adminGroups: 'admin',
  });
});

test('input that is not valid is 422 with the message of the interface, and nothing changes', async () => {
  const bad = [
    { ...settings, region: 'moon' },
    { ...settings, userPoolID: 'eu-west-1_AbCdEf123' },
    { ...settings, userPoolID: 'x' },
    { ...settings, identityPoolID: 'us-east-1:1234' },
    { ...settings, clientID: '' },
    { ...settings, adminGroups: ' , ' },
    { ...settings, token: 'not-a-token' },
    { ...settings, token: await issuer.token({ groups: ['staff'] }) },
    { ...settings, token: await issuer.token({ groups: ['admin'], clientId: 'other' }) },
    { ...settings, accessKey: 'only-one' },
    {},
    { ...settings, region: 5 },
  ];
  for (const body of bad) {
    const { status, json } = await api.put('/api/v1/security/idp', body);
    assert.equal(status, 422, JSON.stringify(body));
    assert.equal(json.errorCode, 1003);
    assert.equal(json.message, 'Invalid argument');
  }
  assert.equal((await api.get('/api/v1/security/idp')).json.enabled, false);
});

test('a provider whose keys cannot be fetched is refused', async () => {
  issuer.down = true;
  assert.equal((await api.put('/api/v1/security/idp', settings)).status, 422);
  issuer.down = false;
});

test('a key set without a key that can check a token is refused: to take it would lock everybody out', async () => {
  const rsa = (modulusLength: number): object =>
    generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
  const sets = [
    { keys: [{ ...rsa(2048), kid: 'x', use: 'enc' }] },
    { keys: [{ ...rsa(1024), kid: 'x', use: 'sig' }] },
    {},
    [],
    { keys: {} },
    { keys: ['x', null, 5] },
    { keys: [{ kty: 'oct', kid: 'x', k: 'c2VjcmV0', alg: 'HS256' }] },
    { keys: [{ kty: 'RSA', kid: 'x' }] },
    { keys: [{ kty: 'RSA', kid: 'x', n: 5, e: {} }] },
    { keys: [{ kty: 'EC', kid: 'x', crv: 'P-256', x: 'AA', y: 'AA' }] },
    { keys: [{ kty: 'RSA', kid: 'x', use: 'enc', n: 'sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri', e: 'AQAB' }] },
  ];
  for (const served of sets) {
    issuer.served = served;
    const { status, json } = await api.put('/api/v1/security/idp', settings);
    assert.deepEqual([status, json.errorCode], [422, 1003], JSON.stringify(served));
  }
  issuer.served = undefined;
  assert.equal((await api.get('/api/v1/security/idp')).json.enabled, false);
});

test('enabling answers the eight fields of the request and turns the provider on', async () => {
  const body = { ...settings, token: await issuer.token({ groups: ['admin'] }) };
  const { status, json } = await api.put('/api/v1/security/idp', body);
  assert.equal(status, 200);
  assert.deepEqual(json, body);
  const { json: shown } = await api.get('/api/v1/security/idp');
  assert.deepEqual(shown, {
    enabled: true,
    region: 'us-east-1',
    userPoolID: settings.userPoolID,
    clientID: 'client123',
    identityPoolID: settings.identityPoolID,
    adminGroups: 'admin,root',
  });
});

test('calls need a token now; health, settings and static files do not', async () => {
  const missing = await api.get('/api/v1/config');
  assert.equal(missing.status, 401);
  assert.equal(missing.json.errorCode, 2001);
  assert.equal(missing.headers['www-authenticate'], 'Bearer');
  for (const path of ['/livez', '/readyz', '/', '/api/v1/security/idp'])
    assert.equal((await api.get(path)).status, 200, path);
  for (const path of ['/api/v1/job', '/api/v1/node', '/api/v1/metric', '/cairn.log', '/metrics'])
    assert.equal((await api.get(path)).status, 401, path);
});

test('a user reads, and only an administrator changes', async () => {
  const user = await issuer.token({ groups: ['staff'] });
  assert.equal((await get('/api/v1/config', user)).status, 200);
  const refused = await api.request('PUT', '/api/v1/configKV', {
    body: { kvMap: { 'job.volPerJob': 'true' } },
    headers: withToken(user),
  });
  assert.equal(refused.status, 403);
  assert.equal(refused.json.errorCode, 2003);
  assert.equal((await get('/api/v1/config/history', user)).status, 403);
  const node = await api.request('PUT', '/api/v1/node/n', { body: {}, headers: withToken(user) });
  assert.equal(node.status, 403);
  const admin = await issuer.token({ groups: ['other', 'root'] });
  const changed = await api.request('PUT', '/api/v1/configKV', {
    body: { kvMap: { 'job.volPerJob': 'true' } },
    headers: withToken(admin),
  });
  assert.equal(changed.status, 200);
  const [entry] = (await get('/api/v1/config/history', admin)).json;
  assert.match(entry.who, /^anna /);
});

test('tokens that are wrong in any way are 401 / 2002', async () => {
  const good = await issuer.token();
  const [head, payload] = good.split('.');
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
  const wrong: Record<string, string> = {
    expired: await issuer.token({ expiresIn: -1 }),
    'not yet valid': await issuer.token({ notBefore: 60 }),
    'another issuer': await issuer.token({ issuer: 'https://evil.example' }),
    'another client': await issuer.token({ clientId: 'other' }),
    'an id token': await issuer.token({ use: 'id' }),
    'an unknown key': await issuer.token({ kid: 'nobody' }),
    'no signature': `${head}.${payload}.`,
    'alg none': none,
    'not a token': 'rubbish',
  };
  for (const [name, token] of Object.entries(wrong)) {
    const { status, json } = await get('/api/v1/config', token);
    assert.equal(status, 401, name);
    assert.equal(json.errorCode, 2002, name);
  }
  assert.equal((await get('/api/v1/config', good)).status, 200);
});

test('only an administrator disables, and the refusal tells the groups', async () => {
  const refused = async (token: string, groups: unknown): Promise<void> => {
    const { status, json } = await api.request('DELETE', '/api/v1/security/idp', { headers: withToken(token) });
    assert.equal(status, 403);
    assert.deepEqual(json, {
      statusCode: 403,
      errorCode: 2005,
      message: 'User is not privileged, only admin can disable the identity provider',
      fields: { adminGroups: ['admin', 'root'], groupsInToken: groups },
    });
  };
  await refused(await issuer.token({ groups: ['staff'] }), ['staff']);
  await refused(await issuer.token(), null);
  assert.equal((await api.request('DELETE', '/api/v1/security/idp')).status, 401);
});

test('the setting survives a restart, and the owner of the host can disable it without a token', async () => {
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders, env: { CAIRN_IDP_ISSUER: issuer.url } });
  api.close();
  api = new Api(server.address);
  assert.equal((await api.get('/api/v1/config')).status, 401);
  const disable = promisify(execFile)(process.execPath, [
    'bundle/src/main.js',
    'idp',
    'disable',
    '--data-dir',
    server.folders.data,
  ]);
  assert.match((await disable).stdout, /disabled/);
  assert.equal((await api.get('/api/v1/config')).json.security.idp.enabled, false);
});

test('an administrator disables it and gets the whole configuration', async () => {
  assert.equal((await api.put('/api/v1/security/idp', settings)).status, 200);
  const { status, json } = await api.request('DELETE', '/api/v1/security/idp', {
    headers: withToken(await issuer.token({ groups: ['admin'] })),
  });
  assert.equal(status, 200);
  assert.equal(json.security.idp.enabled, false);
  assert.equal(json.addr, server.address);
  assert.equal((await api.get('/api/v1/config')).status, 200);
});

test('the host’s owner can disable it while the server is down, also where nobody is an administrator any more', async () => {
  const lockOut = { ...settings, adminGroups: 'nobody-is-in-it' };
  assert.equal((await api.put('/api/v1/security/idp', lockOut)).status, 200);
  const headers = withToken(await issuer.token({ groups: ['admin'] }));
  const refused = await api.request('PUT', '/api/v1/security/idp', { body: settings, headers });
  assert.deepEqual([refused.status, refused.json.errorCode], [403, 2003]);
  await server.kill('SIGTERM');
  await promisify(execFile)(process.execPath, [
    'bundle/src/main.js',
    'idp',
    'disable',
    '--data-dir',
    server.folders.data,
  ]);
  server = await ServerProcess.start({ folders: server.folders, env: { CAIRN_IDP_ISSUER: issuer.url } });
  api.close();
  api = new Api(server.address);
  assert.equal((await api.get('/api/v1/security/idp')).json.enabled, false);
});

test('no secret that was sent is in the configuration, the logs or any file of the server', async () => {
  const marker = 'MARKER7f3a';
  const body = { ...settings, accessKey: `AK${marker}`, secretKey: `SK${marker}`, token: `TK${marker}` };
  await api.put('/api/v1/security/idp', body);
  await api.get('/api/v1/config', withToken(`BT${marker}`));
  const { stdout } = await promisify(execFile)('grep', ['-rl', marker, server.folders.data, server.folders.log]).catch(
    (error: { stdout: string }) => error,
  );
  assert.equal(stdout, '');
});
