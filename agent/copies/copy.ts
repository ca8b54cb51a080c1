/**
 * One copy of a job: the shim that is started for it, and the files by which the shim tells how it goes. Everything is
 * read from disk, so that the agent that started a copy and the one that adopts it do the same.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, type FSWatcher, mkdirSync, openSync, renameSync, watch } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessId, treeOf, tryProcessId, trySignal, tryText } from '../base/process-id.ts';
import type { JobSpec } from '../wire/job-spec.ts';
import type { Shim } from './shim-program.ts';

export type CopyEnd =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: number }
  /** The command could not be started at all. */
  | { readonly kind: 'unstartable'; readonly step: string; readonly errno: number }
  /** The engine could not restore it. */
  | { readonly kind: 'unrestorable'; readonly code: number }
  /** The shim is gone and has left no word. */
  | { readonly kind: 'lost' };

export interface OutputPaths {
  readonly stdout: string;
  readonly stderr: string;
}

/** The shim's files are flushed before they are there, so a look now and then finds what the watcher misses. */
const LOOK_EVERY_MS = 500;
/** From `spawn` to the shim's first file takes milliseconds; a machine that is thrashing gets this long. */
const SHIM_START_MS = 20_000;

export class Copy {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Starts the command in a copy of its own; in a PID namespace whose init has this folder, where there is one. */
  static run(folder: string, shim: Shim, spec: JobSpec, output: OutputPaths, initCwd: string | null): Copy {
    const limits = spec.limits.flatMap(({ resource, soft, hard }) => ['--limit', `${resource}:${soft}:${hard}`]);
    const isRoot = process.getuid?.() === 0;
    const identity = ['--uid', String(spec.uid), '--gid', String(spec.gid), '--groups', spec.groups.join(',')];
    return Copy.#start(
      folder,
      shim,
      [
        ...['run', '--dir', folder, '--stdout', output.stdout, '--stderr', output.stderr],
        ...['--cwd', spec.cwd, '--umask', spec.umask.toString(8)],
        ...(isRoot ? identity : []),
        ...limits,
        ...(initCwd === null ? [] : ['--pid-namespace', '--init-cwd', initCwd]),
        ...['--', ...spec.argv],
      ],
      spec.env,
    );
  }

  /** Has the engine restore a copy: `engine` is its command line, `image` the folder with its files. */
  static restore(folder: string, shim: Shim, engine: readonly string[], image: string, output: OutputPaths): Copy {
    const paths = ['--stdout', output.stdout, '--stderr', output.stderr, '--pidfile', join(folder, 'pid')];
    const resume = shim.hold === null ? [] : ['--hold', shim.hold, '--image', image];
    return Copy.#start(folder, shim, ['restore', '--dir', folder, ...paths, ...resume, '--', ...engine], {
      PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin',
    });
  }

  static #start(folder: string, shim: Shim, args: readonly string[], env: Readonly<Record<string, string>>): Copy {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    const log = openSync(join(folder, 'shim.log'), 'a', 0o640);
    try {
      // Detached: a signal for the agent's process group is not for the job.
      const [program, ...prefix] = launcherOf(shim, process.env['CAIRN_JOB_SLICE'], env);
      const child = spawn(program as string, [...prefix, ...args], {
        detached: true,
        stdio: ['ignore', log, log],
        env,
        cwd: '/',
      });
      child.on('error', () => {});
      child.unref();
    } finally {
      closeSync(log);
    }
    return new Copy(folder);
  }

  get shim(): ProcessId | null {
    return tryProcessId(tryText(join(this.folder, 'shim')));
  }

  /** Of the running copy, the root of its processes. */
  get init(): ProcessId | null {
    return tryProcessId(tryText(join(this.folder, 'started')));
  }

  get log(): string {
    return tryText(join(this.folder, 'shim.log'));
  }

  /** Null while it runs, or may still. */
  end(): CopyEnd | null {
    const told = tryEnd(tryText(join(this.folder, 'exit')));
    if (told) return told;
    const { shim } = this;
    if (shim && isAlive(shim)) return null;
    // It may have ended between the two looks, and then it has left its word.
    return shim ? (tryEnd(tryText(join(this.folder, 'exit'))) ?? { kind: 'lost' }) : null;
  }

  /** Resolves when the command runs, or with how that failed. */
  async started(): Promise<CopyEnd | null> {
    const sinceMs = Date.now();
    return this.#when(() => {
      if (existsSync(join(this.folder, 'started'))) return { value: this.end() };
      const end = this.end();
      if (end) return { value: end };
      const isLate = !this.shim && Date.now() - sinceMs > SHIM_START_MS;
      return isLate ? { value: { kind: 'lost' } } : null;
    });
  }

  /** Resolves with how it ended. */
  ended(): Promise<CopyEnd> {
    return this.#when(() => {
      const end = this.end();
      return end && { value: end };
    });
  }

  /** To the root, which passes it on to the command's process group. */
  signal(signal: NodeJS.Signals): boolean {
    const { init } = this;
    return init !== null && trySignal(init, signal);
  }

  /** None of its processes executes another instruction; what follows is its end. */
  freeze(): void {
    const { init } = this;
    if (!init || !isAlive(init)) return;
    for (const pid of treeOf(init.pid)) tryKill(pid, 'SIGSTOP');
  }

  /** Ends all of its processes; with their root gone the kernel ends the rest of the namespace. */
  kill(): void {
    const { init, shim } = this;
    const below = init && isAlive(init) ? treeOf(init.pid) : [];
    if (init) trySignal(init, 'SIGKILL');
    for (const pid of below.slice(1)) tryKill(pid, 'SIGKILL');
    if (!init && shim) trySignal(shim, 'SIGKILL');
  }

  /** Makes sure that a copy whose shim has not shown itself never starts: without its folder it cannot. */
  retire(): void {
    try {
      renameSync(this.folder, `${this.folder}.retired-${Date.now()}`);
    } catch {
      // There never was one.
    }
  }

  #when<T>(look: () => { readonly value: T } | null): Promise<T> {
    return new Promise((resolve) => {
      let watcher: FSWatcher | null = null;
      const check = (): boolean => {
        const found = look();
        if (!found) return false;
        clearInterval(timer);
        watcher?.close();
        resolve(found.value);
        return true;
      };
      const timer = setInterval(check, LOOK_EVERY_MS);
      if (check()) return;
      try {
        watcher = watch(this.folder, check);
        watcher.on('error', () => watcher?.close());
        // A file may have come between the first look and the watch.
        check();
      } catch {
        // Without inotify (its limit may be reached) the timer finds it.
      }
    });
  }
}

