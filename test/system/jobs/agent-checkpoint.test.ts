/** Checkpoints and restores of real processes by CRIU: on another node, generation after generation, under damage. */
import assert from 'node:assert/strict';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../../support/api.ts';
import { CRIU, withCriu } from '../../support/criu.ts';
import { JobsWorld, numbersTo } from './jobs-world.ts';

let world: JobsWorld;

const SAVING = { 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '500ms' };

before(async () => {
  if (withCriu().skip === false) world = await JobsWorld.start(SAVING);
});

after(() => world?.dispose());

afterEach(() => world && rm(join(world.work, 'own.txt'), { force: true }));

const imagesOf = async (id: string): Promise<string[]> =>
  (await readdir(join(world.images, id))).filter((name) => /^\d+-\d+$/.test(name)).sort();

/** Runs until the claim is free: the node that had it must be lost first. */
async function runElsewhere(node: string, id: string, to: number): Promise<string> {
  for (;;) {
    const run = world.count(node, id, to);
    const code = await run.exited;
    if (code === 75) continue;
    assert.equal(code, 7, run.errors);
    return run.output;
  }
}

test(
  'a job whose node is gone goes on from its newest image on another one, as if nothing had been',
  withCriu(),
  async () => {
    await world.agent('a1');
    await world.agent('b1');
    const first = world.count('a1', 'moved', 120);
    await world.untilEvent('moved', 'Job-CheckpointSucceeded', 2);
    await world.killNode('a1', 'moved');
    const output = await runElsewhere('b1', 'moved', 120);
    first.kill('SIGKILL');
    assert.deepEqual(await world.ownLines(), numbersTo(120), 'its own file was cut back');
    await world.untilEvent('moved', 'Job-Failed');
    const { json } = await world.api.get('/api/v1/job/moved');
    assert.equal(json.spotProtCount, 1);
    const types = await world.types('moved');
    const restored = types.slice(types.indexOf('Job-Restoring'));
    assert.deepEqual(restored.slice(0, 2), ['Job-Restoring', 'Job-RestoreSucceeded']);
    assert.ok(!restored.includes('Job-Running'));
    // What the first copy's log holds up to where the second begins, and the second's: one run's output.
    const begins = Number(output.split('\n')[0]);
    assert.ok(begins > 1, `goes on, and does not begin anew: ${begins}`);
    assert.deepEqual(output.trimEnd().split('\n'), numbersTo(120).slice(begins - 1));
    const image = join(world.images, 'moved', (await imagesOf('moved')).at(-1) as string);
    const manifest = JSON.parse(await readFile(join(image, 'manifest.json'), 'utf8'));
    assert.deepEqual(
      manifest.output.stdout.segments.map(({ nodeId }: { nodeId: string }) => nodeId),
      ['a1', 'b1'],
    );
  },
);

test('a damaged image is set aside by name, and the one before it is restored', withCriu(), async () => {
  await world.agent('a2');
  await world.agent('b2');
  const first = world.count('a2', 'damaged', 120);
  await world.untilEvent('damaged', 'Job-CheckpointSucceeded', 3);
  await world.killNode('a2', 'damaged');
  first.kill('SIGKILL');
  const names = await imagesOf('damaged');
  const newest = names.at(-1) as string;
  const part = join(world.images, 'damaged', newest, 'pages-2.img.blocks');
  const bytes = await readFile(part);
  bytes[0] = (bytes[0] as number) ^ 1;
  await chmod(part, 0o600);
  await writeFile(part, bytes);
  await runElsewhere('b2', 'damaged', 120);
  assert.deepEqual(await world.ownLines(), numbersTo(120));
  const aside = await readdir(join(world.images, 'damaged', 'aside'));
  assert.ok(aside.some((name) => name.startsWith(`${newest}.`)));
  await world.untilEvent('damaged', 'Job-Failed');
  assert.equal((await world.types('damaged')).filter((type) => type === 'Job-RestoreSucceeded').length, 1);
});

test('five generations in a row on one node, each after the death of the shim', withCriu(), async () => {
  await world.agent('a3');
  const run = world.count('a3', 'five', 200);
  for (let generation = 0; generation < 5; generation++) {
    const before = (await world.types('five')).filter((type) => type === 'Job-CheckpointSucceeded').length;
    await world.untilEvent('five', 'Job-CheckpointSucceeded', before + 1);
    process.kill(await world.process('a3', 'five', 'shim'), 'SIGKILL');
    await world.untilEvent('five', 'Job-RestoreSucceeded', generation + 1);
  }
  assert.equal(await run.exited, 7);
  assert.deepEqual(await world.ownLines(), numbersTo(200));
  assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(200), 'shown once');
  const path = `${world.data('a3')}/jobs/five/stdout.log`;
  assert.deepEqual((await readFile(path, 'utf8')).trimEnd().split('\n'), numbersTo(200));
});

test(
  'an engine that is killed in the middle of a save costs the job nothing that an image holds',
  withCriu(),
  async () => {
    const engine = join(world.folder, 'criu-that-dies');
    const real = resolve(CRIU as string);
    const marks = join(world.folder, 'killed');
    await writeFile(
      engine,
      // The first save is left alone: a job that the kill takes with it goes on from there, and without an image it begins anew.
      `#!/bin/sh\n[ "$1" = dump ] || exec ${real} "$@"\n[ -e ${marks}.first ] || { : >${marks}.first; exec ${real} "$@"; }\n${real} "$@" & P=$!\nsleep 0.0$(($$ % 4))\nkill -9 $P\necho x >>${marks}\nkill -9 $$\n`,
    );
    await chmod(engine, 0o755);
    await world.agent('a4', { CAIRN_CRIU: engine });
    const run = world.count('a4', 'cut-off', 150);
    assert.equal(await run.exited, 7, run.errors);
    assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(150));
    assert.deepEqual(await world.ownLines(), numbersTo(150));
    assert.ok((await readFile(marks, 'utf8')).length >= 4, 'it was killed more than once');
    await until(
      () => world.api.get('/api/v1/job/cut-off'),
      ({ json }) => json.status === 'Failed' && json.checkpoints.failures >= 2,
      'the failures to be told',
    );
  },
);
