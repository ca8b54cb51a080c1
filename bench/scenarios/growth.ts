/**
 * How cost grows: beats against nodes, pages against jobs, questions against series, and a restart against all of them.
 *
 * For each size a store with so many jobs, nodes and series; the same small questions of each, one after the other. Measured:
 * processor time of the server a unit, which a busy machine disturbs least. Excluded: making the stores.
 * `CAIRN_BENCH_GROWTH=1000,1000000` names other sizes; a million of each takes some ten minutes to make.
 * `npm run bench -- --charts growth` writes the curves beside docs/performance.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Curve } from '../harness/chart.ts';
import type { AnyRow, Row, Scenario } from '../harness/table.ts';
import { fillStore, nodeIdOf } from '../lists/fill-store.ts';
import { type ServerOn, startOn } from '../lists/server-on.ts';
import { Latencies } from '../load/latencies.ts';
import { cpuSeconds } from '../load/process-cpu.ts';
import { ask } from '../series/series-peer.ts';

const SIZES = [1_000, 10_000, 100_000];
const CALLS = 2_000;
const SAMPLES_PER_CALL = 9_999;
const JSON_TYPE = { 'content-type': 'application/json' };
/** `each`: microseconds in what is shown. */
const CURVES: Readonly<Record<string, Omit<Curve, 'points'> & { readonly each: number }>> = {
  beat: { title: 'One heartbeat a request', of: 'nodes', measure: 'µs of processor time a beat', each: 1 },
  page: { title: 'A page of 100 by queue and status', of: 'jobs', measure: 'ms of processor time a page', each: 1_000 },
  question: { title: 'An hour of one series', of: 'series', measure: 'ms of processor time a question', each: 1_000 },
  restart: {
    title: 'Start until ready',
    of: 'jobs, nodes and series each',
    measure: 'seconds of processor time',
    each: 1_000_000,
  },
};

export const growth: Scenario = {
  name: 'growth',
  rounds: 1,
  run: async ({ smoke, progress }) => {
    const rows: Row[] = [];
    for (const size of smoke ? [40] : sizesAskedFor()) {
      progress(`${size} jobs, nodes and series`);
      rows.push(...(await measureAt(size, smoke ? 10 : CALLS)));
    }
    return rows;
  },
};

/** The curves that the scenario's rows make, by a name for the file. */
export function curvesOf(rows: readonly AnyRow[]): ReadonlyMap<string, Curve> {
  const curves = new Map<string, Curve>();
  for (const [unit, { each, ...about }] of Object.entries(CURVES)) {
    const points = rows.flatMap((row) => {
      if (!('unit' in row) || row.unit !== unit || row.cpuMicroseconds <= 0) return [];
      return [{ size: Number(row.facts?.['size']), cost: row.cpuMicroseconds / each }];
    });
    if (points.length > 1) curves.set(`growth-${unit}`, { ...about, points });
  }
  return curves;
}

function sizesAskedFor(): readonly number[] {
  const asked = process.env['CAIRN_BENCH_GROWTH'];
  if (asked === undefined) return SIZES;
  const sizes = asked.split(',').map(Number);
  if (sizes.some((size) => !Number.isSafeInteger(size) || size < 1))
    throw new Error(`CAIRN_BENCH_GROWTH must be sizes separated by commas, such as 1000,100000; got ${asked}`);
  return sizes;
}

async function measureAt(size: number, calls: number): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-growth-'));
  try {
    await fillStore(join(folder, 'data'), { jobs: size, nodes: size, seed: 42, nowMs: Date.now() });
    const first = await startOn(folder);
    const samplesAtMs = Date.now();
    try {
      // Most of the nodes never beat, and must not be lost meanwhile.
      await send(first, 'PUT', '/api/v1/configKV', { kvMap: { 'node.ttl': '24h' } });
      await postSamples(first, size, samplesAtMs);
    } finally {
      await first.stop();
    }
    const server = await startOn(folder);
    try {
      return [restartRow(server, size), ...(await askAll(server, size, calls, samplesAtMs))];
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function postSamples(server: ServerOn, series: number, timeMs: number): Promise<void> {
  const time = new Date(timeMs).toISOString();
  for (let from = 0; from < series; from += SAMPLES_PER_CALL) {
    const count = Math.min(SAMPLES_PER_CALL, series - from);
    const samples = Array.from({ length: count }, (_, i) => {
      return { objectId: `node-${nodeIdOf(from + i)}`, definitionId: 'cpuPercent', time, value: i % 100 };
    });
    await send(server, 'POST', '/api/v1/metricValue', samples);
  }
}

async function askAll(server: ServerOn, size: number, calls: number, samplesAtMs: number): Promise<Row[]> {
  const range = `start=${new Date(samplesAtMs - 1_800_000).toISOString()}&end=${new Date(samplesAtMs + 1_800_000).toISOString()}`;
  const node = (i: number): string => nodeIdOf((i * 7_919) % size);
  return [
    await timed(server, 'beat', size, calls, 'POST', (i) => `/api/v1/node/${node(i)}/heartbeat`),
    await timed(server, 'page', size, calls / 4, 'GET', (i) => {
      return `/api/v1/job?limit=100&sort=-updatedAt&queue=queue-${i % 5}&status=Succeeded`;
    }),
    await timed(server, 'question', size, calls, 'GET', (i) => {
      return `/api/v1/metricValue/node-${node(i)}/cpuPercent?interval=1m&${range}`;
    }),
  ];
}

async function timed(
  server: ServerOn,
  unit: string,
  size: number,
  calls: number,
  method: string,
  pathOf: (i: number) => string,
): Promise<Row> {
  const agent = new Agent({ keepAlive: true });
  const port = Number(new URL(server.base).port);
  const latencies = new Latencies();
  const call = async (i: number): Promise<void> => {
    const begun = performance.now();
    const body = method === 'POST' ? '{}' : '';
    const { status } = await ask(agent, port, method, pathOf(i), body, JSON_TYPE);
    if (status !== 200) throw new Error(`${method} ${pathOf(i)} was answered ${status}`);
    latencies.record((performance.now() - begun) * 1_000);
  };
  // Code and pages that nobody has used yet are no part of growth.
  for (let i = 0; i < calls / 4; i++) await call(i);
  const before = cpuSeconds(server.pid);
  const begun = performance.now();
  for (let i = 0; i < calls; i++) await call(i);
  const seconds = (performance.now() - begun) / 1_000;
  agent.destroy();
  return {
    name: `${unit}, ${size.toLocaleString('en')} ${CURVES[unit]?.of}`,
    unit,
    perSecond: calls / seconds,
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    cpuMicroseconds: (1e6 * (cpuSeconds(server.pid) - before)) / calls,
    facts: { size },
  };
}

function restartRow({ readyMs, readyCpuSeconds }: ServerOn, size: number): Row {
  return {
    name: `restart, ${size.toLocaleString('en')} of each`,
    unit: 'restart',
    perSecond: 1_000 / readyMs,
    p50Ms: readyMs,
    p99Ms: readyMs,
    cpuMicroseconds: readyCpuSeconds * 1e6,
    facts: { size },
  };
}

async function send(server: ServerOn, method: string, path: string, body: object): Promise<void> {
  const { status } = await fetch(`${server.base}${path}`, { method, headers: JSON_TYPE, body: JSON.stringify(body) });
  if (status !== 200) throw new Error(`${method} ${path} was answered ${status}`);
}
