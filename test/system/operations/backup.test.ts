/** Backup and restore from outside (contract section 12), of a server that works meanwhile. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Api } from '../../support/api.ts';
import { freePort } from '../../support/network/free-port.ts';
import { cairn } from '../../support/operations/command.ts';
import { ServerProcess } from '../../support/server-process.ts';

/** From before anything is written to the end, on a machine of any speed. */
const KILLED_AFTER_MS = [120, 200, 280, 400, 650];

let root: string;
let server: ServerProcess;
let api: Api;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'cairn-test-'));
  server = await ServerProcess.start();
  api = new Api(server.address);
});

after(async () => {
  api.close();
  await server.dispose();
  await rm(root, { recursive: true, force: true });
});

function foldersOf(name: string): { data: string; log: string } {
  return { data: join(root, name, 'data'), log: join(root, name, 'log') };
}

function backup(to: string, more: readonly string[] = [], onStart?: (child: ChildProcess) => void) {
  const { data, log } = server.folders;
  return cairn(['backup', '--data-dir', data, '--log-dir', log, '--to', to, ...more], onStart);
}

function restore(archive: string, { data, log }: { data: string; log: string }) {
  return ['restore', archive, '--data-dir', data, '--log-dir', log];
}

/** Writes jobs, events and a log that is trimmed all the time, until it is told to stop; what was acknowledged stands in the ledger. */
class Load {
  readonly jobs = new Map<string, number>();
  logSize = 0;
  #isOver = false;
  readonly #ends: Promise<void>[];

  constructor() {
    this.#ends = [this.#write(0), this.#write(1), this.#ship()];
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#ends);
  }

  async #write(lane: number): Promise<void> {
    for (let i = 0; !this.#isOver; i++) {
      const id = `load-${lane}-${i % 40}`;
      const time = new Date(Date.UTC(2026, 0, 31) + i * 1_000).toISOString();
      const events = [{ timestamp: time, eventType: 'Job-Running' }];
      const { status } = await api.post('/api/v1/job', { id, queueName: 'q', events });
      if (status === 200) this.jobs.set(id, (this.jobs.get(id) ?? 0) + 1);
    }
  }

  async #ship(): Promise<void> {
    const chunk = `${'x'.repeat(99)}\n`.repeat(3_000);
    while (!this.#isOver) {
      const { status } = await api.post(`/api/v1/nodes/n-1/files/var/log/big.log?offset=${this.logSize}`, chunk, {
        'content-type': 'application/octet-stream',
      });
      if (status === 200) this.logSize += chunk.length;
    }
  }
}

test('what was acknowledged before a backup of a working server is in it, and answers as before', async () => {
  await api.put('/api/v1/node/n-1', { id: 'n-1', instance: { instanceId: 'i-1' } });
  await api.configKv({ 'node.maxPerLogSizeMB': '1', 'job.successTTL': '71h0m0s' });
  const { token } = (await api.post('/api/v1/security/nodeToken', { nodeId: 'n-1', ttl: '1h' })).json;
  const load = new Load();
  const archive = join(root, 'busy.tar');
  // Long enough that the log is trimmed, whatever the machine.
  while (load.logSize < 3_000_000 || load.jobs.size < 80) await new Promise((resolve) => setImmediate(resolve));
  const ledger = { jobs: new Map(load.jobs), logSize: load.logSize };
  const made = await backup(archive);
  await load.end();
  assert.equal(made.code, 0, made.err);
  assert.equal((await stat(archive)).mode & 0o777, 0o600);
  const folders = foldersOf('busy');
  const restored = await cairn(restore(archive, folders));
  assert.equal(restored.code, 0, restored.err);
  // The address of the configuration is the working server's.
  await moveAway(folders.data);
  const again = await ServerProcess.start({ folders });
  const other = new Api(again.address);
  try {
    for (const [id, events] of ledger.jobs) {
      const job = (await other.get(`/api/v1/job/${id}`)).json;
      assert.ok(job.events.length >= events, `${id} has ${job.events.length} events, ${events} were acknowledged`);
    }
    assert.equal((await other.get('/api/v1/config')).json.job.successTTL, '71h0m0s');
    const path = '/api/v1/nodes/n-1/files/var/log/big.log?offset=';
    const { size } = (await other.post(`${path}0`, 'x', { 'content-type': 'application/octet-stream' })).json.fields;
    assert.ok(size >= ledger.logSize && size <= load.logSize, `the log goes on at ${size}`);
    const lines = (await other.get('/nodes/n-1/var/log/big.log')).text.split('\n');
    // The backup may meet a chunk that is half written and not acknowledged; its sender goes on behind that half.
    const begun = lines.pop() as string;
    assert.equal(begun, 'x'.repeat(size % 100), 'what was sent, as far as the log says');
    assert.ok(lines.every((line) => line === 'x'.repeat(99)));
    const keys = (name: string) => readFile(join(name, 'keys', 'node-token.json'), 'utf8');
    assert.equal(await keys(folders.data), await keys(server.folders.data), `the key of ${token}`);
  } finally {
    other.close();
    await again.dispose();
  }
});

