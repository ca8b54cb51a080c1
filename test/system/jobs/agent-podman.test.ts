/** The engine podman: containers are jobs, saved and continued on another node with their files and their output. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { tryText } from '../../../agent/base/process-id.ts';
import { until, within } from '../../support/api.ts';
import type { JobRun } from './job-run.ts';
import { JobsWorld, numbersTo } from './jobs-world.ts';
import { IMAGE, podmanIn, withPodman } from './podman.ts';

let world: JobsWorld;
let podman: string;

before(async () => {
  if (withPodman().skip !== false) return;
  world = await JobsWorld.start({
    'ckpt.ckptMode': 'iterative',
    'ckpt.ckptInterval': '1h0m0s',
    'ckpt.rootFSDiff': 'true',
  });
  podman = podmanIn(join(world.folder, 'podman'));
  await world.agent('a', { CAIRN_PODMAN: podman });
  await world.agent('b', { CAIRN_PODMAN: podman });
});

after(async () => {
  await world?.dispose(async () => {
    execFileSync(podman, ['rm', '--all', '--force', '--time', '0'], { stdio: 'ignore', timeout: 60_000 });
    // Each container's monitor ends with a podman that cleans up, which mounts the storage again.
    const isOurs = (pid: string): boolean => tryText(`/proc/${pid}/cmdline`).includes(join(world.folder, 'podman'));
    await until(
      async () => (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && isOurs(name)),
      (pids) => pids.length === 0,
      'podman to be done with its storage',
    );
    // What podman keeps mounted for its storage.
    execFileSync('sh', ['-c', `umount ${join(world.folder, 'podman', 'root', 'overlay')} 2>/dev/null; true`]);
  });
});

afterEach(() => world && rm(join(world.work, 'own.txt'), { force: true }));

const container = (node: string, id: string, ...command: string[]): JobRun =>
  world.run(node, id, [IMAGE, ...command], ['--engine', 'podman']);

/** Counts to its output and its working folder, where the last number waits for a file; what it wrote to its own root at the beginning must be there at the end. */
const COUNT = `
echo begun > /state.txt
exec 3>> own.txt
for i in {1..40}; do
  while [ $i = 40 ] && [ ! -e end ]; do sleep 0.1; done
  echo $i; echo $i >&3; sleep 0.1
done
[ "$(< /state.txt)" = begun ] || exit 1
echo done >&2
exit 7`;

const lines = (run: JobRun, count: number): Promise<unknown> =>
  until(
    async () => run.output,
    (text) => text.split('\n').length > count,
    `${count} lines of output: ${run.errors}`,
  );

test(
  'a container is saved and goes on elsewhere, with its files, its output and its exit code',
  withPodman(),
  async () => {
    const first = container('a', 'box', 'bash', '-c', COUNT);
    await lines(first, 10);
    assert.deepEqual(await world.checkpoint('a', 'box'), { code: 0, text: '1-1' });
    await lines(first, 20);
    await world.killNode('a', 'box');
    execFileSync(podman, ['kill', '--all'], { stdio: 'ignore' });
    first.kill('SIGKILL');
    const again = await world.goesOn('box', () => container('b', 'box', 'bash', '-c', COUNT));
    await writeFile(join(world.work, 'end'), '');
    assert.equal(await again.exited, 7, again.errors);
    assert.match(again.errors, /done/);
    assert.deepEqual(await world.ownLines(), numbersTo(40), 'its file in the working folder was cut back');
    await world.untilEvent('box', 'Job-Failed');
    const { json } = await world.api.get('/api/v1/job/box');
    assert.deepEqual(
      json.events.map(({ eventType }: { eventType: string }) => eventType),
      [
        ...['Job-Creating', 'Job-Created', 'Job-Running', 'Job-Checkpointing', 'Job-CheckpointSucceeded'],
        ...['Job-Restoring', 'Job-RestoreSucceeded', 'Job-Failed'],
      ],
    );
    assert.equal(json.spotProtCount, 1);
    await until(
      () => world.api.get(`/api/v1/job/box/logs.tar.gz`),
      ({ bytes }) => joined(bytes) === `${numbersTo(40).join('\n')}\n`,
      'the joined output to be what one run would have written',
    );
    const names = execFileSync(podman, ['ps', '--all', '--format', '{{.Names}}'], { encoding: 'utf8' });
    assert.doesNotMatch(names, /cairn-box-b-/, 'the agent that lives leaves no container');
  },
);

