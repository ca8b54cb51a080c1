/** Markers are planted wherever a secret can be sent; nothing that the server writes or says afterwards may hold one. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Answer, type Api, until } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { withServer } from '../../support/with-server.ts';

const MARKER = 'MARKER7f3a9c';
let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;
/** Secrets that are real: tokens that the server made or took. */
const secrets: string[] = [];
/** What the server said, except where the contract has it say the secret. */
const said: Answer[] = [];

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  async (served) => {
    ({ server, api } = served);
    await api.configKv({ 'log.level': 'trace' });
  },
);

after(async () => {
  await issuer.stop();
});

const keep = async (answer: Promise<Answer>): Promise<Answer> => {
  said.push(await answer);
  return answer;
};

test('secrets are sent in every field that takes one, rightly and wrongly', async () => {
  const marked = { accessKey: `AK${MARKER}`, secretKey: `SK${MARKER}`, token: `TK${MARKER}` };
  await keep(api.put('/api/v1/security/idp', { ...IDP_SETTINGS, ...marked }));
  await keep(api.put('/api/v1/security/idp', { ...IDP_SETTINGS, ...marked, secretKey: [`SK${MARKER}`] }));
  await keep(api.put('/api/v1/security/idp', { ...IDP_SETTINGS, ...marked, region: 'moon' }));
  await keep(api.put('/api/v1/security/idp', `{"secretKey": "SK${MARKER}", `));
  const admin = await issuer.token({ groups: ['admin'] });
  secrets.push(admin);
  // The one answer that repeats what was sent, as the interface has it.
  const enabled = await api.put('/api/v1/security/idp', { ...IDP_SETTINGS, ...marked, token: admin });
  assert.equal(enabled.status, 200, enabled.text);
  const headers = { authorization: `Bearer ${admin}` };
  for (const body of [{ ttl: '1h' }, { nodeId: 'n1', ttl: '1h' }]) {
    const { json } = await api.request('POST', '/api/v1/security/nodeToken', { body, headers });
    secrets.push(json.token);
  }
  const joined = await api.request('PUT', '/api/v1/node/n2', { body: {}, headers: bearer(secrets[1]) });
  secrets.push(joined.json.token);
  await keep(api.request('POST', '/api/v1/node/n1/heartbeat', { body: {}, headers: bearer(secrets[2]) }));
  await keep(api.request('POST', '/api/v1/node/n1/heartbeat', { body: {}, headers: bearer(joined.json.token) }));
  for (const wrong of [`BT${MARKER}`, `${MARKER}.${MARKER}.${MARKER}`, `${admin}${MARKER}`])
    await keep(api.get('/api/v1/config', bearer(wrong)));
  await keep(api.get(`/api/v1/config?token=${MARKER}&access_token=${MARKER}`, headers));
  await keep(api.get('/api/v1/config', { authorization: `Basic ${MARKER}` }));
});

function bearer(token: string | undefined): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

test('nothing that can be read over the API holds one', async () => {
  const headers = bearer(secrets[0]);
  const paths = [
    'config',
    'config/history',
    'audit',
    'security/idp',
    'node',
    'job',
    'metric',
    'log/config',
    'openapi.json',
  ];
  for (const path of paths) await keep(api.get(`/api/v1/${path}`, headers));
  for (const path of ['/metrics', '/readyz', '/cairn.log', '/cairn-access.log', '/'])
    await keep(api.get(path, headers));
  for (const { text, headers: sent, status } of said)
    mustHoldNone(`${text}${JSON.stringify(sent)}`, `an answer of ${status}`);
});

test('nothing that the server wrote holds one: logs, configuration, database, output', async () => {
  await api.get('/api/v1/the-last');
  await until(
    () => server.logText('cairn-access.log'),
    (text) => text.includes('/api/v1/the-last'),
    'the access log',
  );
  await server.kill('SIGTERM');
  mustHoldNone(server.output, 'standard output and error');
  const folders = [server.folders.data, server.folders.log];
  let looked = 0;
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      mustHoldNone(await readFile(path, 'latin1'), path);
      looked++;
    }
  }
  assert.ok(looked >= 6, `${looked} files`);
});

function mustHoldNone(text: string, where: string): void {
  assert.ok(!text.includes(MARKER), `a marker is in ${where}`);
  for (const secret of secrets) {
    // The signature is what makes a token worth something.
    const [, , signature = ''] = secret.split('.');
    assert.ok(signature.length > 40 && !text.includes(signature), `a token is in ${where}`);
  }
}