/** A restored server beside its original needs an address of its own. */
async function moveAway(data: string): Promise<void> {
  const file = join(data, 'config.json');
  const config = JSON.parse(await readFile(file, 'utf8'));
  config.addr = `http://127.0.0.1:${await freePort()}`;
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`);
}

const QUESTIONS = [
  '/api/v1/job?sort=id',
  '/api/v1/job/load-0-3',
  '/api/v1/job/count?by=status',
  '/api/v1/queue',
  '/api/v1/node?state=all&fields=id,instance',
  '/api/v1/config/history',
  '/api/v1/metric',
  '/api/v1/metrics/summary',
  '/api/v1/metricValue?id=metricDef-jobSubmitted.queue-q&start=2026-01-31T00:00:00Z&interval=1m',
  '/nodes/n-1/',
  '/nodes/n-1/var/log/big.log',
  '/api/v1/audit',
];

test('a backup and a restore that are killed at any moment leave nothing half', async () => {
  const archive = join(root, 'killed', 'a.tar');
  await mkdir(join(root, 'killed'));
  const killAfter = (ms: number) => (child: ChildProcess) => setTimeout(() => child.kill('SIGKILL'), ms);
  for (const ms of KILLED_AFTER_MS) {
    await backup(archive, [], killAfter(ms));
    const there = await stat(archive).catch(() => undefined);
    if (there) assert.equal((await cairn(['backup', 'verify', archive])).code, 0, `killed after ${ms} ms`);
  }
  assert.equal((await backup(archive, [])).code, 0);
  assert.deepEqual(await readdir(join(root, 'killed')), ['a.tar']);
  const folders = foldersOf('killed-restore');
  for (const ms of KILLED_AFTER_MS) {
    const { code } = await cairn(restore(archive, folders), killAfter(ms));
    if (code === 0) break;
    const left: string[] = await readdir(folders.data).catch(() => []);
    if (!left.includes('.cairn-restore')) continue;
    const serve = ['serve', '--data-dir', folders.data, '--log-dir', folders.log, '--addr', 'http://127.0.0.1:0'];
    assert.match((await cairn(serve)).err, /run cairn restore again/);
    assert.deepEqual(await readdir(folders.data), left, 'a server that refuses to start leaves the folder as it is');
  }
  const last = await cairn(restore(archive, folders));
  assert.ok(last.code === 0 || last.err.includes('not empty'), last.err);
  assert.deepEqual((await readdir(folders.data)).sort(), ['config.json', 'db', 'keys', 'last-backup.json']);
});

test('every answer of the restored server is the one of the original, and the command line says what is wrong', async () => {
  const archive = join(root, 'quiet.tar');
  const folders = foldersOf('quiet');
  const before = new Map<string, string>();
  for (const path of QUESTIONS) before.set(path, await textOf(api, path));
  const made = await backup(archive, ['--keep', '1']);
  assert.equal(made.code, 0, made.err);
  assert.doesNotMatch(made.err, /warning/);
  await assert.rejects(stat(join(root, 'busy.tar')), 'the older archive of this server is gone');
  const to = join(root, 'elsewhere.tar');
  const without = await cairn(['backup', '--data-dir', server.folders.data, '--log-dir', root, '--to', to]);
  assert.equal(without.code, 0, without.err);
  assert.match(without.err, /^cairn backup: warning: no node log is in .*: name its log folder with --log-dir$/m);
  assert.equal((await cairn(['backup', 'verify', archive])).code, 0);
  const told = await cairn(['backup', 'verify', archive, '--output', 'json', '--no-color', '--server', 'http://x:1']);
  assert.deepEqual(Object.keys(JSON.parse(told.out)), ['file', 'files', 'createdAt', 'server']);
  const bytes = await readFile(archive);
  bytes[bytes.length - 5_000] = (bytes[bytes.length - 5_000] as number) ^ 1;
  await writeFile(join(root, 'damaged'), bytes);
  const verdict = await cairn(['backup', 'verify', join(root, 'damaged')]);
  assert.equal(verdict.code, 1);
  assert.match(verdict.err, /damaged at data\/db\/data\.mdb/);
  assert.equal((await cairn(['backup', 'verify', join(root, 'nothing')])).code, 2);
  assert.equal((await backup(archive, ['--keep', '0'])).code, 2);
  assert.equal((await cairn(restore(archive, folders))).code, 0);
  assert.equal((await cairn(restore(archive, folders))).code, 1, 'the folders are not empty');
  await server.kill('SIGTERM');
  const again = await ServerProcess.start({ folders });
  assert.equal(again.address, server.address);
  const other = new Api(again.address);
  try {
    for (const path of QUESTIONS) assert.equal(await textOf(other, path), before.get(path), path);
  } finally {
    other.close();
    await again.dispose();
  }
});

async function textOf(from: Api, path: string): Promise<string> {
  const { status, text } = await from.get(path);
  // It counts on.
  return `${status} ${text.replace(/"(workAtRisk|unsavedSeconds)":[\d.]+/g, '')}`;
}
