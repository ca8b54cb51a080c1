/** Settings of checkpoints act on a running job, live: interval and mode, files, connections, the signal, the diagnosis. */
import assert from 'node:assert/strict';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../../support/api.ts';
import { CRIU, withCriu } from '../../support/criu.ts';
import { JobsWorld, numbersTo, waitFor } from './jobs-world.ts';

let world: JobsWorld;

const OFF = {
  'ckpt.ckptMode': 'none',
  'ckpt.ckptInterval': '1h0m0s',
  'ckpt.ckptFiles': '',
  'ckpt.tcpClose': 'false',
  'ckpt.ckptOnSigTerm': 'false',
  'ckpt.diagnosisMode': 'false',
  'ckpt.rootFSDiff': 'false',
  'ckpt.IRMapScanPaths': '',
};

before(async () => {
  if (withCriu().skip !== false) return;
  world = await JobsWorld.start(OFF);
  await world.agent('node');
});

after(() => world?.dispose());

afterEach(async () => {
  if (!world) return;
  await set(OFF);
  await rm(join(world.work, 'own.txt'), { force: true });
});

const set = (settings: Readonly<Record<string, string>>): Promise<void> => world.set('node', settings);

const checkpoint = (id: string, node = 'node') => world.checkpoint(node, id);

const details = async (id: string, type: string): Promise<string[]> => {
  const text = await readFile(join(world.data('node'), 'jobs', id, 'job.json'), 'utf8');
  assert.ok(text.length > 0);
  return world
    .agentOf('node')
    .log.split('\n')
    .filter((line) => line.includes(`job ${id}: ${type} (`))
    .map((line) => /\((.*)\)$/.exec(line)?.[1] ?? '');
};

test('a running job follows a changed mode and interval', withCriu(), async () => {
  const run = world.count('node', 'live', 40);
  await world.untilEvent('live', 'Job-Running');
  await set({ 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '300ms' });
  await world.untilEvent('live', 'Job-CheckpointSucceeded', 2);
  await set({ 'ckpt.ckptMode': 'none' });
  const attempts = (await world.types('live')).filter((type) => type === 'Job-Checkpointing').length;
  await world.letEnd('live');
  assert.equal(await run.exited, 7);
  await world.untilEvent('live', 'Job-Failed');
  const after = (await world.types('live')).filter((type) => type === 'Job-Checkpointing').length;
  assert.ok(after <= attempts + 1, `${attempts} before it was switched off, ${after} at the end`);
});

test('ckptFiles are put back as they were when the job was saved', withCriu(), async () => {
  await set({ 'ckpt.ckptFiles': 'state.txt' });
  const script = `${waitFor(world.gate('files'))}
import time
for n in range(1, 41):
    if n == 40:
        wait_for_gate()
    with open('state.txt', 'r+') as f:
        assert f.read() == str(n - 1), n
        f.seek(0)
        f.truncate()
        f.write(str(n))
    print(n, flush=True)
    time.sleep(0.05)
`;
  await writeFile(join(world.work, 'state.txt'), '0');
  const run = world.run('node', 'files', ['/usr/bin/python3', '-c', script]);
  await world.untilEvent('files', 'Job-Running');
  await until(
    async () => run.output,
    (text) => text.split('\n').length > 10,
    'ten lines',
  );
  const saved = await checkpoint('files');
  assert.equal(saved.code, 0, saved.text);
  await until(
    async () => run.output,
    (text) => text.split('\n').length > 25,
    'some more lines',
  );
  process.kill(await world.process('node', 'files', 'shim'), 'SIGKILL');
  await world.letEnd('files');
  assert.equal(await run.exited, 0, run.errors);
  assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(40));
  await world.untilEvent('files', 'Job-RestoreSucceeded');
});

test('a job with open connections is saved only with tcpClose, and told why', withCriu(), async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const script = `
import socket, time
s = socket.create_connection(('127.0.0.1', ${port}))
print('connected', flush=True)
time.sleep(600)
`;
  const run = world.run('node', 'tcp', ['/usr/bin/python3', '-c', script]);
  await until(
    async () => run.output,
    (text) => text !== '',
    'the connection',
  );
  const refused = await checkpoint('tcp');
  assert.equal(refused.code, 1);
  assert.match(refused.text, /^cairn job checkpoint: tcp-connections: process \d+ .*ckpt\.tcpClose is off/);
  assert.match((await details('tcp', 'Job-CheckpointFailed'))[0] ?? '', /^tcp-connections/);
  await set({ 'ckpt.tcpClose': 'true' });
  const saved = await checkpoint('tcp');
  assert.equal(saved.code, 0, saved.text);
  run.kill('SIGTERM');
  assert.equal(await run.exited, 143);
  server.close();
});

