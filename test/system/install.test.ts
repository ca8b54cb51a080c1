/** How a machine becomes a worker: the script, the package, the names that a predecessor's scripts use (issue 16). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Api, until } from '../support/api.ts';
import { certificateOf, writePair } from '../support/self-made-pair.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;
let api: Api;

withServer({ addr: 'https://127.0.0.1:0' }, (served) => {
  ({ server, api } = served);
});

const SCRIPT = '/api/v1/scripts/install-agent';

function asRead(script: string, args: readonly string[]) {
  return spawnSync('sh', ['-s', '--', ...args], { input: script, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
}

test('the script is for the server that gave it out: its address as the caller named it, its own certificate', async () => {
  const { status, text, headers } = await api.get(SCRIPT, { host: 'cairn.example.com:8443' });
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /^text\/x-shellscript/);
  assert.match(text, /^SERVER='https:\/\/cairn\.example\.com:8443'$/m);
  assert.match(text, /^VERSION='\d+\.\d+\.\d+'$/m);
  const shown = /^CERTIFICATE='([^']+)'$/m.exec(text)?.[1] ?? '';
  const own = await readFile(join(server.folders.data, 'tls', 'server.crt'));
  assert.equal(new X509Certificate(shown).fingerprint256, new X509Certificate(own).fingerprint256);
  assert.ok(!text.includes('@SERVER@') && !text.includes('@VERSION@') && !text.includes('@CERTIFICATE@'));
  assert.equal(spawnSync('sh', ['-n'], { input: text }).status, 0, 'it is a shell script');
  assert.match(asRead(text, ['--help']).stdout, /--join-token TOKEN/);
  assert.equal(asRead(text, ['--nonsense']).status, 2);
});

test('a Host header that a shell could read as a command makes no script', async () => {
  for (const host of ["a';reboot;'", 'a$(id)', 'a b', '`id`', 'a"b', 'user@host']) {
    const { status, json } = await api.get(SCRIPT, { host });
    assert.equal(status, 400, host);
    assert.equal(json.errorCode, 1001);
  }
});

test('the package is sent whole, by any name of the processor; what there is none of is 404, nonsense 422', async () => {
  const folder = join(server.folders.data, 'packages');
  await mkdir(folder, { recursive: true });
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const bytes = Buffer.alloc(300_000, 'package');
  await writeFile(join(folder, `cairn-agent-${version}-1.aarch64.rpm`), bytes);
  for (const arch of ['arm64', 'aarch64']) {
    const { status, headers, bytes: got } = await api.get(`/api/v1/agent/package?format=rpm&arch=${arch}`);
    assert.equal(status, 200);
    assert.equal(headers['content-length'], String(bytes.byteLength));
    assert.match(headers['content-disposition'] ?? '', /filename="cairn-agent-.*\.aarch64\.rpm"/);
    const sum = (of: Buffer): string => createHash('sha256').update(of).digest('hex');
    assert.equal(sum(got), sum(bytes));
  }
  const wrong = await api.get('/api/v1/agent/package?format=zip&arch=mips');
  assert.equal(wrong.status, 422);
  assert.deepEqual(Object.keys(wrong.json.fields), ['format', 'arch']);
});

test('a predecessor’s names are understood, and answers use today’s', async () => {
  assert.equal((await api.get('/api/v1/scripts/install-pagent')).text, (await api.get(SCRIPT)).text);
  assert.deepEqual((await api.get('/api/v1/security/cognito')).json, (await api.get('/api/v1/security/idp')).json);
  const changed = await api.configKv({
    'ckpt.cloudWatchMode': 'true',
    'job.ebsPerJob': 'true',
    'job.ebsMountPath': '/mnt/former',
    'security.cognito.adminGroups': 'admin,root',
  });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(changed.json.ckpt.cloudMonitorMode, true);
  assert.equal(changed.json.job.volPerJob, true);
  assert.equal(changed.json.job.volMountPath, '/mnt/former');
  assert.deepEqual(changed.json.security.idp.adminGroups, ['admin', 'root']);
  assert.ok(!changed.text.includes('ebs') && !changed.text.includes('cognito') && !changed.text.includes('cloudWatch'));
  const alias = await api.put('/api/v1/ckptConfig', { cloudWatchMode: false });
  assert.equal(alias.json.ckpt.cloudMonitorMode, false);
  const twice = await api.configKv({ 'job.ebsPerJob': 'true', 'job.volPerJob': 'false' });
  assert.equal(twice.status, 422);
  assert.deepEqual(twice.json.fields, { 'job.volPerJob': 'is given twice' });
});

test('SIGHUP takes up a changed certificate at once, and never ends the process', async () => {
  const files = {
    certFile: join(server.folders.data, 'pairs', 'own.crt'),
    keyFile: join(server.folders.data, 'pairs', 'own.pem'),
  };
  await writePair(files, 'before');
  const set = await api.configKv({ 'security.certFile': files.certFile, 'security.keyFile': files.keyFile });
  assert.equal(set.status, 200, set.text);
  await writePair(files, 'after');
  process.kill(server.pid, 'SIGHUP');
  await until(
    () => certificateOf(server.address),
    ({ name }) => name === 'after',
    'the certificate that was put in place',
  );
  assert.equal((await api.get('/livez')).status, 200);
  const log = (await api.get('/cairn.log')).text;
  assert.match(log, /reading the certificates again/);
});
