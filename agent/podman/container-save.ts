/** One save of a running container: podman freezes, dumps and lets it go on; then its archive is unpacked for the image store. */
import { execFile, spawn } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ProcessId, processIdOf, tryText } from '../base/process-id.ts';
import { reasonIn } from '../engine/criu.ts';
import { CKPT_FILES_TAR, type DumpResult, frozenMsIn, writableFiles } from '../engine/dump.ts';
import { freeze, freezerOf, thaw } from './container-freeze.ts';
import { bytesBy, ContainerLog, type StreamName } from './container-log.ts';
import { readPlan, STARTED } from './container-plan.ts';
import { writeEngineConfig } from './engine-config.ts';
import { podmanReason, podmanText } from './podman.ts';

const run = promisify(execFile);

export interface ContainerSaveRequest {
  /** Of the copy: what was started, and where its log is. */
  readonly copyFolder: string;
  /** Takes the unpacked archive; emptied first. */
  readonly folder: string;
  readonly tcpClose: boolean;
  /** The image holds the container's changed files. */
  readonly rootFSDiff: boolean;
  readonly jobId: string;
  /** The container's root process. */
  readonly pid: number;
  readonly irmapScanPaths: readonly string[];
  /** Files and folders that are copied with the image while the container is frozen. */
  readonly ckptFiles: readonly string[];
  /** Files that the job has open for writing below these are cut back to their length in the image. */
  readonly ours: readonly string[];
  readonly onEngine: (engine: ProcessId) => void;
}

const CHUNK_BYTES = 1_048_576;
const SAVE_MS_MAX = 600_000;

export async function saveContainer(request: ContainerSaveRequest): Promise<DumpResult> {
  const { copyFolder, folder } = request;
  const { begins } = readPlan(copyFolder);
  const { log } = JSON.parse(readFileSync(join(copyFolder, STARTED), 'utf8')) as { readonly log: string };
  const archive = `${folder}.tar`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await rm(archive, { force: true });
  const engineLog = join(folder, 'dump.log');
  await writeEngineConfig(request.jobId, { ...request, log: engineLog });
  const sinceMs = performance.now();
  // podman collects changed files after CRIU has let the container go on: they would be newer than its memory.
  const isHeld = request.rootFSDiff || request.ckptFiles.length > 0;
  const made = isHeld
    ? await whileFrozen(request.pid, () => makeArchive(request, archive, log, true))
    : await makeArchive(request, archive, log, false);
  if ('reason' in made) return { ok: false, ...made };
  const dumpMs = performance.now() - sinceMs;
  await run('tar', ['-C', folder, '-xf', archive]);
  await rm(archive, { force: true });
  await rm(engineLog, { force: true });
  const files = writableFiles(tryBytes(join(folder, 'checkpoint', 'files.img')), new Map(), []);
  return {
    ok: true,
    frozenMs: isHeld ? made.tookMs : (frozenMsIn(tryBytes(join(folder, 'stats-dump'))) ?? dumpMs),
    dumpMs,
    stdoutBytes: begins.stdout + made.bytes.stdout,
    stderrBytes: begins.stderr + made.bytes.stderr,
    openFiles: files.filter(({ path }) => request.ours.some((place) => path.startsWith(`${place}/`))),
  };
}

type Made =
  | { readonly bytes: Readonly<Record<StreamName, number>>; readonly tookMs: number }
  | { readonly wasKilled: boolean; readonly reason: string };

async function whileFrozen(pid: number, make: () => Promise<Made>): Promise<Made> {
  const freezer = freezerOf(pid);
  if (freezer === null) return { wasKilled: false, reason: 'the container is in no cgroup that can be frozen' };
  try {
    await freeze(freezer);
    return await make();
  } catch (error) {
    return { wasKilled: false, reason: (error as Error).message };
  } finally {
    thaw(freezer);
  }
}

/** `isHeld`: the container is frozen before and after. */
async function makeArchive(
  request: ContainerSaveRequest,
  archive: string,
  log: string,
  isHeld: boolean,
): Promise<Made> {
  const { podman, name } = readPlan(request.copyFolder);
  const sinceMs = performance.now();
  const files = request.ckptFiles.filter((path) => existsSync(path)).map((path) => path.slice(1));
  if (files.length > 0) await run('tar', ['-C', '/', '-cf', join(request.folder, CKPT_FILES_TAR), '--', ...files]);
  const args = ['container', 'checkpoint', '--leave-running', '--export', archive, '--compress', 'none'];
  const { code, signal, text } = await checkpoint(
    podman.path,
    [...podman.options, ...args, ...(request.rootFSDiff ? [] : ['--ignore-rootfs']), name],
    podman.path_,
    request.onEngine,
  );
  if (code !== 0) {
    const told = reasonIn(tryText(join(request.folder, 'dump.log')), podmanReason(text));
    return { wasKilled: signal !== null, reason: signal ? `podman was killed by ${signal}` : told };
  }
  // While the container was frozen this was the last file; what its monitor had of its output by then is in the image.
  const staticFolder = await podmanText(podman, ['inspect', '--format', '{{.StaticDir}}', name]);
  const frozenAtMs = statSync(join(staticFolder, 'checkpoint', 'inventory.img')).mtimeMs;
  const bytes = await bytesOfLog(log, isHeld ? Number.POSITIVE_INFINITY : frozenAtMs);
  return { bytes, tookMs: performance.now() - sinceMs };
}

/** Detached: what ends the agent must not cut it off in the middle. */
function checkpoint(
  program: string,
  args: readonly string[],
  path: string,
  onEngine: ContainerSaveRequest['onEngine'],
): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly text: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: path };
    const child = spawn(program, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', env });
    const timer = setTimeout(() => child.kill('SIGTERM'), SAVE_MS_MAX);
    const id = child.pid === undefined ? null : processIdOf(child.pid);
    if (id) onEngine(id);
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-CHUNK_BYTES);
    });
    const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
      clearTimeout(timer);
      resolve({ code, signal, text });
    };
    child.on('error', () => finish(1, null));
    child.on('close', finish);
  });
}

async function bytesOfLog(path: string, untilMs: number): Promise<Record<StreamName, number>> {
  const log = new ContainerLog();
  const sum = { stdout: 0, stderr: 0 };
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const { stdout, stderr } = bytesBy(log.push(chunk as Buffer), untilMs);
    sum.stdout += stdout;
    sum.stderr += stderr;
  }
  return sum;
}

function tryBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
