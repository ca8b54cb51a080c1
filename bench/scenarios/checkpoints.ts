/**
 * What saving a job costs: how long it is paused, how long until the image counts, what the second and third image store,
 * how long a restore takes, what the agent uses meanwhile; beside `criu` alone on the same process and `podman` alone on
 * the same program in a container. Then what saves at an interval take from a job that computes, how many of many restores
 * succeed, and what 20 jobs cost the agent.
 *
 * The job holds random memory, so that nothing is stored once by luck, and rewrites a part of it all the time.
 * Not measured: a network file system; images and jobs share one local disk here.
 * Sketch: a pause is the copying of the memory, some 2 ms a MiB; storing reads it again and hashes it, 1 ms a MiB.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { frozenMsIn } from '../../agent/engine/dump.ts';
import { freePort } from '../../test/support/network/free-port.ts';
import type { AnyRow, Scenario } from '../harness/table.ts';
import { cpuSeconds } from '../load/process-cpu.ts';
import { Podman } from '../peers/podman.ts';

const CRIU_BUILT = 'node_modules/.cache/criu/criu-4.2.1';
const SAVES = 3;
const WAIT_MS = 120_000;
/** For the job that computes: long enough for several saves. */
const COMPUTE_SECONDS = 40;
const INTERVAL_SECONDS = 10;
const JOBS = 20;
const JOBS_SECONDS = 30;
const RESTORES = 25;
const SAVE_TRIES = 20;
/** Every 50 ms a mebibyte of it is rewritten. */
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

