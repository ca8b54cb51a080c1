/**
 * 200,000 jobs of two or three events in 200 calls, a third of them running: what a fleet reports that has just been connected.
 *
 * Measured: the calls; the first byte of the whole list right behind the last call; pages of 100 by queue and status, the
 * newest first; memory of the process without pages of its files, right behind the last call and after two minutes of rest
 * (V8 gives memory back when there was hardly anything to do for most of a minute). The calls and the pages come from the
 * bench's own process, one after the other.
 * Sketch: a job is three index rows and a record of 600 bytes: 250 µs. A page is 100 rows on the shard: a millisecond. What
 * runs stays in memory until it is idle: at most 1 KiB each, 65 MiB beside an empty server's 120.
 */
import http from 'node:http';
import { startCairn, type UnderTest } from '../harness/peer-process.ts';
import type { Row, RunOptions, Scenario } from '../harness/table.ts';
import { Latencies } from '../load/latencies.ts';
import { anonymousMiB, cpuSeconds } from '../load/process-cpu.ts';

interface Size {
  readonly jobs: number;
  readonly perCall: number;
  readonly pages: number;
  readonly restMs: number;
}

const FULL: Size = { jobs: 200_000, perCall: 1_000, pages: 500, restMs: 120_000 };
const SMOKE: Size = { jobs: 60, perCall: 20, pages: 5, restMs: 50 };
const QUEUES = 50;
const NODES = 1_000;
const STATUSES = ['Running', 'Succeeded', 'Failed'] as const;
const MINUTE_MS = 60_000;

export const jobsInCalls: Scenario = {
  name: 'jobs-in-calls',
  rounds: 1,
  run: async ({ smoke, progress }: RunOptions) => {
    const size = smoke ? SMOKE : FULL;
    const cairn = await startCairn();
    const agent = new http.Agent({ keepAlive: true });
    try {
      const emptyMiB = anonymousMiB(cairn.pid);
      const written = await writeJobs(cairn, agent, size);
      const fullMiB = anonymousMiB(cairn.pid);
      progress('written');
      const list = await readList(cairn, agent);
      const pages = await readPages(cairn, agent, size);
      progress('read; at rest');
      await new Promise((resolve) => setTimeout(resolve, size.restMs));
      const facts = {
        'memory before, MiB': emptyMiB,
        'memory right behind the last call, MiB': fullMiB,
        'memory after the rest, MiB': anonymousMiB(cairn.pid),
      };
      return [{ ...written, facts }, list, pages];
    } finally {
      agent.destroy();
      await cairn.stop();
    }
  },
};

async function writeJobs(server: UnderTest, agent: http.Agent, { jobs, perCall }: Size): Promise<Row> {
  const nowMs = Date.now();
  const bodies: string[] = [];
  for (let first = 0; first < jobs; first += perCall)
    bodies.push(JSON.stringify(Array.from({ length: perCall }, (_, i) => updateOf(first + i, nowMs))));
  const latencies = new Latencies();
  const cpuBefore = cpuSeconds(server.pid);
  const begunMs = performance.now();
  for (const body of bodies) {
    const callMs = performance.now();
    const { status, bytes } = await call(server, agent, 'POST', '/api/v1/job', body);
    if (status !== 200) throw new Error(`a call was answered ${status}: ${bytes.toString().slice(0, 200)}`);
    latencies.record((performance.now() - callMs) * 1_000);
  }
  return rowOf('write', 'job', jobs, performance.now() - begunMs, latencies, cpuSeconds(server.pid) - cpuBefore);
}

/** Older ones first; every third runs. */
function updateOf(n: number, nowMs: number): object {
  const startMs = nowMs - 60 * MINUTE_MS + n;
  const at = (minutes: number): string => new Date(startMs + minutes * MINUTE_MS).toISOString();
  const status = STATUSES[n % STATUSES.length] as string;
  const nodeOid = `bench-node-${n % NODES}`;
  const events = [
    { timestamp: at(0), eventType: 'Job-Created', nodeOid },
    { timestamp: at(1), eventType: 'Job-Running', nodeOid },
    ...(status === 'Running' ? [] : [{ timestamp: at(2), eventType: `Job-${status}`, nodeOid }]),
  ];
  const id = `job-${String(n).padStart(7, '0')}`;
  return { id, name: `train-${n}`, queueName: `queue-${n % QUEUES}`, cpus: 4, memoryInMB: 8_192, events };
}

async function readList(server: UnderTest, agent: http.Agent): Promise<Row> {
  const cpuBefore = cpuSeconds(server.pid);
  const begunMs = performance.now();
  const { status, firstByteMs } = await call(server, agent, 'GET', '/api/v1/job');
  if (status !== 200) throw new Error(`the list was answered ${status}`);
  const ms = performance.now() - begunMs;
  const cpuMicroseconds = (cpuSeconds(server.pid) - cpuBefore) * 1e6;
  const facts = { 'first byte, ms': firstByteMs };
  return { name: 'whole list', unit: 'list', perSecond: 1_000 / ms, p50Ms: ms, p99Ms: ms, cpuMicroseconds, facts };
}

async function readPages(server: UnderTest, agent: http.Agent, { pages }: Size): Promise<Row> {
  const latencies = new Latencies();
  const cpuBefore = cpuSeconds(server.pid);
  const begunMs = performance.now();
  for (let i = 0; i < pages; i++) {
    const filter = `queue=queue-${(i * 7) % QUEUES}&status=${STATUSES[i % STATUSES.length]}`;
    const pageMs = performance.now();
    const { status } = await call(server, agent, 'GET', `/api/v1/job?limit=100&sort=-createdAt&${filter}`);
    if (status !== 200) throw new Error(`a page was answered ${status}`);
    latencies.record((performance.now() - pageMs) * 1_000);
  }
  const cpu = cpuSeconds(server.pid) - cpuBefore;
  return rowOf('page by queue and status', 'page', pages, performance.now() - begunMs, latencies, cpu);
}

function rowOf(name: string, unit: string, count: number, ms: number, latencies: Latencies, cpu: number): Row {
  const times = { p50Ms: latencies.quantile(0.5), p99Ms: latencies.quantile(0.99) };
  return { name, unit, perSecond: (count * 1_000) / ms, ...times, cpuMicroseconds: (cpu * 1e6) / count };
}

interface Called {
  readonly status: number;
  readonly firstByteMs: number;
  readonly bytes: Buffer;
}

/** The bytes of an answer to GET are read and left. */
function call({ host, port }: UnderTest, agent: http.Agent, method: string, path: string, body = ''): Promise<Called> {
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const begunMs = performance.now();
    const request = http.request({ host, port, path, method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      let firstByteMs = 0;
      response.on('data', (chunk: Buffer) => {
        firstByteMs ||= performance.now() - begunMs;
        if (method !== 'GET') chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, firstByteMs, bytes: Buffer.concat(chunks) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
