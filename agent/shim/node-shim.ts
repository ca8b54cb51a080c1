/**
 * The shim where there is neither a compiled one nor a compiler: the same options and files as `shim.c`, without a PID
 * namespace, supplementary groups and limits, and so without checkpoints. Run as a program of its own.
 */
import { spawn } from 'node:child_process';
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { processIdOf } from '../base/process-id.ts';

const ERRNOS: Readonly<Record<string, number>> = { ENOENT: 2, EACCES: 13, ENOEXEC: 8, E2BIG: 7 };

interface ShimOptions {
  readonly dir: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly cwd: string;
  readonly umask: string;
  readonly uid: string | undefined;
  readonly gid: string | undefined;
  readonly command: readonly string[];
}

function optionsOf(args: readonly string[]): ShimOptions {
  const end = args.indexOf('--');
  const optionOf = (name: string): string | undefined => {
    const at = args.indexOf(`--${name}`);
    return at < 0 || at > end ? undefined : args[at + 1];
  };
  const [dir, stdout, stderr] = [optionOf('dir'), optionOf('stdout'), optionOf('stderr')];
  if (end < 0 || end + 1 >= args.length || !dir || !stdout || !stderr) process.exit(2);
  const command = args.slice(end + 1);
  const [cwd, umask] = [optionOf('cwd') ?? '/', optionOf('umask') ?? '022'];
  return { dir, stdout, stderr, cwd, umask, uid: optionOf('uid'), gid: optionOf('gid'), command };
}

/** Either the old or the new text after a crash, never half of one. */
function keep(dir: string, name: string, text: string): void {
  const path = join(dir, name);
  const fd = openSync(`${path}.new`, 'w', 0o600);
  writeSync(fd, text);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(`${path}.new`, path);
}

function keepProcess(dir: string, name: string, pid: number): void {
  keep(dir, name, `${pid} ${processIdOf(pid)?.start ?? '0'}\n`);
}

function main({ dir, stdout, stderr, cwd, umask, uid, gid, command }: ShimOptions): void {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGQUIT'] as const) process.on(signal, () => {});
  keepProcess(dir, 'shim', process.pid);
  process.umask(Number.parseInt(umask, 8));
  const [out, err] = [openSync(stdout, 'a', 0o640), openSync(stderr, 'a', 0o640)];
  const [program = '', ...rest] = command;
  const identity = {
    ...(uid === undefined ? {} : { uid: Number(uid) }),
    ...(gid === undefined ? {} : { gid: Number(gid) }),
  };
  const child = spawn(program, rest, { cwd, stdio: ['ignore', out, err], detached: true, ...identity });
  child.on('error', (error: NodeJS.ErrnoException) => {
    keep(dir, 'exit', `unstartable exec ${ERRNOS[error.code ?? ''] ?? 1}\n`);
    process.exit(0);
  });
  child.on('spawn', () => keepProcess(dir, 'started', child.pid as number));
  child.on('exit', (code, signal) => {
    try {
      // What the command left behind belongs to the job, and ends with it.
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // It left nothing.
    }
    keep(dir, 'exit', signal === null ? `code ${code}\n` : `signal ${constants.signals[signal]}\n`);
    process.exit(0);
  });
}

main(optionsOf(process.argv.slice(2)));
