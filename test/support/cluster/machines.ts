/**
 * Three machines with a network of their own between them: network namespaces on a bridge, each with an engine and a server. One
 * of them can be parted from the others. Needs root.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ServerProcess } from '../server-process.ts';

const COMMAND_MS = 10_000;
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
  readonly #space: string;
  readonly #cable: string;
  #engine: ChildProcess | null = null;
  #server: ServerProcess | null = null;

  constructor(tag: string, net: number, i: number) {
    this.ip = `10.213.${net}.${11 + i}`;
    this.#space = `cairn-${tag}-${i}`;
    this.#cable = `cv${tag}${i}`;
  }

  get url(): string {
    return `http://${this.ip}:${PORT}`;
  }

  build(bridge: string): void {
    ip('netns', 'add', this.#space);
    ip('link', 'add', this.#cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.#space);
    ip('link', 'set', this.#cable, 'master', bridge, 'up');
    ip('-n', this.#space, 'addr', 'add', `${this.ip}/24`, 'dev', 'eth0');
    ip('-n', this.#space, 'link', 'set', 'eth0', 'up');
    ip('-n', this.#space, 'link', 'set', 'lo', 'up');
  }

  /** What it sends reaches nobody, and nothing reaches it. */
  part(): void {
    ip('link', 'set', this.#cable, 'down');
  }

  heal(): void {
    ip('link', 'set', this.#cable, 'up');
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
    this.#engine = spawn('ip', ['netns', 'exec', this.#space, 'nats-server', '-c', file], { stdio: 'ignore' });
  }

  async startServer(folder: string, ips: readonly string[], keyFile: string): Promise<void> {
    const engines = ips.map((other) => `nats://${other}:${ENGINE_PORT}`).join(',');
    const folders = { data: join(folder, this.ip, 'data'), log: join(folder, this.ip, 'log') };
    this.#server = await ServerProcess.start({
      folders,
      addr: this.url,
      within: ['ip', 'netns', 'exec', this.#space],
      args: ['--replicate', engines, '--cluster', CLUSTER, '--shards', '1'],
      env: { CAIRN_CLUSTER_KEY_FILE: keyFile },
    });
  }

  /** A call from the machine itself, which answers when the machine is parted, too. */
  async inside(method: string, path: string, body?: object): Promise<InsideAnswer> {
    const data = body === undefined ? [] : ['-H', 'content-type: application/json', '-d', JSON.stringify(body)];
    const call = ['curl', '-s', '-i', '-m', `${CALL_SECONDS}`, '-X', method, ...data, `${this.url}${path}`];
    const { stdout } = await promisify(execFile)('ip', ['netns', 'exec', this.#space, ...call], {
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
    tryIp('link', 'del', this.#cable);
    tryIp('netns', 'del', this.#space);
  }
}

export class Machines {
  readonly all: readonly Machine[];
  readonly #bridge: string;
  readonly #folder: string;

  private constructor(all: readonly Machine[], bridge: string, folder: string) {
    this.all = all;
    this.#bridge = bridge;
    this.#folder = folder;
  }

  static async start(): Promise<Machines> {
    const tag = `${process.pid % 100_000}`;
    const net = process.pid % 250;
    const bridge = `cb${tag}`;
    const machines = [0, 1, 2].map((i) => new Machine(tag, net, i));
    const folder = mkdtempSync(join(tmpdir(), 'cairn-machines-'));
    const all = new Machines(machines, bridge, folder);
    try {
      ip('link', 'add', bridge, 'type', 'bridge');
      ip('addr', 'add', `10.213.${net}.1/24`, 'dev', bridge);
      ip('link', 'set', bridge, 'up');
      const keyFile = join(folder, 'cluster.key');
      writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
      const ips = machines.map((machine) => machine.ip);
      for (const machine of machines) machine.build(bridge);
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
    tryIp('link', 'del', this.#bridge);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Why there can be no machines here; null where there can. */
export function machinesAbsent(): string | null {
  const name = `cairn-try-${process.pid}`;
  if (!tryIp('netns', 'add', name)) return 'network namespaces need root';
  tryIp('netns', 'del', name);
  return null;
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: COMMAND_MS });
}

function tryIp(...args: readonly string[]): boolean {
  try {
    ip(...args);
    return true;
  } catch {
    return false;
  }
}
