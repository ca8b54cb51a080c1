/**
 * The process beside a container: started by the shim as if it were the job, so that the container's output, signals and
 * end are the job's. Starts or restores the container, copies its log to its own output, and ends as the container does.
 * Run as a program of its own: `container-copy.js <folder of the copy>`.
 */
import { execFile, spawn } from 'node:child_process';
import { fsyncSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomically } from '../base/atomic-file.ts';
import { ContainerLog } from './container-log.ts';
import { type ContainerPlan, FAULT, readPlan, STARTED } from './container-plan.ts';
import { type Podman, podmanText } from './podman.ts';

/** podman's own codes for what could not be started: of its own, not executable, not found. */
const PODMAN_FAULT = 125;
const NOT_FOUND = 127;
const LOOK_MS = 100;
/** Pulling an image takes as long as it takes; a restore of 4 GiB some ten seconds. */
const START_MS = 1_800_000;
const CHUNK_BYTES = 65_536;
const PASSED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

async function main(folder: string): Promise<number> {
  const plan = readPlan(folder);
  const { podman, name } = plan;
  for (const signal of PASSED)
    process.on(signal, () => execFile(podman.path, [...podman.options, 'kill', '--signal', signal, name], () => {}));
  try {
    await podmanText(podman, startArgs(plan), START_MS, plan.env);
  } catch (error) {
    const text = (error as Error).message;
    await writeFileAtomically(join(folder, FAULT), `${text}\n`, { durable: true });
    return /executable file .* not found|no such file or directory.*OCI runtime attempted/.test(text)
      ? NOT_FOUND
      : PODMAN_FAULT;
  }
  const log = await podmanText(podman, ['inspect', '--format', '{{.HostConfig.LogConfig.Path}}', name]);
  await writeFileAtomically(join(folder, STARTED), `${JSON.stringify({ log })}\n`, { durable: true });
  const ended = exitOf(podman, name);
  let code: number | null = null;
  void ended.then((known) => {
    code = known;
  });
  await follow(log, () => code !== null);
  return ended;
}

function startArgs({ name, start }: ContainerPlan): string[] {
  if ('run' in start) return [...start.run];
  return ['container', 'restore', '--import', start.archive, '--name', name];
}

/** By a client of its own, which waits on the container's monitor. Asked again where that client is killed. */
async function exitOf(podman: Podman, name: string): Promise<number> {
  for (;;) {
    const text = await new Promise<string>((resolve) => {
      const env = { ...process.env, PATH: podman.path_ };
      const child = spawn(podman.path, [...podman.options, 'wait', name], { stdio: ['ignore', 'pipe', 'ignore'], env });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString('latin1');
      });
      child.on('error', () => resolve(''));
      child.on('close', () => resolve(output.trim()));
    });
    if (/^\d+$/.test(text)) return Number(text);
    const exists = await podmanText(podman, ['container', 'exists', name]).then(
      () => true,
      () => false,
    );
    if (!exists) return 128 + constants.signals.SIGKILL;
    await pause();
  }
}

/** Copies what the container wrote until it has ended and nothing more comes. */
async function follow(path: string, hasEnded: () => boolean): Promise<void> {
  const entries = new ContainerLog();
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let at = 0;
  for (;;) {
    // Looked at before the log: what was written before the end is then there.
    const isOver = hasEnded();
    const file = await open(path, 'r').catch(() => null);
    let isMore = false;
    if (file) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, at).finally(() => file.close());
      at += bytesRead;
      isMore = bytesRead > 0;
      for (const { stream, bytes } of entries.push(buffer.subarray(0, bytesRead)))
        writeAll(stream === 'stdout' ? 1 : 2, bytes);
    }
    if (isMore) continue;
    if (isOver) break;
    await pause();
  }
  for (const fd of [1, 2]) fsyncSync(fd);
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.byteLength; ) at += writeSync(fd, bytes, at);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

void main(process.argv[2] ?? '.').then((code) => process.exit(code));
