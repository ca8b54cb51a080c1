/** The engine podman: containers are jobs, saved and continued on another node with their files and their output. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../../support/api.ts';
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
  if (!world) return;
  execFileSync(podman, ['rm', '--all', '--force', '--time', '0'], { stdio: 'ignore' });
  // What podman keeps mounted for its storage.
  execFileSync('sh', ['-c', `umount ${join(world.folder, 'podman', 'root', 'overlay')} 2>/dev/null; true`]);
  await world.dispose();
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

async function checkpoint(node: string, id: string): Promise<string> {
  const args = ['bundle/src/main.js', 'job', 'checkpoint', id, '--data-dir', world.data(node)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  await new Promise((resolve) => child.once('close', resolve));
  return text.trim();
}

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
    assert.equal(await checkpoint('a', 'box'), '1-1');
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
