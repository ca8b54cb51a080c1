/**
 * 1,000,000 jobs and 100,000 nodes in the store, 2,400 of them lost within a day: the whole list, pages of 100 under every
 * filter and sort, what the reclaims of an hour and of a day cost, and a restart.
 *
 * Measured: first byte and last byte of `GET /api/v1/job`, the growth of memory meanwhile (without pages of the file), heartbeats meanwhile
 * beside heartbeats alone, every page and list of reclaims, the time from starting the process to its ready line. Excluded: making the store.
 * The heartbeats come from the bench's own process: on few cores a part of their latency is the list's reader taking turns
 * with everybody else.
 * `CAIRN_BENCH_LISTS_FOLDER` names a folder that is filled once and kept: filling takes minutes.
 * Sketch: a page is two thread hops, some ranges of 4 µs and 100 records of 3 µs: a millisecond. The whole list is 1.3 GB
 * that are copied three times: some seconds of one core.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/base/random.ts';
import { JOB_SORTS } from '../../src/protocol/lists/job-query.ts';
import type { ReclaimList } from '../../src/protocol/lists/reclaim.ts';
import type { Row, Scenario } from '../harness/table.ts';
import { startBeats } from '../lists/beat-probe.ts';
import { fillStore, nodeIdOf, QUEUES } from '../lists/fill-store.ts';
import type { ListRead } from '../lists/read-list.ts';
import { type ServerOn, startOn } from '../lists/server-on.ts';
import { Latencies } from '../load/latencies.ts';
import { anonymousMiB, cpuSeconds } from '../load/process-cpu.ts';

const SEED = 42;
const RSS_EVERY_MS = 20;

interface Size {
  readonly jobs: number;
  readonly nodes: number;
  readonly lost: number;
  readonly beatsPerSecond: number;
  readonly idleMs: number;
  readonly rounds: number;
}

const FULL: Size = { jobs: 1_000_000, nodes: 100_000, lost: 2_400, beatsPerSecond: 100, idleMs: 10_000, rounds: 5 };
const SMOKE: Size = { jobs: 400, nodes: 50, lost: 24, beatsPerSecond: 50, idleMs: 200, rounds: 1 };
const HOUR_MS = 3_600_000;

export const millionJobs: Scenario = {
  name: 'million-jobs',
  run: async ({ smoke }) => {
    const size = smoke ? SMOKE : FULL;
    const kept = smoke ? undefined : process.env['CAIRN_BENCH_LISTS_FOLDER'];
    const folder = kept ?? mkdtempSync(join(tmpdir(), 'cairn-bench-lists-'));
    try {
      const nowMs = await filled(folder, size);
      // The first start makes configuration and keys. Most of the nodes never beat, and must not be lost by the thousand meanwhile.
      const first = await startOn(folder);
      await put(`${first.base}/api/v1/configKV`, { kvMap: { 'node.ttl': '24h' } });
      await first.stop();
      const server = await startOn(folder);
      try {
        const pages = await measurePages(server, size, nowMs);
        const reclaims = await measureReclaims(server, size, nowMs);
        return [...pages, ...reclaims, await measureWholeList(server, size), restartRow(server)];
      } finally {
        await server.stop();
      }
    } finally {
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Fills the folder unless it is; when it was. */
async function filled(folder: string, { jobs, nodes, lost }: Size): Promise<number> {
  const mark = join(folder, 'filled-at');
  if (existsSync(mark)) {
    // Its configuration holds a port that may be another's by now.
    rmSync(join(folder, 'data', 'config.json'), { force: true });
    return Number(readFileSync(mark, 'utf8'));
  }
  const nowMs = Date.now();
  await fillStore(join(folder, 'data'), { jobs, nodes, lost, seed: SEED, nowMs });
  writeFileSync(mark, String(nowMs));
  return nowMs;
}

function restartRow({ readyMs, readyCpuSeconds }: ServerOn): Row {
  return {
    name: 'restart',
    perSecond: 1_000 / readyMs,
    p50Ms: readyMs,
    p99Ms: readyMs,
    cpuMicroseconds: readyCpuSeconds * 1e6,
    unit: 'start',
  };
}

