/**
 * `cairn backup` of 1,000,000 jobs, 100,000 nodes and 10 GiB of node logs, while 20,000 beats a second and job updates come in.
 *
 * Measured: time, size and CPU of the backup; heartbeats of a client of their own, 200 a second, before it and during it; the
 * same time of `cairn backup verify`. Excluded: making the store. `CAIRN_BENCH_LISTS_FOLDER` names a folder that is filled once
 * and kept, as in million-jobs; `CAIRN_BENCH_BACKUP=0.1` takes a tenth of the jobs and of the logs, for a shorter look.
 * Sketch: 12 GiB are read, hashed and written: SHA-256 takes 1.3 GB/s of a core, a disk of 500 MB/s some 25 s. The server
 * shares disk and cores with it. Budget: p99 of beats at most twice that before.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row, Scenario } from '../harness/table.ts';
import { startBeats } from '../lists/beat-probe.ts';
import { fillStore, nodeIdOf } from '../lists/fill-store.ts';
import { startOn } from '../lists/server-on.ts';
import { endsWithUs } from '../load/children.ts';
import { Latencies } from '../load/latencies.ts';
import { cpuSeconds } from '../load/process-cpu.ts';
import { prepareLoad } from '../load/run-load.ts';

interface Size {
  readonly jobs: number;
  readonly nodes: number;
  readonly logBytes: number;
  readonly beatsPerSecond: number;
  readonly probesPerSecond: number;
  readonly idleMs: number;
}

const FULL: Size = {
  jobs: 1_000_000,
  nodes: 100_000,
  logBytes: 100 * 1_024,
  beatsPerSecond: 20_000,
  probesPerSecond: 200,
  idleMs: 30_000,
};
const SMOKE: Size = { jobs: 200, nodes: 50, logBytes: 1_000, beatsPerSecond: 500, probesPerSecond: 50, idleMs: 200 };
const PER_MESSAGE = 100;
const JOB_EVERY_MS = 20;
/** Longer than any backup here: the load is ended, it does not end. */
const LOAD_SECONDS = 1_800;
const BACKUP_MS = 1_500_000;
const CPU_EVERY_MS = 200;
const PHASE_LOOK_MS = 100;

export const backupUnderLoad: Scenario = {
  name: 'backup-under-load',
  rounds: 1,
  run: async ({ smoke, progress }) => {
    const size = smoke ? SMOKE : shareOf(FULL, process.env['CAIRN_BENCH_BACKUP']);
    const kept = smoke ? undefined : process.env['CAIRN_BENCH_LISTS_FOLDER'];
    const folder = kept ?? mkdtempSync(join(tmpdir(), 'cairn-bench-backup-'));
    const archive = join(folder, 'backup.tar');
    try {
      await fill(folder, size, progress);
      // What the kernel still has to write of it would be in the way of what is measured before the backup.
      if (!smoke) spawnSync('sync');
      const server = await startOn(folder);
      try {
        return await measure(server, size, folder, archive, progress);
      } finally {
        await server.stop();
      }
    } finally {
      rmSync(kept === undefined ? folder : archive, { recursive: true, force: true });
    }
  },
};

function shareOf(size: Size, text: string | undefined): Size {
  if (text === undefined) return size;
  const share = Number(text);
  if (!(share > 0 && share <= 1)) throw new Error(`CAIRN_BENCH_BACKUP must be a share, such as 0.1; got ${text}`);
  return { ...size, jobs: Math.ceil(size.jobs * share), logBytes: Math.ceil(size.logBytes * share) };
}

async function fill(folder: string, size: Size, progress: (line: string) => void): Promise<void> {
  const { jobs, nodes, logBytes } = size;
  if (!existsSync(join(folder, 'filled-at'))) {
    await fillStore(join(folder, 'data'), { jobs, nodes, seed: 42, nowMs: Date.now() });
    writeFileSync(join(folder, 'filled-at'), String(Date.now()));
    progress('the store is filled');
  }
  // Its configuration holds a port that may be another's by now.
  rmSync(join(folder, 'data', 'config.json'), { force: true });
  const line = `${'x'.repeat(99)}\n`;
  const text = line.repeat(Math.ceil(logBytes / line.length));
  for (let i = 0; i < nodes; i++) {
    const logs = join(folder, 'log', 'nodes', nodeIdOf(i), 'var', 'log');
    if (existsSync(join(logs, 'app.log'))) continue;
    mkdirSync(logs, { recursive: true, mode: 0o750 });
    writeFileSync(join(logs, 'app.log'), text, { mode: 0o640 });
  }
  progress('the logs are there');
}

/** What comes in all the time, in batches. */
function beatsOf(
  { pid, base }: { readonly pid: number; readonly base: string },
  size: Size,
): ReturnType<typeof prepareLoad> {
  const { hostname, port } = new URL(base);
  return prepareLoad(pid, {
    host: hostname,
    port: Number(port),
    secure: false,
    connections: 32,
    requests: 0,
    bytes: {
      what: 'batches',
      nodes: { first: 0, count: size.nodes },
      metrics: false,
      format: 'json',
      perMessage: PER_MESSAGE,
    },
    phases: [{ name: 'beats', perSecond: size.beatsPerSecond / PER_MESSAGE, seconds: LOAD_SECONDS }],
    giveUpMs: 30_000,
  });
}