/**
 * Under systemd each copy gets a scope of its own outside the agent's unit: what stops, limits or kills that unit does not
 * touch the copy. A scope is entered by the calling process, which then becomes the shim; a copy that CRIU restores stays in it.
 */
export function launcherOf(
  shim: Shim,
  slice: string | undefined,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  if (slice === undefined || slice === '') return [shim.program, ...shim.prefix];
  const run = ['/usr/bin/systemd-run', '--quiet', '--scope', '--collect', `--slice=${slice}`];
  // systemd-run adds a variable of its own, and a job has the environment of its caller.
  const own = env['INVOCATION_ID'];
  const restored = own === undefined ? ['-u', 'INVOCATION_ID'] : [`INVOCATION_ID=${own}`];
  const description = '--description=Job of the Cairn agent';
  return [...run, description, '--', '/usr/bin/env', ...restored, shim.program, ...shim.prefix];
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone with its root.
  }
}

export function tryEnd(text: string): CopyEnd | null {
  const [word, first = '', second = ''] = text.trim().split(' ');
  switch (word) {
    case 'code':
      return { kind: 'code', code: Number(first) };
    case 'signal':
      return { kind: 'signal', signal: Number(first) };
    case 'unstartable':
      return { kind: 'unstartable', step: first, errno: Number(second) };
    case 'unrestorable':
      return { kind: 'unrestorable', code: Number(first) };
    case 'lost':
      return { kind: 'lost' };
    default:
      return null;
  }
}
