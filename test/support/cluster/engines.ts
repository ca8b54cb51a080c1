/** Real engines: nats-server processes on loopback, with ports and folders of their own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { within } from '../api.ts';
import { freePort } from '../network/free-port.ts';

const READY_MS = 30_000;
const LOOK_MS = 50;
const ANSWER_MS = 2_000;

/** Why tests with real engines are left out here; null where they run. In CI they always run. */
export function enginesAbsent(): string | null {
  if (spawnSync('nats-server', ['--version'], { timeout: 10_000 }).status === 0) return null;
  if (process.env['CI']) throw new Error('nats-server is not installed: apt-get install nats-server');
  return 'nats-server is not installed';
}

interface Engine {
  readonly port: number;
  readonly file: string;
  readonly folder: string;
  process: ChildProcess | null;
}

export class Engines {
  readonly #folder: string;
  readonly #name: string;
  readonly #engines: readonly Engine[];

  private constructor(folder: string, name: string, engines: readonly Engine[]) {
    this.#folder = folder;
    this.#name = name;
    this.#engines = engines;
  }

  /** One engine, or a cluster of three. `name` is a word of its own for each that runs at once. */
  static async start(count: 1 | 3, name: string): Promise<Engines> {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-engines-'));
    const ports: number[] = [];
    for (let i = 0; i < 2 * count; i++) ports.push(await freePort());
    const routes = ports.slice(count).map((port) => `nats-route://127.0.0.1:${port}`);
    const engines = ports.slice(0, count).map((port, i): Engine => {
      const own = join(folder, `${i}`);
      mkdirSync(own);
      const file = join(folder, `${i}.conf`);
      const cluster =
        count === 1
          ? ''
          : `cluster { name: ${name}, listen: "127.0.0.1:${ports[count + i]}", routes: [${routes.join(', ')}] }\n`;
      writeFileSync(
        file,
        `server_name: ${name}${i}\nlisten: "127.0.0.1:${port}"\n${cluster}jetstream { store_dir: "${own}", max_file_store: 4GB }\n`,
      );
      return { port, file, folder: own, process: null };
    });
    const all = new Engines(folder, name, engines);
    await Promise.all(engines.map((_, i) => all.run(i)));
    return all;
  }

  get addresses(): string[] {
    return this.#engines.map(({ port }) => `nats://127.0.0.1:${port}`);
  }

  /** Which of them leads the stream of a cluster; null where none does now, or none answers. */
  async leaderOf(cluster: string): Promise<number | null> {
    const connection = await connect({ servers: this.addresses, timeout: ANSWER_MS }).catch(() => null);
    if (!connection) return null;
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false, timeout: ANSWER_MS });
      const { cluster: state } = await manager.streams.info(`CAIRN_${cluster}`);
      return state?.leader ? Number(state.leader.slice(this.#name.length)) : null;
    } catch {
      return null;
    } finally {
      await connection.close();
    }
  }

  /** SIGSTOP and SIGCONT, say. */
  signal(i: number, signal: NodeJS.Signals): void {
    (this.#engines[i] as Engine).process?.kill(signal);
  }

  /** Where the engine keeps its streams. */
  folderOf(i: number): string {
    return (this.#engines[i] as Engine).folder;
  }

  async run(i: number): Promise<void> {
    const engine = this.#engines[i] as Engine;
    engine.process = spawn('nats-server', ['-c', engine.file], { stdio: 'ignore' });
    const untilMs = Date.now() + READY_MS;
    while (!(await accepts(engine.port))) {
      if (Date.now() > untilMs) throw new Error(`nats-server has not listened on ${engine.port} within ${READY_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async kill(i: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const engine = this.#engines[i] as Engine;
    const running = engine.process;
    if (!running) return;
    engine.process = null;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await within(ended, `engine ${i} to end after ${signal}`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#engines.map((_, i) => this.kill(i)));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function accepts(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  return new Promise((resolve) => {
    const answer = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', answer(true));
    socket.once('error', answer(false));
  });
}