async function measureWholeList(server: ServerOn, { nodes, beatsPerSecond, idleMs }: Size): Promise<Row> {
  const beats = startBeats(server.base, nodes, beatsPerSecond);
  try {
    await pause(idleMs / 4);
    beats.take();
    await pause(idleMs);
    const { latencies: idle } = beats.take();
    const restMiB = anonymousMiB(server.pid);
    let mostMiB = restMiB;
    const watch = setInterval(() => {
      mostMiB = Math.max(mostMiB, anonymousMiB(server.pid));
    }, RSS_EVERY_MS);
    const cpuBefore = cpuSeconds(server.pid);
    const read = await readList(`${server.base}/api/v1/job`);
    const cpu = cpuSeconds(server.pid) - cpuBefore;
    clearInterval(watch);
    const { latencies: busy, refused } = beats.take();
    return {
      name: 'whole list',
      perSecond: 1_000 / read.totalMs,
      p50Ms: read.totalMs,
      p99Ms: read.totalMs,
      cpuMicroseconds: cpu * 1e6,
      unit: 'list',
      facts: {
        'first byte, ms': read.firstByteMs,
        bytes: read.bytes,
        'memory of its own before, MiB': restMiB,
        'growth, MiB': mostMiB - restMiB,
        'heartbeat p50 idle, ms': idle.quantile(0.5),
        'heartbeat p50 meanwhile, ms': busy.quantile(0.5),
        'heartbeat p99 idle, ms': idle.quantile(0.99),
        'heartbeat p99 meanwhile, ms': busy.quantile(0.99),
        'heartbeats meanwhile': `${busy.count}, ${refused} more refused for overload`,
      },
    };
  } finally {
    await beats.stop();
  }
}

async function put(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
  if (status !== 200) throw new Error(`${url} answered ${status}`);
}

function readList(url: string): Promise<ListRead> {
  const child = spawn(process.execPath, ['dist/bench/lists/read-list.js', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => {
      if (code === 0) resolve(JSON.parse(text) as ListRead);
      else reject(new Error(`the reader of the list ended with ${code}`));
    });
  });
}

/** Filters by name; those of a kind are in turn of few and of many jobs. */
function filtersOf(nowMs: number, size: Size): ReadonlyMap<string, (i: number) => string> {
  const random = seededRandom(SEED);
  const time = (agoMs: number): string => new Date(nowMs - agoMs).toISOString();
  const queue = (i: number): string => `queue=queue-${(i * 7) % QUEUES}`;
  const status = (i: number): string => `status=${['Succeeded', 'Failed', 'Stopped', 'Running', 'Creating'][i % 5]}`;
  const node = (): string => `node=${nodeIdOf(random.int(size.nodes))}`;
  const after = (i: number): string => `createdAfter=${time(60_000 * 4 ** (i % 6))}`;
  const before = (i: number): string => `createdBefore=${time(3 * 86_400_000 - 60_000 * 4 ** (i % 6))}`;
  return new Map<string, (i: number) => string>([
    ['none', () => ''],
    ['queue', queue],
    ['status', status],
    ['node', node],
    ['createdAfter', after],
    ['createdBefore', before],
    ['q, one in 5,000', () => `q=train-${1_000 + random.int(4_000)}`],
    ['q, one in 50', () => `q=train-${10 + random.int(90)}`],
    ['queue and status', (i) => `${queue(i)}&${status(i + (i % 3))}`],
    ['queue, status and times', (i) => `${queue(i)}&${status(i)}&${after(i)}&createdBefore=${time(30_000)}`],
    ['node and status', (i) => `${node()}&${status(i)}`],
  ]);
}

async function measurePages(server: ServerOn, size: Size, nowMs: number): Promise<Row[]> {
  const agent = new http.Agent({ keepAlive: true });
  const sorts = JOB_SORTS.flatMap((sort) => [sort, `-${sort}`]);
  const rows: Row[] = [];
  // Once through everything first: a page that nobody has asked for yet is read from the disk.
  for (const isWarm of [false, true]) {
    for (const [name, filter] of filtersOf(nowMs, size)) {
      const all = new Latencies();
      const worst = { sort: '', p99Ms: 0 };
      const tally = { short: 0, empty: 0 };
      const cpuBefore = cpuSeconds(server.pid);
      for (const sort of sorts) {
        const latencies = new Latencies();
        for (let i = 0; i < (isWarm ? size.rounds : 1); i++)
          await threePages(agent, server.base, `limit=100&sort=${sort}&${filter(i)}`, latencies, tally);
        all.add(latencies);
        if (latencies.quantile(0.99) > worst.p99Ms) Object.assign(worst, { sort, p99Ms: latencies.quantile(0.99) });
      }
      const cpu = cpuSeconds(server.pid) - cpuBefore;
      if (isWarm) rows.push(pageRow(name, all, cpu, worst, tally));
    }
  }
  agent.destroy();
  return rows;
}

