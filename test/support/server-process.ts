/** A real server in a process of its own, on a free port and in folders of its own, for tests from outside. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ServerFolders {
  readonly data: string;
  readonly log: string;
}

export interface StartOptions {
  readonly folders?: ServerFolders;
  readonly addr?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A program of the test's own that serves as Cairn does. */
  readonly program?: string;
  /** A command that becomes the server: `ip netns exec NAME`, say. */
  readonly within?: readonly string[];
  /** Gets the process while it starts. */
  readonly onSpawn?: (pid: number) => void;
}

const START_MS = 60_000;

export class ServerProcess {
  readonly folders: ServerFolders;
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  readonly #output: { text: string };

  private constructor(
    folders: ServerFolders,
    address: string,
    child: ChildProcess,
    exited: Promise<number | null>,
    output: { text: string },
  ) {
    this.folders = folders;
    this.address = address;
    this.#child = child;
    this.#exited = exited;
    this.#output = output;
  }

  static async start(options: StartOptions = {}): Promise<ServerProcess> {
    const folders = options.folders ?? (await makeFolders());
    const args = [
      '--data-dir',
      folders.data,
      '--log-dir',
      folders.log,
      '--addr',
      options.addr ?? 'http://127.0.0.1:0',
      ...(options.args ?? []),
    ];
    const program = [process.execPath, options.program ?? 'bundle/src/main.js', 'serve', ...args];
    const [command, ...rest] = [...(options.within ?? []), ...program] as [string, ...string[]];
    const child = spawn(command, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
    });
    if (child.pid !== undefined) options.onSpawn?.(child.pid);
    const output = { text: '' };
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    const ready = new Promise<string>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the server was not ready within ${START_MS} ms; it said: ${output.text}`)),
        START_MS,
      );
      const take = (chunk: Buffer): void => {
        output.text += chunk.toString();
        const address = /^cairn ready (\S+)$/m.exec(output.text)?.[1];
        if (address === undefined) return;
        clearTimeout(timer);
        resolve(address);
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      void exited.then((code) => {
        clearTimeout(timer);
        reject(new Error(`the server ended with ${code} before it was ready; it said: ${output.text}`));
      });
    });
    try {
      return new ServerProcess(folders, await ready, child, exited, output);
    } catch (error) {
      // One that only starts slowly would go on, and write where the test removes.
      child.kill('SIGKILL');
      await exited;
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Everything it wrote to standard output and error. */
  get output(): string {
    return this.#output.text;
  }

  get exited(): Promise<number | null> {
    return this.#exited;
  }

  kill(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.#exited;
  }

  /** Ends it and removes its folders. */
  async dispose(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
    await removeFolders(this.folders);
  }

  async logText(name = 'cairn.log'): Promise<string> {
    return readFile(join(this.folders.log, name), 'utf8').catch(() => '');
  }
}

export async function makeFolders(): Promise<ServerFolders> {
  const root = await mkdtemp(join(tmpdir(), 'cairn-test-'));
  return { data: join(root, 'data'), log: join(root, 'log') };
}

export async function removeFolders({ data }: ServerFolders): Promise<void> {
  await rm(join(data, '..'), { recursive: true, force: true });
}
