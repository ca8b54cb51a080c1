/** One save of a running container: podman freezes, dumps and lets it go on; then its archive is unpacked for the image store. */
import { execFile, spawn } from 'node:child_process';
import { createReadStream, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ProcessId, processIdOf } from '../base/process-id.ts';
import { type DumpResult, frozenMsIn, writableFiles } from '../engine/dump.ts';
import { bytesBy, ContainerLog, type StreamName } from './container-log.ts';
import { readPlan, STARTED } from './container-plan.ts';
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
  /** Files that the job has open for writing below these are cut back to their length in the image. */
  readonly ours: readonly string[];
  readonly onEngine: (engine: ProcessId) => void;
}

const CHUNK_BYTES = 1_048_576;
const SAVE_MS_MAX = 600_000;

export async function saveContainer(request: ContainerSaveRequest): Promise<DumpResult> {
  const { copyFolder, folder } = request;
  const { podman, name, begins } = readPlan(copyFolder);
  const { log } = JSON.parse(readFileSync(join(copyFolder, STARTED), 'utf8')) as { readonly log: string };
  const archive = `${folder}.tar`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await rm(archive, { force: true });
  const sinceMs = performance.now();
  const args = ['container', 'checkpoint', '--leave-running', '--export', archive, '--compress', 'none'];
  const { code, signal, text } = await checkpoint(
    podman.path,
    [
      ...podman.options,
      ...args,
      ...(request.rootFSDiff ? [] : ['--ignore-rootfs']),
      ...(request.tcpClose ? ['--tcp-established'] : []),
      name,
    ],
    podman.path_,
    request.onEngine,
  );
  if (code !== 0) {
    const reason = signal ? `podman was killed by ${signal}` : podmanReason(text);
    return { ok: false, wasKilled: signal !== null, reason };
  }
  const dumpMs = performance.now() - sinceMs;
  // While the container was frozen this was the last file; what its monitor had of its output by then is in the image.
  const staticFolder = await podmanText(podman, ['inspect', '--format', '{{.StaticDir}}', name]);
  const frozenAtMs = statSync(join(staticFolder, 'checkpoint', 'inventory.img')).mtimeMs;
  await run('tar', ['-C', folder, '-xf', archive]);
  await rm(archive, { force: true });
  const bytes = await bytesOfLog(log, frozenAtMs);
  const files = writableFiles(tryBytes(join(folder, 'checkpoint', 'files.img')), new Map(), []);
  return {
    ok: true,
    frozenMs: frozenMsIn(tryBytes(join(folder, 'stats-dump'))) ?? dumpMs,
    dumpMs,
    stdoutBytes: begins.stdout + bytes.stdout,
    stderrBytes: begins.stderr + bytes.stderr,
    openFiles: files.filter(({ path }) => request.ours.some((place) => path.startsWith(`${place}/`))),
  };
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
