/** Faults planted in a server that runs: `cairn doctor` finds each, and finds nothing when it is mended (contract section 12). */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Api, until } from '../../support/api.ts';
import { cairn } from '../../support/operations/command.ts';
import { writeRows } from '../../support/operations/data-folder.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { withServer } from '../../support/with-server.ts';

let api: Api;
let server: ServerProcess;

withServer({ addr: 'https://127.0.0.1:0' }, (served) => {
  ({ api, server } = served);
});

interface Found {
  readonly id: string;
  readonly what: string;
}

interface Seen {
  readonly id: string;
  readonly value: string;
}

async function findings(): Promise<Found[]> {
  return (await api.get('/api/v1/doctor')).json.findings;
}

async function ids(): Promise<string[]> {
  return (await findings()).map(({ id }) => id);
}

function onHost(...more: readonly string[]) {
  const { data, log } = server.folders;
  return cairn(['doctor', '--data-dir', data, '--log-dir', log, ...more]);
}

test('a healthy server has no findings, asked over the API, over its socket, and from elsewhere', async () => {
  const report = (await api.get('/api/v1/doctor')).json;
  assert.deepEqual(report.findings, []);
  const values = new Map<string, string>(report.checks.map((check: Seen) => [check.id, check.value]));
  assert.match(values.get('disk') ?? '', /^\d.* free \(\d+ %\)/);
  assert.match(values.get('certificate-expiry') ?? '', /^ends in [\d,]+ days$/);
  assert.equal(values.get('backup-age'), 'no backup yet');
  assert.equal(values.has('replica-lag'), false);
  const told = await onHost();
  assert.deepEqual([told.code, told.err], [0, '']);
  assert.match(told.out, /^no findings\n\nIN ORDER +VALUE\ndisk +\d.* free/i);
  assert.match(told.out, /^backup-age +no backup yet$/m);
  const ca = join(server.folders.data, 'tls', 'server.crt');
  const asked = await cairn(['doctor', '--server', server.address, '--ca', ca, '--json']);
  assert.deepEqual([asked.code, JSON.parse(asked.out).findings], [0, []]);
  const both = await cairn(['doctor', '--server', server.address, '--data-dir', server.folders.data]);
  assert.equal(both.code, 2);
});

test('permissions: found where they are open, with exit code 1, and gone after the remedy', async () => {
  const keys = join(server.folders.data, 'keys', 'node-token.json');
  await chmod(keys, 0o644);
  const found = await onHost('--json');
  assert.equal(found.code, 1);
  const [{ id, what, remedy }] = JSON.parse(found.out).findings;
  assert.equal(id, 'permissions');
  assert.ok(what.includes(keys));
  execFileSync('sh', ['-c', remedy.slice(0, remedy.indexOf('. '))]);
  assert.deepEqual(await ids(), []);
});

test('token-key: a key that is gone, and one that is no key', async () => {
  const keys = join(server.folders.data, 'keys', 'node-token.json');
  await rename(keys, `${keys}.away`);
  assert.deepEqual(await ids(), ['token-key']);
  await writeFile(keys, '{}', { mode: 0o600 });
  assert.deepEqual(await ids(), ['token-key']);
  await rename(`${keys}.away`, keys);
  assert.deepEqual(await ids(), []);
});

