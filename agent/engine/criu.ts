/**
 * The engine CRIU: finds it, asks what it can do here, and makes its command lines. What must not be left to defaults is
 * said explicitly. Only exit codes tell success: a log of CRIU has the word Error in it when all is well.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { STDERR_FD, STDOUT_FD } from './descriptors.ts';

const run = promisify(execFile);

/** Kernels from 6.13 on are not understood by older ones. */
const VERSION_MIN = [4, 1] as const;
const CHECK_MS = 20_000;
/** CRIU gives up on a process that cannot be frozen for so long, in seconds. */
export const FREEZE_SECONDS = 10;
/** Deleted files that the job still has open are in the image up to this size. */
export const GHOST_BYTES_MAX = 1_048_576;

export interface CriuEngine {
  readonly path: string;
  readonly version: string;
  /** The kernel tells which pages were written, so that memory can be saved in rounds. */
  readonly memoryTracking: boolean;
}

export type FoundCriu = { readonly engine: CriuEngine } | { readonly fault: string; readonly version: string | null };

export async function findCriu(env: Readonly<Record<string, string | undefined>>): Promise<FoundCriu> {
  const path = env['CAIRN_CRIU'] || onPath('criu', env['PATH'] ?? '');
  if (path === null) return { fault: 'CRIU is not installed: install criu 4.1 or later', version: null };
  const version = await versionOf(path);
  if (version === null) return { fault: `${path} does not run: install criu 4.1 or later`, version: null };
  if (!isNewEnough(version)) return { fault: `${path} is version ${version}: install criu 4.1 or later`, version };
  if (process.getuid?.() !== 0)
    return { fault: 'the agent does not run as root, which CRIU needs: run it as root', version };
  const check = await run(path, ['check'], { timeout: CHECK_MS }).then(
    () => null,
    (error: { stderr?: string; stdout?: string }) => lastLine(`${error.stdout ?? ''}\n${error.stderr ?? ''}`),
  );
  if (check !== null) return { fault: `criu check fails: ${check}`, version };
  const memoryTracking = await run(path, ['check', '--feature', 'mem_dirty_track'], { timeout: CHECK_MS }).then(
    () => true,
    () => false,
  );
  return { engine: { path, version, memoryTracking } };
}

export interface DumpOptions {
  readonly pid: number;
  readonly folder: string;
  readonly tcpClose: boolean;
  readonly irmapScanPaths: readonly string[];
  /** Run while the job is frozen. */
  readonly script: string;
}

export function dumpArgs({ pid, folder, tcpClose, irmapScanPaths, script }: DumpOptions): string[] {
  return [
    ...['dump', '--tree', String(pid), '--images-dir', folder, '--log-file', 'dump.log', '-v2'],
    '--leave-running',
    ...common(tcpClose),
    ...['--ghost-limit', String(GHOST_BYTES_MAX), '--timeout', String(FREEZE_SECONDS)],
    ...['--action-script', script],
    ...irmapScanPaths.flatMap((path) => ['--irmap-scan-path', path]),
  ];
}

export interface RestoreOptions {
  readonly folder: string;
  readonly pidFile: string;
  readonly tcpClose: boolean;
  /** Paths that the copy had its output open by. */
  readonly stdout: string;
  readonly stderr: string;
}

/** For the shim, which has the new output files open by fixed numbers. */
export function restoreArgs({ folder, pidFile, tcpClose, stdout, stderr }: RestoreOptions): string[] {
  // CRIU knows paths without their first slash.
  const inherit = (fd: number, path: string): string[] => ['--inherit-fd', `fd[${fd}]:${path.replace(/^\//, '')}`];
  return [
    ...['restore', '--restore-detached', '--restore-sibling'],
    ...['--images-dir', folder, '--log-file', 'restore.log', '-v2', '--pidfile', pidFile],
    ...common(tcpClose),
    ...inherit(STDOUT_FD, stdout),
    ...inherit(STDERR_FD, stderr),
  ];
}

function common(tcpClose: boolean): string[] {
  return [
    '--file-locks',
    '--link-remap',
    // The default would put a restored copy into the cgroup of the dead one.
    '--manage-cgroups=ignore',
    // Connections end with the image, so there is nothing to hold back meanwhile.
    ...(tcpClose ? ['--tcp-close', '--network-lock', 'skip'] : []),
  ];
}

/** What a log of CRIU says of a failure, for people: its first line with the word Error, else `fallback`. */
export function reasonIn(log: string, fallback = 'no reason in its log'): string {
  const errors = log.split('\n').filter((line) => /\bError\b/.test(line) && !/RLIMIT_NOFILE/.test(line));
  const texts = errors.map((line) =>
    line
      .replace(/^\([\d.]+\)\s*/, '')
      .replace(/^\s*\d+:\s*/, '')
      .replace(/^Error \([^)]*\): /, ''),
  );
  // The first one is the cause; the ones behind it are what follows from it.
  return (texts[0] ?? fallback).slice(0, 300);
}

async function versionOf(path: string): Promise<string | null> {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: CHECK_MS });
    return /Version:\s*(\S+)/.exec(stdout)?.[1] ?? null;
  } catch (error) {
    // Old ones fail on new kernels even here, and say their version all the same.
    return /Version:\s*(\S+)/.exec((error as { stdout?: string }).stdout ?? '')?.[1] ?? null;
  }
}

export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1]);
}

function onPath(name: string, path: string): string | null {
  for (const folder of [...path.split(delimiter), '/usr/sbin', '/sbin', '/usr/local/sbin']) {
    try {
      if (folder === '') continue;
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this one.
    }
  }
  return null;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}
