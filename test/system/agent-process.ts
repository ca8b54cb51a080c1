/** A real agent in a process of its own, with a data folder of its own, for tests from outside. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface AgentOptions {
  readonly server: string;
  readonly dataFolder: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** In front of the agent's own command. */
  readonly launcher?: readonly string[];
  /** Of another installation than this tree's. */
  readonly program?: string;
}

const WAIT_MS = 20_000;

export class AgentProcess {
  readonly exited: Promise<number | null>;
  /** Standard output. */
  output = '';
  /** Standard error: the agent's log. */
  log = '';
  readonly #child: ChildProcess;
  #onLog: () => void = () => {};

  /** Without instance metadata, unless the environment says where they are: the test machine may have some. */
  constructor({ server, dataFolder, args = [], env = {}, launcher = [], program }: AgentOptions) {
    const options = ['--server', server, '--data-dir', dataFolder, '--log-level', 'debug', ...args];
    const main = program ?? 'bundle/src/main.js';
    const [first, ...all] = [...launcher, process.execPath, main, 'agent', ...options];
    const child = spawn(first as string, all, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', CAIRN_IMDS_URL: 'off', ...env },
    });
    this.#child = child;
    this.exited = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    child.stdout.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.log += chunk.toString();
      this.#onLog();
    });
  }

  /** Resolves at once when the log, from now on, matches. */
  nextLog(pattern: RegExp): Promise<void> {
    const from = this.log.length;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`waited for ${pattern} in the agent's log: ${this.log}`)),
        WAIT_MS,
      );
      this.#onLog = () => {
        if (!pattern.test(this.log.slice(from))) return;
        clearTimeout(timer);
        this.#onLog = () => {};
        resolve();
      };
    });
  }

  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.exited;
  }
}