test('readers: that of a process which was killed, until a backup clears it', async () => {
  const script = `import { open } from 'lmdb';
    const root = open({ path: process.argv[1], readOnly: true, encoding: 'binary', keyEncoding: 'binary', maxDbs: 40 });
    root.useReadTransaction();
    console.log('reading');
    setInterval(() => {}, 1000);`;
  const db = join(server.folders.data, 'db');
  const reader = spawn(process.execPath, ['--input-type=module', '-e', script, db], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(reader.stdout, 'data');
  assert.deepEqual(await ids(), []);
  reader.kill('SIGKILL');
  await once(reader, 'exit');
  const [found] = await findings();
  assert.match(found?.what ?? '', new RegExp(`process ${reader.pid}, which has ended`));
  const { data, log } = server.folders;
  const backup = ['backup', '--data-dir', data, '--log-dir', log, '--to', join(data, '..', 'a.tar')];
  assert.equal((await cairn(backup)).code, 0);
  assert.deepEqual(await ids(), []);
});

test('backup-age: of the last backup, whose time the backup has noted', async () => {
  const note = join(server.folders.data, 'last-backup.json');
  const written = await readFile(note, 'utf8');
  const old = new Date(Date.now() - 8 * 86_400_000).toISOString();
  await writeFile(note, JSON.stringify({ time: old, file: 'a.tar' }));
  assert.deepEqual(await ids(), ['backup-age']);
  await writeFile(note, written);
  assert.deepEqual(await ids(), []);
});

test('descriptors and map: the limits of the process', async () => {
  const limit = (...flags: readonly string[]) => execFileSync('prlimit', ['--pid', String(server.pid), ...flags]);
  const [, before] = /Max open files\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/limits`, 'utf8')) ?? [];
  limit('--nofile=1024:');
  assert.deepEqual(await ids(), ['descriptors']);
  limit(`--nofile=${before}:`);
  const { size } = await stat(join(server.folders.data, 'db', 'data.mdb'));
  limit(`--fsize=${size + 1}:`);
  const found = await ids();
  limit('--fsize=unlimited:');
  assert.deepEqual(found, ['map']);
  assert.deepEqual(await ids(), []);
});

test('agent-version and clock: what the nodes say of themselves', async () => {
  const register = (id: string, agent: object) => api.put(`/api/v1/node/${id}`, { id, agent });
  await register('n-1', { version: '0.0.1' });
  assert.deepEqual(await ids(), ['agent-version']);
  await register('n-1', { version: '0.1.0' });
  assert.deepEqual(await ids(), []);
  const time = new Date(Date.now() - 60_000).toISOString();
  for (const id of ['n-1', 'n-2', 'n-3']) await register(id, { version: '0.1.0', time });
  assert.deepEqual(await ids(), ['clock']);
  for (const id of ['n-1', 'n-2', 'n-3']) await api.delete(`/api/v1/node/${id}`);
  assert.deepEqual(await ids(), []);
});

test('certificate-expiry and certificate-name: of the pair that is configured', async () => {
  const { data } = server.folders;
  const pair = (name: string, subject: string, days: number): Readonly<Record<string, string>> => {
    const [crt, pem] = [join(data, `${name}.crt`), join(data, `${name}.pem`)];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', pem, '-out', crt];
    const names = ['-subj', '/CN=cairn', '-addext', `subjectAltName=${subject}`, '-days', String(days)];
    execFileSync('openssl', ['req', '-x509', ...key, ...names], { stdio: 'pipe' });
    return { 'security.certFile': crt, 'security.keyFile': pem };
  };
  const { certFile, keyFile } = (await api.get('/api/v1/config')).json.security;
  assert.equal((await api.configKv(pair('short', 'IP:127.0.0.1', 29))).status, 200);
  assert.deepEqual(await ids(), ['certificate-expiry']);
  assert.equal((await api.configKv(pair('other', 'DNS:cairn.example.com', 400))).status, 200);
  assert.deepEqual(await ids(), ['certificate-name']);
  await api.configKv({ 'security.certFile': certFile, 'security.keyFile': keyFile });
  assert.deepEqual(await ids(), []);
});

test('loop-lag: a process that was stopped', async () => {
  server.kill('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  server.kill('SIGCONT');
  const found = await until(ids, (list) => list.includes('loop-lag'), 'the stall');
  assert.deepEqual(found, ['loop-lag']);
});

test('a server that is stopped is looked at by its folders', async () => {
  await server.kill('SIGTERM');
  const { data } = server.folders;
  const told = await onHost();
  assert.deepEqual([told.code, told.err], [0, '']);
  assert.match(told.out, /^no findings\n/);
  // What only its process knows is not told.
  assert.match(told.out, /^token-key +readable$/m);
  assert.doesNotMatch(told.out, /^(loop-lag|descriptors|records) /m);
  await writeRows(data, { meta: { firstStart: String(Date.now() - 8 * 86_400_000) } });
  await writeFile(join(data, 'last-backup.json'), 'never');
  await chmod(data, 0o755);
  const found = await onHost('--json');
  assert.equal(found.code, 1);
  const report = JSON.parse(found.out) as { findings: Found[] };
  assert.deepEqual(report.findings.map(({ id }) => id).sort(), ['backup-age', 'permissions']);
  assert.equal((await cairn(['doctor', '--data-dir', join(data, 'nothing')])).code, 2);
});
