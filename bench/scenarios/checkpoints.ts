/**
 * What saving a job costs: how long it is paused, how long until the image counts, what the second and third image store,
 * how long a restore takes, what the agent uses meanwhile; beside `criu dump` alone on the same process.
 *
 * The job holds random memory, so that nothing is stored once by luck, and writes a part of it anew all the time.
 * Not measured: a network file system; images and jobs share one local disk here.
 * Sketch: a pause is the copying of the memory, some 2 ms a MiB; storing reads it again and hashes it, 1 ms a MiB.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { frozenMsIn } from '../../agent/engine/dump.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { AnyRow, Scenario } from '../harness/table.ts';
import { cpuSeconds } from '../load/process-cpu.ts';

const CRIU_BUILT = 'node_modules/.cache/criu/criu-4.2.1';
const SAVES = 3;
const WAIT_MS = 120_000;
/** Every 50 ms a mebibyte of it is written anew. */
const HOLDER = `
import os, sys, time
memory = bytearray()
for _ in range(int(sys.argv[1])): memory += os.urandom(1 << 20)
print('ready', flush=True)
at = 0
while True:
    memory[at:at + (1 << 16)] = os.urandom(1 << 16)
    at = (at + (1 << 20)) % len(memory)
    time.sleep(0.05)
`;

export const checkpoints: Scenario = {
  name: 'checkpoints',
  rounds: 1,
  run: async ({ smoke, progress }) => {
    const sizes = smoke ? [16] : [64, 512, 4_096];
    const criu = [process.env['CAIRN_CRIU'] ?? '', CRIU_BUILT].find((path) => path !== '' && existsSync(path));
    if (!criu || process.getuid?.() !== 0) {
      return sizes.map((mib) => ({
        name: `${mib} MiB`,
        absent: 'criu is not installed: tools/get-criu.sh builds it, as root',
      }));
    }
    const world = await World.start(resolve(criu));
    try {
      const rows: AnyRow[] = [];
      for (const mib of sizes) {
        progress(`${mib} MiB`);
        rows.push(await world.measure(mib));
      }
      return rows;
    } finally {
      world.stop();
    }
  },
};

class World {
  readonly #folder: string;
  readonly #criu: string;
  readonly #children: ChildProcess[] = [];

  private constructor(folder: string, criu: string) {
    this.#folder = folder;
    this.#criu = criu;
  }

