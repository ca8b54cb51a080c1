/** `cairn run` in a process of its own, and what its job leaves, for tests from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

export interface RunOptions {
  readonly dataFolder: string;
  readonly args?: readonly string[];
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Of another installation than this tree's. */
  readonly program?: string;
}

export class JobRun {
  readonly exited: Promise<number | null>;
  output = '';
  errors = '';
  readonly #child: ChildProcess;

  constructor({ dataFolder, args = [], command, cwd, env = {}, program }: RunOptions) {
    const main = program ?? resolve('bundle/src/main.js');
    const child = spawn(process.execPath, [main, 'run', '--data-dir', dataFolder, ...args, '--', ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd,
      env: { PATH: process.env['PATH'] ?? '', ...env },
    });
    this.#child = child;
    this.exited = new Promise((done) => child.once('close', (code) => done(code)));
    child.stdout.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.errors += chunk.toString();
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
