/**
 * A job under the agent while everything around it is killed: agent, shim, engine, server, at random moments, and with
 * two nodes a whole machine, after which the job moves. Whatever happens, it ends with its exit code, its output is that
 * of one uninterrupted run, only the newest copy's events count, and nothing is left behind.
 * More rounds than fit into the runner's 10 minutes (some 80), on two nodes:
 * `CAIRN_JOB_ROUNDS=200 CAIRN_JOB_NODES=2 node --test dist/test/crash/agent-jobs.test.js`.
 * A failing round is repeated by CAIRN_JOB_SEED.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { treeOf } from '../../agent/base/process-id.ts';
import { seededRandom } from '../../src/base/random.ts';
import { until, within } from '../support/api.ts';
import { withCriu } from '../support/criu.ts';
import type { JobRun } from '../system/jobs/job-run.ts';
import { JobsWorld, numbersTo } from '../system/jobs/jobs-world.ts';

const ROUNDS = Number(process.env['CAIRN_JOB_ROUNDS'] ?? 3);
const SEED = Number(process.env['CAIRN_JOB_SEED'] ?? Date.now() % 1_000_000);
const NODES = ['node', 'other'].slice(0, Number(process.env['CAIRN_JOB_NODES'] ?? 1));
const LINES = 60;
const KILLS = 4;
const VICTIMS = [
  'agent',
  'shim',
  'engine',
  'guard',
  'both',
  'server',
  ...(NODES.length > 1 ? ['machine', 'machine'] : []),
];

/** Where the job runs now, and the `cairn run` that shows it. */
interface Place {
  readonly node: string;
  readonly run: JobRun;
}

let world: JobsWorld;

before(async () => {
  if (withCriu().skip !== false) return;
  world = await JobsWorld.start({ 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '300ms' });
  for (const name of NODES) await world.agent(name);
});

after(() => world?.dispose());

afterEach(() => world && rm(join(world.work, 'own.txt'), { force: true }));

for (let round = 0; round < ROUNDS; round++) {
  const seed = SEED + round;
  test(`a job survives what is killed around it (seed ${seed})`, withCriu(), async () => {
    const random = seededRandom(seed);
    const id = `chaos-${seed}`;
    const first = NODES[Math.floor(random.between(0, NODES.length))] as string;
    let place: Place = { node: first, run: world.count(first, id, LINES) };
    // What is killed before there is an image starts over, and a file that it appends to then has its lines twice.
    await world.untilSaved(id);
    const killed: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      // The moment is what is random here; there is no event to wait for.
      await new Promise((resolve) => setTimeout(resolve, random.between(50, 1_500)));
      const victim = VICTIMS[Math.floor(random.between(0, VICTIMS.length))] as string;
      killed.push(victim);
      place = await killOne(victim, id, place);
    }
    await world.letEnd(id);
    const { node, run } = place;
    assert.equal(await within(run.exited, `the end of the job, after ${killed}`), 7, `${killed}: ${run.errors}`);
    assert.deepEqual(await world.ownLines(), numbersTo(LINES), `its own file, after ${killed}`);
    if (killed.includes('machine')) await joinedIsWhole(id, killed);
    else {
      const log = await readFile(join(world.data(node), 'jobs', id, 'stdout.log'), 'utf8');
      assert.deepEqual(log.trimEnd().split('\n'), numbersTo(LINES), `its output, after ${killed}`);
      assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(LINES), `what was shown, after ${killed}`);
    }
    await until(
      async () => (await world.types(id).catch(() => [])).slice(-4),
      (types) => types.at(-1) === 'Job-Failed',
      `the end to be told, after ${killed}`,
    );
    await onlyNewestCounts(id, killed);
    await nothingLeft(id);
  });
}

/** Resolves with where the job goes on. */
async function killOne(victim: string, id: string, place: Place): Promise<Place> {
  const { node } = place;
  switch (victim) {
    case 'agent':
      await world.agentOf(node).kill('SIGKILL');
      await world.agent(node);
      return place;
    case 'shim':
      tryKill(await world.process(node, id, 'shim').catch(() => 0));
      return place;
    case 'engine':
      engines(id, /criu-[\d.]+$|^criu$/).forEach(tryKill);
      return place;
    case 'guard':
      engines(id, /^cairn-hold/).forEach(tryKill);
      return place;
    case 'both':
      engines(id, /./).forEach(tryKill);
      return place;
    case 'server':
      await world.killServer();
      await world.restartServer();
      return place;
    case 'machine':
      return killMachine(id, place);
    default:
      assert.fail(victim);
  }
}

