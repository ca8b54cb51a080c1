/** The audit log from outside: who changed what, whole after a crash, and a change to it that shows. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { auditKey, encodeAudit, readAudit } from '../../src/store/records/audit-record.ts';
import { Api } from '../support/api.ts';
import { IDP_SETTINGS } from '../support/idp-settings.ts';
import { ServerProcess } from '../support/server-process.ts';
import { TokenIssuer } from '../support/token-issuer.ts';
import { withServer } from '../support/with-server.ts';

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

const run = promisify(execFile);
const verify = (): Promise<{ stdout: string; code: number }> =>
  run(process.execPath, ['bundle/src/main.js', 'audit', 'verify', '--data-dir', server.folders.data]).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    ({ stdout, code }: { stdout: string; code: number }) => ({ stdout, code }),
  );

test('a new server has an empty log', async () => {
  assert.deepEqual((await api.get('/api/v1/audit')).json, []);
  assert.match((await verify()).stdout, /intact: 0 records/);
});

test('every change by a person is a record with who, from where, what', async () => {
  await api.configKv({ 'node.ttl': '9m', 'job.diskSizeGB': '7' });
  await api.put('/api/v1/log/config', { level: 'debug' });
  await api.put('/api/v1/metric/mine', { name: 'Mine', description: '', unit: 'x', labels: [], aggregation: 'sum' });
  await api.put('/api/v1/security/idp', IDP_SETTINGS);
  const headers = { authorization: `Bearer ${await issuer.token({ groups: ['admin'] })}` };
  await api.request('POST', '/api/v1/security/nodeToken', { body: { nodeId: 'n1', ttl: '1h' }, headers });
  await api.request('DELETE', '/api/v1/security/nodeToken/n1', { headers });
  await api.request('DELETE', '/api/v1/security/idp', { headers });
  const { json } = await api.get('/api/v1/audit');
  assert.deepEqual(
    json.map(({ seq, action, who }: { seq: number; action: string; who: string }) => [seq, action, who]),
    [
      [7, 'idp.disabled', 'anna'],
      [6, 'nodeToken.revoked', 'anna'],
      [5, 'nodeToken.made', 'anna'],
      [4, 'idp.enabled', 'anonymous'],
      [3, 'metric.defined', 'anonymous'],
      [2, 'config.changed', 'anonymous'],
      [1, 'config.changed', 'anonymous'],
    ],
  );
  const first = json.at(-1);
  assert.equal(first.from, '127.0.0.1');
  assert.deepEqual(first.detail.changes, {
    'node.ttl': { old: '5m0s', new: '9m0s' },
    'job.diskSizeGB': { old: 100, new: 7 },
  });
});

test('what was refused or changed nothing leaves no record', async () => {
  await api.configKv({ 'node.ttl': 'never' });
  await api.configKv({ 'node.ttl': '9m' });
  await api.put('/api/v1/node/n9', {});
  assert.equal((await api.get('/api/v1/audit')).json[0].seq, 7);
});

test('pages lead from the newest to the oldest', async () => {
  const { json, headers } = await api.get('/api/v1/audit?limit=4');
  assert.equal(json.length, 4);
  const next = /<([^>]+)>; rel="next"/.exec(headers['link'] as string)?.[1] as string;
  const second = await api.get(next);
  assert.deepEqual(
    second.json.map(({ seq }: { seq: number }) => seq),
    [3, 2, 1],
  );
  assert.equal(second.headers['link'], undefined);
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'before=-1'])
    assert.equal((await api.get(`/api/v1/audit?${query}`)).status, 422, query);
});

test('the log is intact while the server runs, after a crash, and goes on', async () => {
  assert.match((await verify()).stdout, /intact: 7 records, the last is 7 with hash [0-9a-f]{64}/);
  await server.kill('SIGKILL');
  assert.equal((await verify()).code, 0);
  server = await ServerProcess.start({ folders: server.folders, env: { CAIRN_IDP_ISSUER: issuer.url } });
  api.close();
  api = new Api(server.address);
  await api.configKv({ 'node.ttl': '8m' });
  assert.match((await verify()).stdout, /intact: 8 records/);
});

test('a record that was changed on disk is found and named', async () => {
  await server.kill('SIGTERM');
  const store = openLmdbStore(join(server.folders.data, 'db'));
  const record = readAudit(store, 4, 1)[0];
  assert.ok(record);
  const batch = new WriteBatch();
  batch.put('audit', auditKey(3), encodeAudit({ ...record, who: 'somebody else' }));
  store.commit([batch.seal()]);
  await store.close();
  const { stdout, code } = await verify();
  assert.equal(code, 1);
  assert.match(stdout, /not intact: record 3: its content does not fit its hash/);
});
