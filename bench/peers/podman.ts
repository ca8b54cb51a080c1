/**
 * The peer of checkpoints: podman by itself. `podman container checkpoint --export` and `restore --import` of the same
 * program in a container, with storage of its own and the same CRIU. Its archive is not compressed: that is its fastest.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { median } from '../harness/table.ts';
import { childCpuSeconds } from '../load/process-cpu.ts';

const IMAGE = 'localhost/cairn-bench:1';
const COMMAND_MS = 180_000;
const LIMITS = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];
/** Of Python's library, what a program that only computes leaves out. */
const LEFT_OUT = /\/(test|tests|idlelib|tkinter|ensurepip|lib2to3|dist-packages|config-[^/]*)$/;

export interface PodmanFigures {
  /** As CRIU reports it, median and worst. */
  readonly pausedMs: number;
  readonly worstPausedMs: number;
  /** Until the archive is there, median. */
  readonly allMs: number;
  /** User and system time of podman, runc and CRIU for each of them. */
  readonly cpuSeconds: number;
  readonly archiveMiB: number;
  readonly restoreMs: number;
}

export class Podman {
  readonly #folder: string;
  readonly #options: readonly string[];
  readonly #path: string;

  private constructor(folder: string, runc: string) {
    this.#folder = folder;
    this.#path = [join(folder, 'bin'), process.env['PATH'] ?? '', '/usr/sbin', '/sbin'].join(delimiter);
    this.#options = [
      ...['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--runtime', runc],
      ...(existsSync('/run/systemd/system') ? [] : ['--cgroup-manager', 'cgroupfs']),
    ];
  }

  /** A sentence where it cannot be measured here. `folder` is emptied by `stop`. */
  static async start(folder: string, criu: string): Promise<Podman | string> {
    const runc = ['/usr/sbin/runc', '/usr/bin/runc'].find((path) => existsSync(path));
    if (runc === undefined || spawnSync('podman', ['--version']).status !== 0)
      return 'podman and runc are not installed';
    const podman = new Podman(folder, runc);
    await mkdir(join(folder, 'bin'), { recursive: true });
    symlinkSync(criu, join(folder, 'bin', 'criu'));
    try {
      await podman.#makeImage();
      return podman;
    } catch (error) {
      podman.stop();
      return `podman does not take an image here: ${(error as Error).message.slice(0, 200)}`;
    }
  }

  /** `program` says `ready` when it has its memory. */
  measure(program: string, mib: number, saves: number): PodmanFigures {
    const name = `alone-${mib}`;
    const archive = join(this.#folder, `${name}.tar`);
    const command = ['/usr/bin/python3', '-c', program, String(mib)];
    this.#run([
      'run',
      '--detach',
      '--name',
      name,
      '--network',
      'host',
      '--log-driver',
      'k8s-file',
      ...LIMITS,
      IMAGE,
      ...command,
    ]);
    this.#untilReady(name);
    const taken = Array.from({ length: saves }, () => this.#save(name, archive));
    this.#run(['rm', '--force', '--time', '0', name]);
    const sinceMs = performance.now();
    this.#run(['container', 'restore', '--import', archive, '--name', `${name}-again`]);
    const restoreMs = performance.now() - sinceMs;
    this.#run(['rm', '--force', '--time', '0', `${name}-again`]);
    const archiveMiB = statSync(archive).size / 1_048_576;
    rmSync(archive);
    return {
      pausedMs: median(taken.map(({ pausedMs }) => pausedMs)),
      worstPausedMs: Math.max(...taken.map(({ pausedMs }) => pausedMs)),
      allMs: median(taken.map(({ allMs }) => allMs)),
      cpuSeconds: median(taken.map(({ cpu }) => cpu)),
      archiveMiB,
      restoreMs,
    };
  }

  stop(): void {
    spawnSync('podman', [...this.#options, 'rm', '--all', '--force', '--time', '0'], { timeout: COMMAND_MS });
    // What podman keeps mounted for its storage.
    spawnSync('umount', [join(this.#folder, 'root', 'overlay')], { timeout: COMMAND_MS });
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #save(name: string, archive: string): { readonly pausedMs: number; readonly allMs: number; readonly cpu: number } {
    rmSync(archive, { force: true });
    const cpuFrom = childCpuSeconds();
    const sinceMs = performance.now();
    const options = ['--leave-running', '--compress', 'none', '--print-stats', '--export', archive];
    const text = this.#run(['container', 'checkpoint', ...options, name]);
    const allMs = performance.now() - sinceMs;
    const frozen = /"frozen_time":\s*(\d+)/.exec(text)?.[1];
    if (frozen === undefined) throw new Error(`podman says nothing of the pause: ${text.slice(0, 300)}`);
    return { pausedMs: Number(frozen) / 1_000, allMs, cpu: childCpuSeconds() - cpuFrom };
  }

  #untilReady(name: string): void {
    const sinceMs = performance.now();
    while (!this.#run(['logs', name]).includes('ready'))
      if (performance.now() - sinceMs > COMMAND_MS) throw new Error('waited for the job in the container');
  }

  /** Python of this machine with its library: nothing is fetched. */
  async #makeImage(): Promise<void> {
    const ask = 'import os, sys, sysconfig; print(os.path.realpath(sys.executable), sysconfig.get_path("stdlib"))';
    const [python = '', library = ''] = textOf('/usr/bin/python3', ['-c', ask]).trim().split(' ');
    const files = join(this.#folder, 'image');
    for (const path of ['tmp', 'proc', 'sys', 'dev', 'etc']) await mkdir(join(files, path), { recursive: true });
    const linked = textOf('ldd', [python]).match(/\/[^ \n]+/g) ?? [];
    for (const path of linked) await cp(path, join(files, path), { dereference: true });
    await cp(python, join(files, '/usr/bin/python3'), { dereference: true });
    const filter = (path: string): boolean => !LEFT_OUT.test(path);
    await cp(library, join(files, library), { recursive: true, dereference: true, filter });
    const archive = `${files}.tar`;
    execFileSync('tar', ['-C', files, '-cf', archive, '.'], { timeout: COMMAND_MS });
    this.#run(['import', archive, IMAGE]);
    rmSync(archive);
    rmSync(files, { recursive: true });
  }

  /** Standard output. Throws with what podman says. */
  #run(args: readonly string[]): string {
    const options = { encoding: 'utf8', timeout: COMMAND_MS, env: { ...process.env, PATH: this.#path } } as const;
    const { status, stdout, stderr } = spawnSync('podman', [...this.#options, ...args], options);
    if (status === 0) return stdout;
    throw new Error(`podman ${args.slice(0, 2).join(' ')}: ${(stderr ?? '').trim().split('\n').at(-1)}`);
  }
}

function textOf(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', timeout: COMMAND_MS });
}