async function measure(
  server: Awaited<ReturnType<typeof startOn>>,
  size: Size,
  folder: string,
  archive: string,
  progress: (line: string) => void,
): Promise<Row[]> {
  const load = await beatsOf(server, size);
  load.run().catch(() => {});
  const jobs = sendJobs(server.base);
  const probe = startBeats(server.base, size.nodes, size.probesPerSecond);
  try {
    await pause(size.idleMs / 3);
    probe.take();
    const begun = await commitsOf(server.base);
    await pause(size.idleMs);
    const idle = probe.take();
    const idleCommits = await commitsOf(server.base);
    const before = cpuSeconds(server.pid);
    let copying = new Latencies();
    const phases = onceArchiveBegins(folder, () => {
      copying = probe.take().latencies;
    });
    const folders = ['--data-dir', join(folder, 'data'), '--log-dir', join(folder, 'log')];
    const backup = await timed(['backup', '--to', archive, ...folders]).finally(() => clearInterval(phases));
    const adding = probe.take().latencies;
    const during = new Latencies();
    for (const part of [copying, adding]) during.add(part);
    const commits = await commitsOf(server.base);
    const serverCpu = cpuSeconds(server.pid) - before;
    progress(`the backup took ${backup.seconds.toFixed(0)} s`);
    const verified = await timed(['backup', 'verify', archive]);
    const facts = {
      'backup, s': backup.seconds,
      'its CPU, s': backup.cpuSeconds,
      'archive, MiB': statSync(archive).size / 2 ** 20,
      'verify, s': verified.seconds,
      'its server’s CPU, s': serverCpu,
      'p99 beside before': during.quantile(0.99) / Math.max(0.001, idle.latencies.quantile(0.99)),
      'p99 while the database is copied, ms': copying.quantile(0.99),
      'p99 while files are added, ms': adding.quantile(0.99),
      'commit before, ms': meanMs(begun, idleCommits),
      'commit during, ms': meanMs(idleCommits, commits),
      'job updates': jobs.sent(),
    };
    return [rowOf('before', idle.latencies, size), { ...rowOf('during', during, size), facts }];
  } finally {
    jobs.stop();
    load.cancel();
    await probe.stop();
  }
}

function rowOf(name: string, latencies: Latencies, { probesPerSecond }: Size): Row {
  return {
    name,
    unit: 'beat',
    perSecond: probesPerSecond,
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    cpuMicroseconds: 0,
  };
}

/** A backup copies the database first, and then begins its archive. */
function onceArchiveBegins(folder: string, run: () => void): NodeJS.Timeout {
  const timer = setInterval(() => {
    const staging = readdirSync(folder).find((name) => name.startsWith('.cairn-backup-'));
    if (staging === undefined || !existsSync(join(folder, staging, 'archive.tar'))) return;
    clearInterval(timer);
    run();
  }, PHASE_LOOK_MS);
  return timer;
}

interface Commits {
  readonly seconds: number;
  readonly count: number;
}

/** What the server says of its transactions: whether it is them that a beat waits for. */
async function commitsOf(base: string): Promise<Commits> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const figureOf = (name: string): number =>
    Number(new RegExp(`^cairn_commit_seconds_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return { seconds: figureOf('sum'), count: figureOf('count') };
}

function meanMs(from: Commits, to: Commits): number {
  return ((to.seconds - from.seconds) / Math.max(1, to.count - from.count)) * 1_000;
}

/** Runs `cairn` to its end. Throws what it said where that is not well. */
async function timed(args: readonly string[]): Promise<{ readonly seconds: number; readonly cpuSeconds: number }> {
  const begunMs = performance.now();
  const child: ChildProcess = endsWithUs(
    spawn(process.execPath, ['bundle/src/main.js', ...args], { stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  let cpu = 0;
  const timer = setInterval(() => {
    if (existsSync(`/proc/${child.pid}/stat`)) cpu = cpuSeconds(child.pid as number);
  }, CPU_EVERY_MS);
  const late = setTimeout(() => child.kill('SIGKILL'), BACKUP_MS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(timer);
  clearTimeout(late);
  if (code !== 0) throw new Error(`cairn ${args.join(' ')} ended with ${code}: ${said}`);
  return { seconds: (performance.now() - begunMs) / 1_000, cpuSeconds: cpu };
}

function sendJobs(base: string): { sent(): number; stop(): void } {
  let sent = 0;
  const timer = setInterval(() => {
    const events = [{ timestamp: new Date().toISOString(), eventType: 'Job-Running' }];
    const body = JSON.stringify({ id: `during-${sent % 1_000}`, queueName: 'during', events });
    const headers = { 'content-type': 'application/json' };
    fetch(`${base}/api/v1/job`, { method: 'POST', headers, body }).then(
      () => sent++,
      () => {},
    );
  }, JOB_EVERY_MS);
  return { sent: () => sent, stop: () => clearInterval(timer) };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
