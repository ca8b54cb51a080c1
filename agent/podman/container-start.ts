/** Starts and restores containers as copies of a job: the agent's side of `container-copy.ts`. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { tryText } from '../base/process-id.ts';
import { CKPT_FILES_TAR } from '../engine/dump.ts';
import type { JobSpec } from '../wire/job-spec.ts';
import { freezerOf, thaw } from './container-freeze.ts';
import { type ContainerPlan, envOf, FAULT, PLAN, runArgs, STARTED } from './container-plan.ts';
import { writeEngineConfig } from './engine-config.ts';
import { type Podman, podmanText } from './podman.ts';

const run = promisify(execFile);
const LOOK_MS = 50;
/** What `podman inspect` and `restore` must find in an archive. */
const CONFIG = 'config.dump';

interface Start {
  readonly podman: Podman;
  readonly copyFolder: string;
  readonly name: string;
  readonly spec: JobSpec;
  readonly output: { readonly stdout: string; readonly stderr: string };
}

/** What the shim is to run in place of the job's command. */
export function planRun(start: Start, volume: string | null): JobSpec {
  const { name, spec, copyFolder } = start;
  return plan(start, { run: runArgs(name, spec, join(copyFolder, 'container.log'), volume) }, envOf(spec));
}

/** `folder`: the unpacked archive of the image, as the store put it together. */
export async function planRestore(start: Start, folder: string, tcpClose: boolean): Promise<JobSpec> {
  const { podman } = start;
  const archive = `${folder}.tar`;
  await adaptConfig(podman, join(folder, CONFIG));
  const parts = ['*.tail', 'cairn-shim', CKPT_FILES_TAR].map((name) => `--exclude=./${name}`);
  const log = join(folder, 'restore.log');
  await writeEngineConfig(start.spec.id, { tcpClose, irmapScanPaths: [], log });
  await rm(archive, { force: true });
  await run('tar', ['-C', folder, ...parts, '-cf', archive, '.']);
  return plan(start, { archive }, {});
}

function plan(
  { podman, copyFolder, name, spec, output }: Start,
  start: ContainerPlan['start'],
  env: ContainerPlan['env'],
): JobSpec {
  mkdirSync(copyFolder, { recursive: true, mode: 0o750 });
  const begins = { stdout: sizeOf(output.stdout), stderr: sizeOf(output.stderr) };
  const text = JSON.stringify({ podman, name, start, env, begins } satisfies ContainerPlan);
  writeFileSync(join(copyFolder, PLAN), text, { mode: 0o600 });
  const script = join(dirname(fileURLToPath(import.meta.url)), 'container-copy.js');
  const own = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    ...spec,
    ...{ argv: [process.execPath, script, copyFolder], env: Object.fromEntries(own), cwd: '/' },
    ...{ uid: 0, gid: 0, groups: [], limits: [] },
  };
}

/** Resolves when the container runs (null), or with why it does not. `hasEnded`: the process beside it is gone. */
export async function containerStarted(copyFolder: string, hasEnded: () => boolean): Promise<string | null> {
  for (;;) {
    const isOver = hasEnded();
    if (existsSync(join(copyFolder, STARTED))) return null;
    const fault = tryText(join(copyFolder, FAULT)).trim();
    if (fault !== '') return fault;
    if (isOver) return 'the process beside the container is gone';
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** An image of the same name may have another id on this machine: whether it fits is seen by the engine. */
async function adaptConfig(podman: Podman, path: string): Promise<void> {
  const config = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  const [id, name] = [config['rootfsImageID'], config['rootfsImageName']];
  if (typeof id !== 'string' || typeof name !== 'string') return;
  const imageId = (image: string): Promise<string | null> =>
    podmanText(podman, ['image', 'inspect', '--format', '{{.Id}}', image]).catch(() => null);
  const here = (await imageId(id)) ?? (await imageId(name));
  if (here === null || here === id) return;
  await writeFile(path, JSON.stringify({ ...config, rootfsImageID: here }), { mode: 0o600 });
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** The process that the container's root is for the machine; null where it does not run. */
export async function containerPid(copyFolder: string): Promise<number | null> {
  const { podman, name } = JSON.parse(readFileSync(join(copyFolder, PLAN), 'utf8')) as ContainerPlan;
  const pid = Number(await podmanText(podman, ['inspect', '--format', '{{.State.Pid}}', name]).catch(() => '0'));
  return pid > 0 ? pid : null;
}

/** The agent that froze it is gone. */
export async function thawContainer(copyFolder: string): Promise<void> {
  const pid = await containerPid(copyFolder);
  const freezer = pid === null ? null : freezerOf(pid);
  if (freezer) thaw(freezer);
}