/** Everything of the node ends at once; the job is run on the other one, and the machine comes back. */
async function killMachine(id: string, { node, run }: Place): Promise<Place> {
  const target = NODES.find((name) => name !== node) as string;
  await world.agentOf(node).kill('SIGKILL');
  const isOfNode = (line: string): boolean => line.includes(`${world.data(node)}/jobs/${id}/`);
  for (let left = processes(isOfNode); left.length > 0; left = processes(isOfNode)) {
    // Stopped first: nothing is born while its parents are collected.
    const shims = left.filter((pid) => trySignal(pid, 'SIGSTOP'));
    for (const pid of shims.flatMap((shim) => treeOf(shim).reverse())) tryKill(pid);
    const init = await world.process(node, id, 'started').catch(() => 0);
    for (const pid of treeOf(init)) tryKill(pid);
  }
  const before = await restoresOf(id, target);
  const next = await runThere(id, target, before);
  await world.agent(node);
  assert.equal(await within(run.exited, `cairn run on ${node} to hear that ${target} has the job`), 75, run.errors);
  return { node: target, run: next };
}

/** Until the claim is free, for which the dead node must be lost first. */
async function runThere(id: string, target: string, before: number): Promise<JobRun> {
  for (;;) {
    const run = world.count(target, id, LINES);
    const isRestored = until(
      async () => (await restoresOf(id, target).catch(() => before)) > before,
      (more) => more,
      `${id} to go on on ${target}`,
    );
    const code = await Promise.race([run.exited, isRestored.then(() => null)]);
    if (code === null) return run;
    isRestored.catch(() => {});
    assert.equal(code, 75, run.errors);
  }
}

async function eventsOf(id: string): Promise<{ eventType: string; containerId: string }[]> {
  return (await world.api.get(`/api/v1/job/${id}`)).json.events ?? [];
}

async function restoresOf(id: string, node: string): Promise<number> {
  const isOne = ({ eventType, containerId }: { eventType: string; containerId: string }): boolean =>
    eventType === 'Job-RestoreSucceeded' && containerId.startsWith(`${node}-`);
  return (await eventsOf(id)).filter(isOne).length;
}

/** After a claim no event of an earlier epoch is stored. */
async function onlyNewestCounts(id: string, killed: readonly string[]): Promise<void> {
  const epochs = (await eventsOf(id)).map(({ containerId }) => Number(containerId.split('-').at(-2)));
  assert.deepEqual(
    epochs,
    epochs.toSorted((a, b) => a - b),
    `epochs of the events, after ${killed}`,
  );
}

async function joinedIsWhole(id: string, killed: readonly string[]): Promise<void> {
  const list = ['-xzOf', '-', '--wildcards', '*output/stdout.log'];
  await until(
    async () => {
      const { bytes } = await world.api.get(`/api/v1/job/${id}/logs.tar.gz`);
      return execFileSync('tar', list, { input: bytes, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
    },
    (text) => text === `${numbersTo(LINES).join('\n')}\n`,
    `the joined output to be that of one run, after ${killed}`,
  );
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
  // What a killed agent left is removed behind the event of the job's end.
  await until(
    async () => (await readdir(join(world.images, id))).filter((name) => name.startsWith('.tmp-')),
    (names) => names.length === 0,
    'no image to be half written or half removed',
  );
  for (const node of NODES) {
    const names = await readdir(join(world.data(node), 'jobs', id)).catch(() => []);
    assert.deepEqual(
      names.filter((name) => /^(dump|restore)/.test(name)),
      [],
    );
  }
  const folders = await readdir('/run/cairn-jobs').catch(() => []);
  assert.ok(!folders.some((name) => name === id || name.startsWith(`${id}.`)), 'the folder of its root process');
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
  trySignal(pid, 'SIGKILL');
}

/** False where it has ended. */
function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return pid > 0 && process.kill(pid, signal);
  } catch {
    return false;
  }
}
