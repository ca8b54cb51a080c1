/**
 * The program of the agent is replaced under running jobs, as a package does it: every file of the old version goes, the
 * new version's shim has another name, and the agent is started again. Jobs, their `cairn run` and their images go on.
 */
import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { within } from '../../support/api.ts';
import { withCriu } from '../../support/criu.ts';
import { JobsWorld, numbersTo } from './jobs-world.ts';

const LINES = 60;

let world: JobsWorld;

before(async () => {
  if (withCriu().skip !== false) return;
  world = await JobsWorld.start({ 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '1h0m0s' });
});

after(() => world?.dispose());

const home = (): string => join(world.folder, 'lib');

/** An installation: what a package puts below its folder. `version` makes its shim and its guard other programs. */
async function install(version: string): Promise<void> {
  const folder = `${home()}.new`;
  await mkdir(join(folder, 'agent'), { recursive: true });
  await cp('bundle', join(folder, 'bundle'), { recursive: true });
  await cp('package.json', join(folder, 'package.json'));
  await cp(join('agent', 'shim'), join(folder, 'agent', 'shim'), { recursive: true });
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  for (const name of ['shim', 'hold'])
    await appendFile(join(folder, 'agent', 'shim', `${name}.c`), `/* ${version} */\n`);
  // The compiled ones of this tree are none of its version.
  for (const name of await readdir(join(folder, 'bundle', 'agent', 'shim')))
    if (name.startsWith('cairn-')) await rm(join(folder, 'bundle', 'agent', 'shim', name));
  await rm(home(), { recursive: true, force: true });
  await rename(folder, home());
  world.program = join(home(), 'bundle', 'src', 'main.js');
}

const shimOf = async (id: string, image: string): Promise<string> =>
  JSON.parse(await readFile(join(world.images, id, image, 'manifest.json'), 'utf8')).shim;

/** A file of its own for each job, so that they do not write to the same one. */
const script = (id: string): string => `
import os, sys, time
own = open('${id}.txt', 'a')
for n in range(1, ${LINES + 1}):
    while n == ${LINES} and not os.path.exists('${world.gate(id)}'):
        time.sleep(0.05)
    print(n, flush=True)
    print(n, file=own, flush=True)
    time.sleep(0.05)
sys.exit(7)
`;

test(
  'jobs do not notice an upgrade of the agent, are saved afterwards, and images of before and after it are restored',
  withCriu(),
  async () => {
    await install('of before');
    await world.agent('node');
    const ids = ['plain', 'early', 'late'] as const;
    const [plain, early, late] = ids.map((id) =>
      world.run('node', id, ['/usr/bin/python3', '-c', script(id)], id === 'plain' ? ['--engine', 'none'] : []),
    );
    assert.ok(plain && early && late);
    for (const id of ids) await world.untilEvent(id, 'Job-Running');
    await world.untilWriting('early.txt');
    assert.deepEqual(await world.checkpoint('node', 'early'), { code: 0, text: '1-1' });
    const shims = () => Promise.all(ids.map((id) => world.process('node', id, 'shim')));
    const before = await shims();
    const first = await shimOf('early', '1-1');

    await install('of now');
    // Each `cairn run` is connected to it.
    assert.equal(await within(world.agentOf('node').kill('SIGTERM'), 'the agent of before to end', 40_000), 0);
    const agent = await world.agent('node');
    assert.deepEqual(await shims(), before, 'the same copies go on');

    // Its program is gone from the disk; two generations are made and restored without it.
    for (const image of ['1-1', '1-2']) {
      assert.deepEqual(await world.checkpoint('node', 'late'), { code: 0, text: image }, agent.log.slice(-3_000));
      assert.notEqual(await shimOf('late', image), first, 'the program of now');
      process.kill(await world.process('node', 'late', 'shim'), 'SIGKILL');
      await world.untilEvent('late', 'Job-RestoreSucceeded', Number(image.split('-')[1]));
    }
    // An image of before needs the program of before, which is in it; so does the one that is made of that copy.
    for (const image of ['1-1', '1-2']) {
      process.kill(await world.process('node', 'early', 'shim'), 'SIGKILL');
      await world.untilEvent('early', 'Job-RestoreSucceeded', Number(image.split('-')[1]));
      if (image === '1-1') assert.equal((await world.checkpoint('node', 'early')).code, 0);
      assert.equal(await shimOf('early', '1-2'), first);
    }

    for (const id of ids) await world.letEnd(id);
    for (const [i, run] of [plain, early, late].entries()) {
      const id = ids[i] as string;
      assert.equal(await within(run.exited, `the end of ${id}`), 7, run.errors);
      assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(LINES), `what ${id} showed`);
      const own = await readFile(join(world.work, `${id}.txt`), 'utf8');
      assert.deepEqual(own.trimEnd().split('\n'), numbersTo(LINES), `the file of ${id}`);
      await world.untilEvent(id, 'Job-Failed');
    }
    const none = ['Job-Creating', 'Job-Created', 'Job-Running', 'Job-Failed'];
    assert.deepEqual(await world.types('plain'), none);
    for (const id of ['early', 'late']) {
      const types = await world.types(id);
      assert.deepEqual(types.slice(0, 4), [...none.slice(0, 3), 'Job-Checkpointing']);
      assert.ok(!types.includes('Job-RestoreFailed') && !types.includes('Job-CheckpointFailed'), types.join());
    }
  },
);