/** Counts as fast as it can, for so many seconds, and holds so much memory. */
const COMPUTER = `
import os, sys, time
memory = bytearray(os.urandom(1 << 20) * int(sys.argv[1]))
print('ready', flush=True)
end = time.monotonic() + float(sys.argv[2])
n = 0
while time.monotonic() < end:
    for _ in range(2000): n += 1
    memory[(n * 64) % len(memory)] = n & 255
print(n, flush=True)
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
      if (smoke) return rows;
      progress('podman alone');
      rows.push(...(await podmanAlone(join(world.folder, 'podman'), resolve(criu), sizes)));
      progress('a job that computes');
      rows.push(await world.cost(512));
      progress(`${RESTORES} restores`);
      rows.push(await world.restores(64));
      progress(`${JOBS} jobs`);
      rows.push(await world.manyJobs());
      return rows;
    } finally {
      world.stop();
    }
  },
};

class World {
  readonly folder: string;
  readonly #criu: string;
  readonly #children: ChildProcess[] = [];
  #server = '';

  private constructor(folder: string, criu: string) {
    this.folder = folder;
    this.#criu = criu;
  }

  static async start(criu: string): Promise<World> {
    const server = `http://127.0.0.1:${await freePort()}`;
    const world = new World(mkdtempSync(join(tmpdir(), 'cairn-bench-jobs-')), criu);
    world.#server = server;
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
    const run = this.#job(id, ['/usr/bin/python3', '-c', HOLDER, String(mib)]);
    await until(async () => run.text.includes('ready'), 'the job');
    const stages: { frozenMs: number; dumpMs: number; storeMs: number; storedBytes: number }[] = [];
    const cpuFrom = cpuSeconds(this.#agent);
    for (let save = 0; save < SAVES; save++) {
      const image = this.#path('images', id, this.#save(id), 'manifest.json');
      stages.push(JSON.parse(readFileSync(image, 'utf8')).stages);
    }
    const cpu = (cpuSeconds(this.#agent) - cpuFrom) / SAVES;
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
        'criu restore alone, ms': Math.round(alone.restoreMs),
      },
    };
  }

  /** How much less a job gets done that is saved every 10 s. */
  async cost(mib: number): Promise<AnyRow> {
    const done: number[] = [];
    for (const [i, mode] of ['none', 'iterative'].entries()) {
      await this.#configure({ 'ckpt.ckptMode': mode, 'ckpt.ckptInterval': `${INTERVAL_SECONDS}s` });
      const run = this.#job(`compute-${i}`, ['/usr/bin/python3', '-c', COMPUTER, String(mib), String(COMPUTE_SECONDS)]);
      await until(async () => /ready\n\d+\n/.test(run.text), 'the job that computes');
      done.push(Number(run.text.split('\n')[1]));
    }
    await this.#configure({ 'ckpt.ckptMode': 'none' });
    const [without = 1, saved = 0] = done;
    return {
      name: `${mib} MiB, saved every ${INTERVAL_SECONDS} s`,
      unit: 'step',
      perSecond: saved / COMPUTE_SECONDS,
      p50Ms: 0,
      p99Ms: 0,
      cpuMicroseconds: 0,
      facts: { 'less than without saves': `${((1 - saved / without) * 100).toFixed(1)} %` },
    };
  }

  /** Of restores one after the other, each of the newest image, those that bring the job back. */
  async restores(mib: number): Promise<AnyRow> {
    const id = 'again';
    const run = this.#job(id, ['/usr/bin/python3', '-c', HOLDER, String(mib)]);
    await until(async () => run.text.includes('ready'), 'the job');
    const copies = this.#path('bench', 'jobs', id, 'copies');
    const times: number[] = [];
    this.#save(id);
    const cpuFrom = cpuSeconds(this.#agent);
    for (let copy = 1; copy <= RESTORES; copy++) {
      const sinceMs = performance.now();
      process.kill(Number(readFileSync(join(copies, String(copy), 'shim'), 'utf8').split(' ')[0]), 'SIGKILL');
      await until(async () => existsSync(join(copies, String(copy + 1), 'started')), `copy ${copy + 1}`);
      times.push(performance.now() - sinceMs);
      // A save between them: more than five ends in a row without one are a quarrel.
      if (copy % 4 === 0) this.#save(id);
    }
    type Restores = { readonly attempts: number; readonly successes: number; readonly failures: number };
    let restores: Restores = { attempts: 0, successes: 0, failures: 0 };
    // The agent tells of a restore some time after the copy runs.
    await until(async () => {
      const job = await (await fetch(`${this.#server}/api/v1/job/${id}`)).json();
      ({ restores } = job as { readonly restores: Restores });
      return restores.attempts >= RESTORES && restores.successes + restores.failures === restores.attempts;
    }, 'the outcome of the last restore');
    times.sort((a, b) => a - b);
    return {
      name: `${RESTORES} restores of ${mib} MiB`,
      unit: 'restore',
      perSecond: 1_000 / (times[times.length >> 1] as number),
      p50Ms: times[times.length >> 1] as number,
      p99Ms: times.at(-1) as number,
      cpuMicroseconds: ((cpuSeconds(this.#agent) - cpuFrom) / RESTORES) * 1e6,
      facts: { succeeded: `${restores.successes} of ${restores.attempts}` },
    };
  }

  async manyJobs(): Promise<AnyRow> {
    const runs = Array.from({ length: JOBS }, (_, i) =>
      this.#job(`many-${i}`, ['/usr/bin/python3', '-c', HOLDER, '8']),
    );
    await until(async () => runs.every(({ text }) => text.includes('ready')), 'all jobs');
    const used: number[] = [];
    for (const mode of ['none', 'iterative']) {
      await this.#configure({ 'ckpt.ckptMode': mode, 'ckpt.ckptInterval': `${INTERVAL_SECONDS}s` });
      const from = cpuSeconds(this.#agent);
      await new Promise((done) => setTimeout(done, JOBS_SECONDS * 1_000));
      used.push((cpuSeconds(this.#agent) - from) / JOBS_SECONDS);
    }
    const [idle = 0, saving = 0] = used;
    return {
      name: `${JOBS} jobs of 8 MiB`,
      unit: 'second',
      perSecond: 1,
      p50Ms: 0,
      p99Ms: 0,
      cpuMicroseconds: idle * 1e6,
      facts: {
        'agent without saves, of a core': idle.toFixed(3),
        'agent, each saved every 10 s, of a core': saving.toFixed(3),
      },
    };
  }

  get #agent(): number {
    return this.#children[1]?.pid as number;
  }

  #job(id: string, command: readonly string[]): { text: string } {
    return this.#spawn(['run', '--data-dir', this.#path('bench'), '--job', id, '--', ...command]);
  }

  #save(id: string): string {
    const args = ['job', 'checkpoint', id, '--data-dir', this.#path('bench')];
    for (let tries = 1; ; tries++) {
      const saved = spawnSync(process.execPath, ['bundle/src/main.js', ...args], { encoding: 'utf8' });
      if (saved.status === 0) return saved.stdout.trim();
      // A copy has started a moment before the agent counts it as running.
      if (tries === SAVE_TRIES) throw new Error(`cannot save ${id}: ${saved.stderr}`);
    }
  }

  async #configure(kvMap: Readonly<Record<string, string>>): Promise<void> {
    await until(async () => (await put(`${this.#server}/api/v1/configKV`, { kvMap })) === 200, 'the settings');
    // Until the agent's next heartbeat.
    await new Promise((done) => setTimeout(done, 2_500));
  }

  #dumpAlone(pid: number): { readonly frozenMs: number; readonly allMs: number; readonly restoreMs: number } {
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
    const pidFile = join(folder, 'pid');
    const beganMs = performance.now();
    const restore = [
      'restore',
      '-d',
      '-D',
      folder,
      '--manage-cgroups=ignore',
      '-o',
      'restore.log',
      '--pidfile',
      pidFile,
    ];
    const restored = spawnSync(this.#criu, restore);
    const restoreMs = performance.now() - beganMs;
    if (restored.status !== 0) throw new Error(readFileSync(join(folder, 'restore.log'), 'utf8').slice(-500));
    tryKill(pidFile);
    rmSync(folder, { recursive: true });
    return { frozenMs: frozenMsIn(stats) ?? 0, allMs, restoreMs };
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
    rmSync(this.folder, { recursive: true, force: true });
  }

  #path(...parts: string[]): string {
    return join(this.folder, ...parts);
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

async function podmanAlone(folder: string, criu: string, sizes: readonly number[]): Promise<AnyRow[]> {
  const podman = await Podman.start(folder, criu);
  if (typeof podman === 'string') return [{ name: 'podman alone', absent: podman }];
  try {
    return sizes.map((mib) => {
      const figures = podman.measure(HOLDER, mib, SAVES);
      return {
        name: `podman alone, ${mib} MiB`,
        unit: 'checkpoint',
        perSecond: 1_000 / figures.allMs,
        p50Ms: figures.pausedMs,
        p99Ms: figures.worstPausedMs,
        cpuMicroseconds: figures.cpuSeconds * 1e6,
        facts: {
          'until the archive is there, ms': Math.round(figures.allMs),
          'archive, MiB': figures.archiveMiB.toFixed(1),
          'restore, ms': Math.round(figures.restoreMs),
        },
      };
    });
  } finally {
    podman.stop();
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