/** What the reclaims of the last hours cost: nothing of it is stored, so jobs are looked through for each answer. */
async function measureReclaims(server: ServerOn, { rounds }: Size, nowMs: number): Promise<Row[]> {
  const agent = new http.Agent({ keepAlive: true });
  const rows: Row[] = [];
  for (const hours of [1, 24]) {
    const range = `start=${new Date(nowMs - hours * HOUR_MS).toISOString()}&end=${new Date(nowMs).toISOString()}`;
    const url = `${server.base}/api/v1/reclaim?${range}&limit=200`;
    // The first is read from the disk.
    let answer = await get(agent, url);
    const latencies = new Latencies();
    const cpuBefore = cpuSeconds(server.pid);
    for (let i = 0; i < rounds; i++) {
      answer = await timedGet(agent, url, latencies);
    }
    const cpu = cpuSeconds(server.pid) - cpuBefore;
    const { totals, isComplete } = JSON.parse(answer.text) as ReclaimList;
    rows.push({
      name: `reclaims, ${hours} h`,
      perSecond: 1_000 / latencies.quantile(0.5),
      p50Ms: latencies.quantile(0.5),
      p99Ms: latencies.quantile(0.99),
      cpuMicroseconds: (cpu * 1e6) / latencies.count,
      unit: 'answer',
      facts: { reclaims: totals.reclaims, jobs: totals.jobs, bytes: answer.text.length, complete: String(isComplete) },
    });
  }
  agent.destroy();
  return rows;
}

function pageRow(
  name: string,
  all: Latencies,
  cpu: number,
  worst: { readonly sort: string; readonly p99Ms: number },
  { short, empty }: { readonly short: number; readonly empty: number },
): Row {
  return {
    name: `page, ${name}`,
    perSecond: 1_000 / Math.max(0.001, all.quantile(0.5)),
    p50Ms: all.quantile(0.5),
    p99Ms: all.quantile(0.99),
    cpuMicroseconds: (cpu * 1e6) / all.count,
    unit: 'page',
    facts: {
      'slowest sort': `${worst.sort}, p99 ${worst.p99Ms.toFixed(2)} ms`,
      'slowest page, ms': all.quantile(1),
      'pages cut short': `${short} of ${all.count}, ${empty} of them empty`,
    },
  };
}

/** The first page and the two behind it. */
async function threePages(
  agent: http.Agent,
  base: string,
  query: string,
  latencies: Latencies,
  tally: { short: number; empty: number },
): Promise<void> {
  let path: string | undefined = `/api/v1/job?${query}`;
  for (let page = 0; page < 3 && path !== undefined; page++) {
    const { text, link } = await timedGet(agent, `${base}${path}`, latencies);
    path = /<([^>]+)>/.exec(link)?.[1];
    const rows = (JSON.parse(text) as unknown[]).length;
    if (path === undefined || rows === 100) continue;
    tally.short++;
    if (rows === 0) tally.empty++;
  }
}

async function timedGet(agent: http.Agent, url: string, latencies: Latencies): Promise<Answer> {
  const begunMs = performance.now();
  const answer = await get(agent, url);
  latencies.record((performance.now() - begunMs) * 1_000);
  return answer;
}

interface Answer {
  readonly text: string;
  /** The header that leads to the next page. */
  readonly link: string;
}

/** Throws unless the status is 200. */
function get(agent: http.Agent, url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode, headers } = response;
        if (statusCode === 200) resolve({ text, link: String(headers['link'] ?? '') });
        else reject(new Error(`${url} was answered ${statusCode}: ${text.slice(0, 200)}`));
      });
    });
    request.once('error', reject);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