  static async start(criu: string): Promise<World> {
    const server = `http://127.0.0.1:${await freePort()}`;
    const world = new World(mkdtempSync(join(tmpdir(), 'cairn-bench-jobs-')), criu);
    mkdirSync(world.#path('work'));
    world.#spawn(['serve', '--data-dir', world.#path('data'), '--log-dir', world.#path('log'), '--addr', server]);
    const kvMap = { 'ckpt.ckptImagePath': world.#path('images'), 'node.heartbeat': '1s', 'node.ttl': '2s' };
    await until(async () => (await put(`${server}/api/v1/configKV`, { kvMap })) === 200, 'the server');
    world.#spawn(['agent', '--server', server, '--id', 'bench', '--data-dir', world.#path('bench')]);
    await until(async () => existsSync(world.#path('bench', 'agent.sock')), 'the agent');
    return world;
  }

  async measure(mib: number): Promise<AnyRow> {
    const id = `hold-${mib}`;
    const copies = this.#path('bench', 'jobs', id, 'copies');
    const run = this.#spawn([
      'run',
      '--data-dir',
      this.#path('bench'),
      '--job',
      id,
      '--',
      '/usr/bin/python3',
      '-c',
      HOLDER,
      String(mib),
    ]);
    await until(async () => run.text.includes('ready'), 'the job');
    const agent = this.#children[1]?.pid as number;
    const stages: { frozenMs: number; dumpMs: number; storeMs: number; storedBytes: number }[] = [];
    const cpuFrom = cpuSeconds(agent);
    for (let save = 0; save < SAVES; save++) {
      const saved = spawnSync(
        process.execPath,
        ['bundle/src/main.js', 'job', 'checkpoint', id, '--data-dir', this.#path('bench')],
        { encoding: 'utf8' },
      );
      if (saved.status !== 0) throw new Error(`cannot save ${id}: ${saved.stderr}`);
      const image = this.#path('images', id, saved.stdout.trim(), 'manifest.json');
      stages.push(JSON.parse(readFileSync(image, 'utf8')).stages);
    }
    const cpu = (cpuSeconds(agent) - cpuFrom) / SAVES;
    const alone = this.#dumpAlone(Number(readFileSync(join(copies, '1', 'started'), 'utf8').split(' ')[0]));
    const restoreMs = await this.#restore(id, copies);
    const paused = stages.map(({ frozenMs }) => frozenMs).sort((a, b) => a - b);
    const total = stages.map(({ dumpMs, storeMs }) => dumpMs + storeMs).sort((a, b) => a - b);
    const stored = stages.map(({ storedBytes }) => (storedBytes / 1_048_576).toFixed(1));
    return {
      name: `${mib} MiB`,
      unit: 'checkpoint',
      perSecond: 1_000 / (total[1] as number),
      p50Ms: paused[1] as number,
      p99Ms: paused[2] as number,
      cpuMicroseconds: cpu * 1e6,
      facts: {
        'until it counts, ms': Math.round(total[1] as number),
        'stored by the 1st, 2nd, 3rd, MiB': stored.join(', '),
        'restore, ms': Math.round(restoreMs),
        'criu dump alone: pause, ms': Math.round(alone.frozenMs),
        'criu dump alone: all, ms': Math.round(alone.allMs),
      },
    };
  }

  #dumpAlone(pid: number): { readonly frozenMs: number; readonly allMs: number } {
    const folder = this.#path('alone');
    mkdirSync(folder);
    const sinceMs = performance.now();
    const args = [
      'dump',
      '-t',
      String(pid),
      '-D',
      folder,
      '--leave-running',
      '--manage-cgroups=ignore',
      '-v2',
      '-o',
      'dump.log',
    ];
    const { status } = spawnSync(this.#criu, args);
    const allMs = performance.now() - sinceMs;
    if (status !== 0) throw new Error(readFileSync(join(folder, 'dump.log'), 'utf8').slice(-500));
    const stats = readFileSync(join(folder, 'stats-dump'));
    rmSync(folder, { recursive: true });
    return { frozenMs: frozenMsIn(stats) ?? 0, allMs };
  }

  /** Ends the shim, and measures until a restored copy runs: verified, put together and restored. */
  async #restore(id: string, copies: string): Promise<number> {
    const shim = Number(readFileSync(join(copies, '1', 'shim'), 'utf8').split(' ')[0]);
    const sinceMs = performance.now();
    process.kill(shim, 'SIGKILL');
    await until(async () => existsSync(join(copies, '2', 'started')), `${id} to be restored`);
    const tookMs = performance.now() - sinceMs;
    const init = Number(readFileSync(join(copies, '2', 'started'), 'utf8').split(' ')[0]);
    process.kill(init, 'SIGKILL');
    return tookMs;
  }

  stop(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const id of readdirSync(this.#path('bench', 'jobs'))) {
      for (const copy of readdirSync(this.#path('bench', 'jobs', id, 'copies'))) {
        for (const file of ['shim', 'started']) tryKill(this.#path('bench', 'jobs', id, 'copies', copy, file));
      }
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #path(...parts: string[]): string {
    return join(this.#folder, ...parts);
  }

  #spawn(args: readonly string[]): { text: string } {
    const child = spawn(process.execPath, [resolve('bundle/src/main.js'), ...args], {
      cwd: this.#path('work'),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, CAIRN_CRIU: this.#criu, CAIRN_IMDS_URL: 'off' },
    });
    this.#children.push(child);
    const output = { text: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      output.text += chunk.toString();
    });
    return output;
  }
}

async function put(url: string, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) }).then(
    ({ status }) => status,
    () => 0,
  );
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const sinceMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - sinceMs > WAIT_MS) throw new Error(`waited for ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

function tryKill(file: string): void {
  try {
    process.kill(Number(readFileSync(file, 'utf8').split(' ')[0]), 'SIGKILL');
  } catch {
    // It has ended, or never began.
  }
}
