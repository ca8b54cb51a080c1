/**
 * A job under the agent while everything around it is killed: agent, shim, engine, server, at random moments. Whatever
 * happens, it ends with its exit code, its output is that of one uninterrupted run, and nothing is left behind.
 * More rounds than fit into the runner's 10 minutes (some 80): `CAIRN_JOB_ROUNDS=200 node --test dist/test/crash/agent-jobs.test.js`.
 * A failing round is repeated by CAIRN_JOB_SEED.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { seededRandom } from '../../src/base/random.ts';
import { until } from '../support/api.ts';
import { withCriu } from '../support/criu.ts';
import { JobsWorld, numbersTo } from '../system/jobs/jobs-world.ts';

const ROUNDS = Number(process.env['CAIRN_JOB_ROUNDS'] ?? 3);
const SEED = Number(process.env['CAIRN_JOB_SEED'] ?? Date.now() % 1_000_000);
const LINES = 60;
const KILLS = 4;
const VICTIMS = ['agent', 'shim', 'engine', 'guard', 'both', 'server'];

let world: JobsWorld;

before(async () => {
  if (withCriu().skip !== false) return;
  world = await JobsWorld.start({ 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '300ms' });
  await world.agent('node');
});

after(() => world?.dispose());

afterEach(() => world && rm(join(world.work, 'own.txt'), { force: true }));

for (let round = 0; round < ROUNDS; round++) {
  const seed = SEED + round;
  test(`a job survives what is killed around it (seed ${seed})`, withCriu(), async () => {
    const random = seededRandom(seed);
    const id = `chaos-${seed}`;
    const run = world.count('node', id, LINES);
    // What is killed before there is an image starts over, and a file that it appends to then has its lines twice.
    await world.untilEvent(id, 'Job-CheckpointSucceeded');
    const killed: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      // The moment is what is random here; there is no event to wait for.
      await new Promise((resolve) => setTimeout(resolve, random.between(50, 1_500)));
      const victim = VICTIMS[Math.floor(random.between(0, VICTIMS.length))] as string;
      killed.push(victim);
      await killOne(victim, id);
    }
    await world.letEnd(id);
    assert.equal(await run.exited, 7, `${killed}: ${run.errors}`);
    assert.deepEqual(await world.ownLines(), numbersTo(LINES), `its own file, after ${killed}`);
    const log = await readFile(join(world.data('node'), 'jobs', id, 'stdout.log'), 'utf8');
    assert.deepEqual(log.trimEnd().split('\n'), numbersTo(LINES), `its output, after ${killed}`);
    assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(LINES), `what was shown, after ${killed}`);
    await until(
      async () => (await world.types(id).catch(() => [])).slice(-4),
      (types) => types.at(-1) === 'Job-Failed',
      `the end to be told, after ${killed}`,
    );
    await nothingLeft(id);
  });
}

async function killOne(victim: string, id: string): Promise<void> {
  switch (victim) {
    case 'agent':
      await world.agentOf('node').kill('SIGKILL');
      await world.agent('node');
      return;
    case 'shim':
      return tryKill(await world.process('node', id, 'shim').catch(() => 0));
    case 'engine':
      return engines(id, /criu-[\d.]+$|^criu$/).forEach(tryKill);
    case 'guard':
      return engines(id, /^cairn-hold/).forEach(tryKill);
    case 'both':
      return engines(id, /./).forEach(tryKill);
    case 'server':
      await world.killServer();
      await world.restartServer();
      return;
    default:
      assert.fail(victim);
  }
}

/** Processes that save or restore this job, by the name of their program. */
function engines(id: string, name: RegExp): number[] {
  return processes((line) => {
    const program = line.split(' ')[0]?.split('/').at(-1) ?? '';
    const isEngine = line.includes('criu') && line.includes(`/jobs/${id}/`) && !program.startsWith('cairn-shim');
    return isEngine && name.test(program);
  });
}

async function nothingLeft(id: string): Promise<void> {
  await until(
    async () => processes((line) => line.includes(`/jobs/${id}/`)),
    (pids) => pids.length === 0,
    'no process of the job to be left',
  );
  const images = await readdir(join(world.images, id));
  assert.deepEqual(
    images.filter((name) => name.startsWith('.tmp-gone')),
    [],
  );
  const folder = join(world.data('node'), 'jobs', id);
  assert.deepEqual(
    (await readdir(folder)).filter((name) => /^(dump|restore)/.test(name)),
    [],
  );
  assert.ok(!existsSync(`/run/cairn-jobs/${id}`), 'the folder of its root process');
  assert.ok(!tryText('/proc/mounts').includes(id), 'no mount');
}

function processes(fits: (line: string) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => fits(tryText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')))
    .map(Number);
}

function tryText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function tryKill(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
