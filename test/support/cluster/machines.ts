/** Three machines on a network of their own, each with an engine and a server. One can be parted from the others. Needs root. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Lan } from '../network/lan.ts';
import { ServerProcess } from '../server-process.ts';

const NAMES = ['0', '1', '2'];
const CALL_SECONDS = 20;
const CLUSTER = 'parts';
const ENGINE_PORT = 4_222;
const ROUTE_PORT = 6_222;
const PORT = 8_080;

export interface InsideAnswer {
  readonly status: number;
  readonly text: string;
  /** As they came, in lines. */
  readonly head: string;
}

export class Machine {
  readonly ip: string;
  readonly #lan: Lan;
  readonly #name: string;
  #engine: ChildProcess | null = null;
  #server: ServerProcess | null = null;

  /** `name` is one of the network's. */
  constructor(lan: Lan, name: string) {
    this.ip = lan.ip(name);
    this.#lan = lan;
    this.#name = name;
  }

  get url(): string {
    return `http://${this.ip}:${PORT}`;
  }

  /** What it sends reaches nobody, and nothing reaches it. */
  part(): void {
    this.#lan.part(this.#name);
  }

  heal(): void {
    this.#lan.heal(this.#name);
  }

  startEngine(folder: string, ips: readonly string[]): void {
    const own = join(folder, `engine-${this.ip}`);
    mkdirSync(own);
    const routes = ips.map((other) => `nats-route://${other}:${ROUTE_PORT}`).join(', ');
    const file = `${own}.conf`;
    writeFileSync(
      file,
      `server_name: "engine-${this.ip}"\nlisten: "${this.ip}:${ENGINE_PORT}"\n` +
        `cluster { name: ${CLUSTER}, listen: "${this.ip}:${ROUTE_PORT}", routes: [${routes}] }\n` +
        `jetstream { store_dir: "${own}", max_file_store: 1GB }\n`,
    );
    const [command, ...args] = [...this.#lan.within(this.#name), 'nats-server', '-c', file];
    this.#engine = spawn(command, args, { stdio: 'ignore' });
  }

  async startServer(folder: string, ips: readonly string[], keyFile: string): Promise<void> {
    const engines = ips.map((other) => `nats://${other}:${ENGINE_PORT}`).join(',');
    const folders = { data: join(folder, this.ip, 'data'), log: join(folder, this.ip, 'log') };
    this.#server = await ServerProcess.start({
      folders,
      addr: this.url,
      within: this.#lan.within(this.#name),
      args: ['--replicate', engines, '--cluster', CLUSTER, '--shards', '1'],
      env: { CAIRN_CLUSTER_KEY_FILE: keyFile },
    });
  }

  /** A call from the machine itself, which answers when the machine is parted, too. */
  async inside(method: string, path: string, body?: object): Promise<InsideAnswer> {
    const data = body === undefined ? [] : ['-H', 'content-type: application/json', '-d', JSON.stringify(body)];
    const call = ['curl', '-s', '-i', '-m', `${CALL_SECONDS}`, '-X', method, ...data, `${this.url}${path}`];
    const [command, ...args] = [...this.#lan.within(this.#name), ...call];
    const { stdout } = await promisify(execFile)(command, args, {
      timeout: 2_000 * CALL_SECONDS,
      maxBuffer: 16 * 1024 * 1024,
    });
    const [head = '', ...text] = stdout.split('\r\n\r\n');
    return { status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? 0), text: text.join('\r\n\r\n'), head };
  }

  async end(): Promise<void> {
    await this.#server?.kill('SIGKILL');
    const engine = this.#engine;
    if (engine && engine.exitCode === null && engine.signalCode === null) {
      const ended = new Promise((resolve) => engine.once('exit', resolve));
      engine.kill('SIGKILL');
      await ended;
    }
  }
}

export class Machines {
  readonly all: readonly Machine[];
  readonly #lan: Lan;
  readonly #folder: string;

  private constructor(all: readonly Machine[], lan: Lan, folder: string) {
    this.all = all;
    this.#lan = lan;
    this.#folder = folder;
  }

  static async start(): Promise<Machines> {
    const lan = new Lan(NAMES);
    const machines = NAMES.map((name) => new Machine(lan, name));
    const folder = mkdtempSync(join(tmpdir(), 'cairn-machines-'));
    const all = new Machines(machines, lan, folder);
    try {
      lan.build();
      const keyFile = join(folder, 'cluster.key');
      writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
      const ips = machines.map((machine) => machine.ip);
      for (const machine of machines) machine.startEngine(folder, ips);
      await Promise.all(machines.map((machine) => machine.startServer(folder, ips, keyFile)));
      return all;
    } catch (error) {
      await all.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const machine of this.all) await machine.end();
    this.#lan.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
