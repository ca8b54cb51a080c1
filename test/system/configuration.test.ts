/** Configuration from outside: reading, changing, refusing, history, and what a restart keeps (contract section 2). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Api, until } from '../support/api.ts';
import { freePort } from '../support/network/free-port.ts';
import { ServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;

withServer(
  {},
  (served) => {
    ({ server, api } = served);
  },
  () => ({ server, api }),
);

test('a new server shows the defaults of the contract', async () => {
  const { json, status, headers } = await api.get('/api/v1/config');
  assert.equal(status, 200);
  assert.ok(headers['etag']);
  assert.equal(json.ckpt.ckptMode, 'unknown');
  assert.equal(json.ckpt.ckptInterval, '15m0s');
  assert.equal(json.ckpt.ckptFiles, null);
  assert.deepEqual(json.node, {
    heartbeat: '30s',
    ttl: '5m0s',
    maxPerLogSizeMB: 2,
    maxNodeLogTotalMB: 1024,
    cleanLogInterval: '12h0m0s',
  });
  assert.equal(json.job.successTTL, '72h0m0s');
  assert.equal(json.job.failureTTL, '168h0m0s');
  assert.deepEqual(json.security.idp.adminGroups, ['admin']);
  assert.equal(json.log.maxSizeMB, 10);
});

test('several values are changed in one call, and the answer shows them as Go prints durations', async () => {
  const { status, json } = await api.configKv({
    'node.ttl': '10m',
    'ckpt.ckptInterval': '1h',
    'job.customTags': 'owner:anna,team:core',
    'ckpt.ckptFiles': '/a,/b',
    'ckpt.rootFSDiff': 'true',
    'job.diskSizeGB': '500',
  });
  assert.equal(status, 200);
  assert.equal(json.node.ttl, '10m0s');
  assert.equal(json.ckpt.ckptInterval, '1h0m0s');
  assert.deepEqual(json.job.customTags, { owner: 'anna', team: 'core' });
  assert.deepEqual(json.ckpt.ckptFiles, ['/a', '/b']);
  assert.equal(json.ckpt.rootFSDiff, true);
  assert.equal(json.job.diskSizeGB, 500);
  assert.deepEqual((await api.get('/api/v1/config')).json, json);
});

test('a path that leads to no file that can be used is refused at once, and the server goes on', async (t) => {
  const pipe = join(server.folders.log, 'pipe.log');
  t.after(() => rm(pipe));
  execFileSync('mkfifo', [pipe]);
  const before = (await api.get('/api/v1/config')).json;
  for (const path of ['/proc/nope/x.log', pipe]) {
    const { status, json } = await api.configKv({ 'log.file': path });
    assert.deepEqual([status, json.errorCode, Object.keys(json.fields)], [422, 1003, ['log.file']], path);
  }
  for (const path of [pipe, '/dev/zero']) {
    const { status, json } = await api.configKv({ 'security.certFile': path, 'security.keyFile': path });
    assert.deepEqual([status, json.errorCode], [422, 1003], path);
  }
  assert.deepEqual((await api.get('/api/v1/config')).json, before);
});

test('one bad entry changes nothing, and every bad key is named', async () => {
  const before = (await api.get('/api/v1/config')).json;
  const { status, json } = await api.configKv({
    'job.diskSizeGB': '600',
    'node.ttl': 'soon',
    'no.such': 'x',
    id: 'other',
    staticFolder: '/x',
    'log.level': 'loud',
    'job.retentionPolicy': 'memory',
    'ckpt.rootFSDiff': true,
    'security.idp.enabled': 'true',
    'log.maxSizeMB': '0',
  });
  assert.equal(status, 422);
  assert.equal(json.errorCode, 1003);
  assert.equal(json.message, 'Invalid argument');
  assert.deepEqual(
    Object.keys(json.fields).sort(),
    [
      'ckpt.rootFSDiff',
      'id',
      'job.retentionPolicy',
      'log.level',
      'log.maxSizeMB',
      'no.such',
      'node.ttl',
      'security.idp.enabled',
      'staticFolder',
    ].sort(),
  );
  assert.deepEqual((await api.get('/api/v1/config')).json, before);
});

test('bad files are named beside each other and beside other bad keys, and nothing is left of a log that was tried', async () => {
  const before = (await api.get('/api/v1/config')).json;
  const faults = async (entries: Record<string, unknown>): Promise<string[]> => {
    const { status, json } = await api.configKv(entries);
    assert.deepEqual([status, json.errorCode], [422, 1003]);
    return Object.keys(json.fields).sort();
  };
  const files = {
    'security.certFile': '/nope.crt',
    'security.keyFile': '/nope.key',
    'security.clientCAFile': '/nope.ca',
  };
  const log = server.folders.log;
  await mkdir(join(log, 'folder.log'));
  const keys = [...Object.keys(files), 'log.file', 'x.y'].sort();
  assert.deepEqual(await faults({ ...files, 'log.file': join(log, 'folder.log'), 'x.y': '1' }), keys);
  assert.deepEqual(await faults({ 'log.file': join(log, 'new', 'a.log'), addr: 5 }), ['addr']);
  assert.deepEqual(await faults({ addr: 5 }), ['addr']);
  await assert.rejects(stat(join(log, 'new')), /ENOENT/);
  assert.deepEqual((await api.get('/api/v1/config')).json, before);
});

test('a TTL below twice the heartbeat is refused, also when the heartbeat is what changes', async () => {
  assert.equal((await api.configKv({ 'node.ttl': '59s' })).status, 422);
  assert.equal((await api.configKv({ 'node.heartbeat': '6m' })).status, 422);
  assert.equal((await api.configKv({ 'node.heartbeat': '40s', 'node.ttl': '80s' })).status, 200);
});

test('the configuration version rises with every change and the history tells who, when, key, old and new', async () => {
  const version = async (): Promise<number> => (await api.put('/api/v1/node/version-probe', {})).json.configVersion;
  const first = await version();
  await api.configKv({ 'job.volPerJob': 'true' });
  assert.equal(await version(), first + 1);
  await api.configKv({ 'job.volPerJob': 'true' });
  assert.equal(await version(), first + 1, 'a change that changes nothing is none');
  const [newest] = (await api.get('/api/v1/config/history')).json;
  assert.equal(newest.key, 'job.volPerJob');
  assert.equal(newest.old, false);
  assert.equal(newest.new, true);
  assert.match(newest.who, /anonymous/);
  assert.match(newest.time, /^\d{4}-\d\d-\d\dT/);
});

test('an unchanged configuration answers 304 to its ETag', async () => {
  const { headers } = await api.get('/api/v1/config');
  const etag = headers['etag'] as string;
  for (const named of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
    assert.equal((await api.get('/api/v1/config', { 'if-none-match': named })).status, 304, named);
  await api.configKv({ 'job.storCleanIntvl': '23h' });
  assert.equal((await api.get('/api/v1/config', { 'if-none-match': headers['etag'] as string })).status, 200);
});

test('the deprecated ckptConfig takes native types and nanoseconds', async () => {
  const { status, json } = await api.put('/api/v1/ckptConfig', {
    ckptMode: 'iterative',
    ckptInterval: 300_000_000_000,
    ckptFiles: ['/x'],
    tcpClose: true,
  });
  assert.equal(status, 200);
  assert.equal(json.ckpt.ckptMode, 'iterative');
  assert.equal(json.ckpt.ckptInterval, '5m0s');
  assert.deepEqual(json.ckpt.ckptFiles, ['/x']);
  assert.equal((await api.put('/api/v1/ckptConfig', { ckptInterval: 'x', nope: 1 })).status, 422);
});

test('the log configuration is changed in part, and an unknown key is refused', async () => {
  assert.deepEqual((await api.get('/api/v1/log/config')).json, { level: 'info', maxSizeMB: 10, maxBackups: 10 });
  assert.deepEqual((await api.put('/api/v1/log/config', { level: 'debug' })).json, {
    level: 'debug',
    maxSizeMB: 10,
    maxBackups: 10,
  });
  const refused = await api.put('/api/v1/log/config', { level: 'info', file: '/x' });
  assert.equal(refused.status, 422);
  assert.deepEqual(Object.keys(refused.json.fields), ['file']);
  assert.equal((await api.put('/api/v1/log/config', { maxSizeMB: '5' })).status, 422);
});

test('a short checkpoint interval is accepted with a warning, in the answer and in the server log', async () => {
  const warning = 'ckpt.ckptInterval is 30s, below 2m: pauses may cost more than they save';
  const changed = await api.configKv({ 'ckpt.ckptInterval': '30s' });
  assert.deepEqual([changed.status, changed.headers['x-cairn-warning']], [200, warning]);
  const alias = await api.put('/api/v1/ckptConfig', { ckptInterval: '30s' });
  assert.deepEqual([alias.status, alias.headers['x-cairn-warning']], [200, warning]);
  const other = await api.configKv({ 'log.maxBackups': '9' });
  assert.equal(other.headers['x-cairn-warning'], undefined);
  await until(
    () => server.logText(),
    (text) => text.includes('below 2m'),
    'the warning',
  );
});

test('log.file moves both logs, and both paths follow the name', async () => {
  assert.equal((await api.get('/cairn.log')).status, 200);
  const { status } = await api.configKv({ 'log.file': join(server.folders.log, 'renamed.log') });
  assert.equal(status, 200);
  assert.equal((await api.get('/cairn.log')).status, 404);
  const log = await api.get('/renamed.log');
  assert.equal(log.status, 200);
  assert.equal(log.headers['content-type'], 'text/plain; charset=utf-8');
  await until(
    () => api.get('/renamed-access.log'),
    ({ text }) => text.includes('/renamed.log'),
    'the access log to tell of a request',
  );
});

test('log.file outside the log folder is refused, by its real path, beside the other bad keys of the call', async (t) => {
  const outside = temporaryFolder(t);
  await symlink(outside, join(server.folders.log, 'link'));
  const before = (await api.get('/api/v1/config')).json;
  for (const path of [join(outside, 'x.log'), join(server.folders.log, 'link', 'x.log')]) {
    const { status, json } = await api.configKv({ 'log.file': path, 'node.ttl': '1s' });
    assert.deepEqual([status, json.errorCode, Object.keys(json.fields).sort()], [422, 1003, ['log.file', 'node.ttl']]);
  }
  assert.deepEqual((await api.get('/api/v1/config')).json, before);
});

test('CAIRN_LOG_ROOTS allows another folder; without it the server still starts with what was taken', async (t) => {
  const other = temporaryFolder(t);
  const allowed = await ServerProcess.start({ env: { CAIRN_LOG_ROOTS: other } });
  const first = new Api(allowed.address);
  assert.equal((await first.configKv({ 'log.file': join(other, 'a.log') })).status, 200);
  first.close();
  assert.equal(await allowed.kill('SIGTERM'), 0);
  const bound = await ServerProcess.start({ folders: allowed.folders });
  t.after(() => bound.dispose());
  const second = new Api(bound.address);
  t.after(() => second.close());
  assert.match((await second.get('/a.log')).text, /log\.file is neither in the log folder.*the server keeps using it/);
  assert.equal((await second.configKv({ 'log.file': join(other, 'a.log'), 'log.level': 'debug' })).status, 200);
  assert.equal((await second.configKv({ 'log.file': join(other, 'b.log') })).status, 422);
  assert.equal((await second.configKv({ 'log.file': join(bound.folders.log, 'cairn.log') })).status, 200);
});

test('an address that is in use, or none, is refused and the old one goes on', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const refused = await api.configKv({ addr: `http://127.0.0.1:${port}` });
  assert.equal(refused.status, 409);
  assert.equal(refused.json.errorCode, 1007);
  assert.equal((await api.configKv({ addr: 'nonsense' })).status, 409);
  assert.equal((await api.configKv({ addr: 'http://192.0.2.1:80' })).status, 409);
  assert.equal((await api.get('/api/v1/config')).json.addr, server.address);
  await new Promise((resolve) => other.close(resolve));
});

test('an address that another Cairn has is refused, also on the port of this one and as a name of two addresses', async (t) => {
  const { port } = new URL(server.address);
  const other = await ServerProcess.start({ args: ['--addr', `http://127.0.0.2:${port}`] });
  t.after(() => other.dispose());
  assert.equal((await api.configKv({ addr: `http://127.0.0.2:${port}` })).status, 409);
  const six = createServer();
  await new Promise<void>((resolve) => six.listen(0, '::1', resolve));
  t.after(() => six.close());
  const named = `http://localhost:${(six.address() as { port: number }).port}`;
  assert.equal((await api.configKv({ addr: named })).status, 409);
  assert.equal((await api.get('/api/v1/config')).json.addr, server.address);
});

test('a changed address answers at once and the old one refuses, also where they overlap', async () => {
  const free = await freePort();
  const moved = await api.configKv({ addr: `http://0.0.0.0:${free}` });
  assert.equal(moved.status, 200);
  await assert.rejects(new Api(server.address).get('/livez'), /ECONNREFUSED/);
  const wide = new Api(`http://127.0.0.2:${free}`);
  assert.equal((await wide.get('/livez')).status, 200);
  assert.equal((await wide.configKv({ addr: `http://127.0.0.1:${free}` })).status, 200);
  await assert.rejects(new Api(`http://127.0.0.2:${free}`).get('/livez'), /ECONNREFUSED/);
  wide.close();
  api.close();
  api = new Api(`http://127.0.0.1:${free}`);
  assert.equal((await api.get('/api/v1/config')).json.addr, `http://127.0.0.1:${free}`);
});

test('the scheme changes on the same port', async () => {
  const { port } = new URL(api.base);
  assert.equal((await api.configKv({ addr: `https://127.0.0.1:${port}` })).status, 200);
  const secure = new Api(`https://127.0.0.1:${port}`);
  assert.equal((await secure.get('/livez')).status, 200);
  assert.equal((await secure.configKv({ addr: `http://127.0.0.1:${port}` })).status, 200);
  secure.close();
  api.close();
  api = new Api(`http://127.0.0.1:${port}`);
  assert.equal((await api.get('/livez')).status, 200);
});

test('config.json is private, and a killed server comes back with every change', async () => {
  const path = join(server.folders.data, 'config.json');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const changed = (await api.configKv({ 'job.diskThroughputMB': '250' })).json;
  await server.kill('SIGKILL');
  assert.equal(JSON.parse(await readFile(path, 'utf8')).job.diskThroughputMB, 250);
  const again = await ServerProcess.start({ folders: server.folders, addr: 'http://127.0.0.1:1' });
  server = again;
  api.close();
  api = new Api(again.address);
  assert.deepEqual((await api.get('/api/v1/config')).json, changed);
  const text = await until(
    () => api.get('/renamed.log'),
    (answer) => answer.text.includes('has no effect'),
    'the warning about the address',
  );
  assert.equal(text.text.match(/has no effect/g)?.length, 1);
});
