/** Checkpoints and restores of real processes by CRIU: on another node, and under damage. More in `agent-generations.test.ts`. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until, within } from '../../support/api.ts';
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

test(
  'a job whose node is gone goes on from its newest image on another one, as if nothing had been',
  withCriu(),
  async () => {
    await world.agent('a1');
    await world.agent('b1');
    const first = world.count('a1', 'moved', 40);
    await world.untilSaved('moved', 2);
    await world.killNode('a1', 'moved');
    const again = await world.goesOn('moved', () => world.count('b1', 'moved', 40));
    const saved = (await world.types('moved')).filter((type) => type === 'Job-CheckpointSucceeded').length;
    await world.untilEvent('moved', 'Job-CheckpointSucceeded', saved + 1);
    await world.letEnd('moved');
    assert.equal(await again.exited, 7, again.errors);
    const { output } = again;
    first.kill('SIGKILL');
    assert.deepEqual(await world.ownLines(), numbersTo(40), 'its own file was cut back');
    await world.untilEvent('moved', 'Job-Failed');
    const { json } = await world.api.get('/api/v1/job/moved');
    assert.equal(json.spotProtCount, 1);
    const types = await world.types('moved');
    const restored = types.slice(types.indexOf('Job-Restoring'));
    assert.deepEqual(restored.slice(0, 2), ['Job-Restoring', 'Job-RestoreSucceeded']);
    assert.ok(!restored.includes('Job-Running'));
    // What the first copy's log holds up to where the second begins, and the second's: one run's output. The second begins
    // with what its node did not know, which is all of it where the first node had sent nothing.
    const begins = Number(output.split('\n')[0]);
    assert.deepEqual(output.trimEnd().split('\n'), numbersTo(40).slice(begins - 1));
    const image = join(world.images, 'moved', (await imagesOf('moved')).at(-1) as string);
    const manifest = JSON.parse(await readFile(join(image, 'manifest.json'), 'utf8'));
    assert.equal(manifest.cairnVersion, JSON.parse(await readFile('package.json', 'utf8')).version);
    assert.deepEqual(
      manifest.output.stdout.segments.map(({ nodeId }: { nodeId: string }) => nodeId),
      ['a1', 'b1'],
    );
  },
);

test('a damaged image is set aside by name, and the one before it is restored', withCriu(), async () => {
  await world.agent('a2');
  await world.agent('b2');
  const first = world.count('a2', 'damaged', 40);
  await world.untilSaved('damaged', 3);
  await world.killNode('a2', 'damaged');
  await world.letEnd('damaged');
  first.kill('SIGKILL');
  const names = await imagesOf('damaged');
  const newest = names.at(-1) as string;
  const part = join(world.images, 'damaged', newest, 'pages-2.img.blocks');
  const bytes = await readFile(part);
  bytes[0] = (bytes[0] as number) ^ 1;
  await chmod(part, 0o600);
  await writeFile(part, bytes);
  const again = await world.goesOn('damaged', () => world.count('b2', 'damaged', 40));
  assert.equal(await again.exited, 7, again.errors);
  assert.deepEqual(await world.ownLines(), numbersTo(40));
  const aside = await readdir(join(world.images, 'damaged', 'aside'));
  assert.ok(aside.some((name) => name.startsWith(`${newest}.`)));
  await world.untilEvent('damaged', 'Job-Failed');
  assert.equal((await world.types('damaged')).filter((type) => type === 'Job-RestoreSucceeded').length, 1);
});

test('once a job went on from an older image, the newer one that failed is set aside', withCriu(), async () => {
  const engine = join(world.folder, 'criu-that-fails-once');
  const fault = join(world.folder, 'fail-once');
  const script = `[ "$1" = restore ] && [ -e ${fault} ] && rm ${fault} && exit 1`;
  await writeFile(engine, `#!/bin/sh\n${script}\nexec ${resolve(CRIU as string)} "$@"\n`);
  await chmod(engine, 0o755);
  await world.agent('older', { CAIRN_CRIU: engine });
  await world.set('older', { 'ckpt.ckptMode': 'none' });
  const run = world.count('older', 'older', 40);
  await world.untilEvent('older', 'Job-Running');
  await world.untilWriting();
  assert.deepEqual(await world.checkpoint('older', 'older'), { code: 0, text: '1-1' });
  assert.deepEqual(await world.checkpoint('older', 'older'), { code: 0, text: '1-2' });
  await writeFile(fault, '');
  process.kill(await world.process('older', 'older', 'shim'), 'SIGKILL');
  await world.untilEvent('older', 'Job-RestoreSucceeded');
  await until(
    () => readdir(join(world.images, 'older', 'aside')).catch(() => []),
    (names) => names.some((name) => name.startsWith('1-2.') && name.endsWith('.why')),
    'the newer image to be set aside',
  );
  // It is forgotten right after that.
  await until(
    async () => existsSync(join(world.images, 'older', '.failures-1-2')),
    (isCounted) => !isCounted,
    'its name to be free for a good one',
  );
  await world.letEnd('older');
  assert.equal(await within(run.exited, 'the job to end'), 7, run.errors);
  assert.deepEqual(await world.ownLines(), numbersTo(40));
  await world.set('older', SAVING);
});

test(
  'a job can be saved after one of the same id, under the agent of another server, has ended',
  withCriu(),
  async () => {
    const folders = (): Promise<string[]> => readdir('/run/cairn-jobs').catch(() => []);
    const others = await folders();
    const other = await JobsWorld.start(SAVING);
    try {
      await Promise.all([world.agent('same'), other.agent('same')]);
      const [job, ended] = [world.count('same', 'nightly', 40), other.count('same', 'nightly', 4)];
      await other.letEnd('nightly');
      assert.equal(await within(ended.exited, 'the job of the other server to end'), 7, ended.errors);
      await other.untilEvent('nightly', 'Job-Failed');
      await world.untilEvent('nightly', 'Job-Running');
      const { code, text } = await world.checkpoint('same', 'nightly');
      assert.equal(code, 0, text);
      // Before its end: one that is being made then may fail with it.
      assert.ok(!(await world.types('nightly')).includes('Job-CheckpointFailed'));
      await world.letEnd('nightly');
      assert.equal(await within(job.exited, 'the job to end'), 7, job.errors);
      await world.untilEvent('nightly', 'Job-Failed');
      await until(
        folders,
        (names) => !names.some((name) => name.startsWith('nightly') && !others.includes(name)),
        'the folders of both to be gone',
      );
    } finally {
      await other.dispose();
    }
  },
);