test('with ckptOnSigTerm the signal saves the job first, and it goes on from there', withCriu(), async () => {
  await set({ 'ckpt.ckptOnSigTerm': 'true' });
  const first = world.count('node', 'term', 40);
  await until(
    async () => first.output,
    (text) => text.split('\n').length > 20,
    'twenty lines',
  );
  first.kill('SIGTERM');
  assert.equal(await first.exited, 143);
  await world.untilEvent('term', 'Job-Stopped');
  assert.deepEqual((await world.types('term')).slice(-3), [
    'Job-Checkpointing',
    'Job-CheckpointSucceeded',
    'Job-Stopped',
  ]);
  await world.letEnd('term');
  const second = world.count('node', 'term', 40);
  assert.equal(await second.exited, 7, second.errors);
  assert.deepEqual(await world.ownLines(), numbersTo(40));
  assert.ok(Number(second.output.split('\n')[0]) > 20, 'only what is new is shown');
});

test('with diagnosisMode the working files of a failed save are kept', withCriu(), async () => {
  await set({ 'ckpt.diagnosisMode': 'true' });
  // A deleted file of more than a mebibyte is not in an image.
  const script = `
import os, time
f = open('ghost', 'wb')
f.write(b'x' * (8 << 20))
f.flush()
os.unlink('ghost')
print('ready', flush=True)
time.sleep(600)
`;
  const run = world.run('node', 'ghost', ['/usr/bin/python3', '-c', script]);
  await until(
    async () => run.output,
    (text) => text !== '',
    'the file to be gone',
  );
  const failed = await checkpoint('ghost');
  assert.equal(failed.code, 1);
  assert.match(failed.text, /^cairn job checkpoint: dump-failed: /);
  const kept = await readdir(join(world.data('node'), 'jobs', 'ghost', 'diagnosis'), { recursive: true });
  const log = kept.find((name) => name.endsWith('dump.log')) ?? assert.fail(kept.join());
  const path = join(world.data('node'), 'jobs', 'ghost', 'diagnosis', log);
  await until(
    () => world.api.get(`/nodes/node${path}`),
    ({ text }) => text.includes('Error'),
    'the log of the engine to be shipped',
  );
  run.kill('SIGTERM');
  assert.equal(await run.exited, 143);
});

test(
  'with rootFSDiff what changed below the working folder is put back, also where it is not open',
  withCriu(),
  async () => {
    await set({ 'ckpt.rootFSDiff': 'true' });
    const script = `${waitFor(world.gate('diff'))}
import time
for n in range(1, 41):
    if n == 40:
        wait_for_gate()
    if n > 1:
        assert open('counter.txt').read() == str(n - 1), n
    with open('counter.txt', 'w') as f:
        f.write(str(n))
    print(n, flush=True)
    time.sleep(0.05)
`;
    const run = world.run('node', 'diff', ['/usr/bin/python3', '-c', script]);
    const lines = (count: number): Promise<unknown> =>
      until(
        async () => run.output,
        (text) => text.split('\n').length > count,
        `${count} lines`,
      );
    await lines(10);
    assert.equal((await checkpoint('diff')).code, 0);
    await lines(25);
    process.kill(await world.process('node', 'diff', 'shim'), 'SIGKILL');
    await world.letEnd('diff');
    assert.equal(await run.exited, 0, run.errors);
    assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(40));
  },
);

test('IRMapScanPaths are passed to the engine of the next checkpoint', withCriu(), async () => {
  const engine = join(world.folder, 'criu-that-tells');
  const told = join(world.folder, 'told');
  await writeFile(engine, `#!/bin/sh\necho "$@" >>${told}\nexec ${resolve(CRIU as string)} "$@"\n`);
  await chmod(engine, 0o755);
  const node = await world.agent('telling', { CAIRN_CRIU: engine });
  const run = world.run('telling', 'paths', ['/bin/sleep', '600']);
  await world.untilEvent('paths', 'Job-Running');
  assert.equal((await checkpoint('paths', 'telling')).code, 0);
  assert.doesNotMatch(await readFile(told, 'utf8'), /irmap/);
  const isRead = node.nextLog(/configuration \d+ changes/);
  await set({ 'ckpt.IRMapScanPaths': '/var/spool/a,/srv/b' });
  await isRead;
  assert.equal((await checkpoint('paths', 'telling')).code, 0);
  assert.match(await readFile(told, 'utf8'), /--irmap-scan-path \/var\/spool\/a --irmap-scan-path \/srv\/b/);
  run.kill('SIGTERM');
  assert.equal(await run.exited, 143);
});