function joined(bundle: Buffer): string {
  const list = ['-xzOf', '-', '--wildcards', '*output/stdout.log'];
  return execFileSync('tar', list, { input: bundle, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
}

test(
  'files of the container and of its working folder are put back as they were, each with the other',
  withPodman(),
  async () => {
    const state = `state-${process.pid}.txt`;
    await world.set('b', { 'ckpt.ckptFiles': state });
    const script = `
echo 0 > ${state}; echo 0 > /count.txt
for i in {1..40}; do
  while [ $i = 40 ] && [ ! -e end-files ]; do sleep 0.1; done
  [ "$(< ${state})" = $((i-1)) ] || exit 11
  [ "$(< /count.txt)" = $((i-1)) ] || exit 12
  echo $i > ${state}; echo $i > /count.txt; echo $i; sleep 0.05
done`;
    const run = container('b', 'files', 'bash', '-c', script);
    await lines(run, 10);
    assert.equal((await world.checkpoint('b', 'files')).code, 0);
    await lines(run, 20);
    process.kill(await world.process('b', 'files', 'shim'), 'SIGKILL');
    await writeFile(join(world.work, 'end-files'), '');
    assert.equal(await within(run.exited, 'the container to end'), 0, run.errors);
    assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(40));
    await world.untilEvent('files', 'Job-RestoreSucceeded');
    await world.set('b', { 'ckpt.ckptFiles': '' });
  },
);

test(
  'a container with open connections is saved only with tcpClose, and they are closed in it',
  withPodman(),
  async () => {
    const server = createServer((socket) => socket.on('error', () => {}).resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const script = `
trap '' PIPE
exec 3<>/dev/tcp/127.0.0.1/${port}
echo connected
while echo x 2>/dev/null >&3; do sleep 0.1; done
echo closed
exit 3`;
    const run = container('b', 'tcp', 'bash', '-c', script);
    await lines(run, 1);
    const refused = await world.checkpoint('b', 'tcp');
    assert.equal(refused.code, 1);
    assert.match(refused.text, /^cairn job checkpoint: tcp-connections: .*ckpt\.tcpClose is off/);
    await world.set('b', { 'ckpt.tcpClose': 'true' });
    const saved = await world.checkpoint('b', 'tcp');
    assert.equal(saved.code, 0, saved.text);
    assert.doesNotMatch(run.output, /closed/, 'the one that is saved keeps its connection');
    process.kill(await world.process('b', 'tcp', 'shim'), 'SIGKILL');
    assert.equal(await within(run.exited, 'the restored container to meet its closed connection'), 3, run.errors);
    assert.equal(run.output, 'connected\nclosed\n');
    await world.set('b', { 'ckpt.tcpClose': 'false' });
    server.close();
  },
);

test('a container follows interval, mode, signal, diagnosis and scan paths', withPodman(), async () => {
  await world.set('b', { 'ckpt.ckptInterval': '300ms', 'ckpt.IRMapScanPaths': '/srv/a,/srv/b' });
  const script = `
trap 'exit 9' TERM
exec 3> ghost
printf '%2000000s' x >&3
echo open
while :; do sleep 0.1; done`;
  const run = container('b', 'live', 'bash', '-c', script);
  await world.untilEvent('live', 'Job-CheckpointSucceeded', 2);
  await world.set('b', { 'ckpt.ckptMode': 'none', 'ckpt.diagnosisMode': 'true' });
  const config = await readFile('/run/cairn-containers/live.conf', 'utf8');
  assert.match(config, /^irmap-scan-path "\/srv\/a"\nirmap-scan-path "\/srv\/b"$/m);
  // One that the interval began has an end of its own; from now on none begins unasked.
  await world.checkpoint('b', 'live');
  // A deleted file of more than a mebibyte is not in an image.
  await rm(join(world.work, 'ghost'));
  const failed = await world.checkpoint('b', 'live');
  assert.equal(failed.code, 1);
  assert.match(failed.text, /^cairn job checkpoint: dump-failed: .*ghost/, 'the engine’s own reason');
  const kept = await readdir(join(world.data('b'), 'jobs', 'live', 'diagnosis'), { recursive: true });
  assert.ok(
    kept.some((name) => name.endsWith('dump.log')),
    kept.join(),
  );
  await world.set('b', { 'ckpt.ckptOnSigTerm': 'true', 'ckpt.diagnosisMode': 'false' });
  run.kill('SIGTERM');
  assert.equal(await within(run.exited, 'the container to stop'), 9, run.errors);
  await world.untilEvent('live', 'Job-Stopped');
  assert.deepEqual((await world.types('live')).slice(-3), ['Job-Checkpointing', 'Job-CheckpointFailed', 'Job-Stopped']);
  await world.set('b', { 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '1h0m0s', 'ckpt.ckptOnSigTerm': 'false' });
});

test('a signal reaches the container, and what cannot be started says why', withPodman(), async () => {
  const run = container('b', 'signalled', 'bash', '-c', 'trap "exit 12" USR1; echo ready; while :; do sleep 0.1; done');
  await lines(run, 1);
  run.kill('SIGUSR1');
  assert.equal(await run.exited, 12);
  const absent = container('b', 'absent', 'no-such-command');
  assert.equal(await absent.exited, 127, absent.errors);
  const unknown = world.run('b', 'unknown', ['localhost/no-such-image:9', 'true'], ['--engine', 'podman']);
  assert.equal(await unknown.exited, 125, unknown.errors);
  assert.match(unknown.errors, /no-such-image/);
  await world.untilEvent('unknown', 'Job-Failed');
});
