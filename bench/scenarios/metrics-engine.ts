/**
 * Samples twice a minute of three metrics a node: a week of some nodes, a day of many; then questions. VictoriaMetrics gets the same
 * measures by its text import, and the same questions.
 *
 * Measured: CPU a sample (journal, folding, flushing; merges and rollups by themselves), bytes a sample on disk, latency of
 * questions over HTTP. Excluded for ours in `samples`: parsing, which `POST msgpack` and `POST json` measure from outside.
 * VictoriaMetrics's figure holds its parsing, as text is all it takes; it also decides not to sync each write.
 * Sketch: two values of a bucket are some 12 bits each, times and counts nothing: 2 bytes a sample.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'msgpackr';
import { dayOf } from '../../src/store/series-place.ts';
import { Latencies } from '../harness/latencies.ts';
import { cpuSeconds } from '../harness/process-cpu.ts';
import type { AnyRow, Row, RunOptions, Scenario } from '../harness/table.ts';
import { type ServerOn, startOn } from '../lists/server-on.ts';
import { Engine } from '../series/engine.ts';
import { fillQueues } from '../series/fill-queues.ts';
import { Machines, METRICS, type Measure, nodeName, PERIOD_MS } from '../series/measures.ts';
import { ask, VICTORIA_ABSENT, Victoria } from '../series/victoria.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

interface Size {
  /** Nodes of the whole time, and of the last part of it. */
  readonly long: number;
  readonly wide: number;
  readonly longMs: number;
  readonly wideMs: number;
  readonly queues: number;
  readonly days: number;
  readonly questions: number;
  readonly calls: number;
}

const FULL: Size = {
  long: 20,
  wide: 8_000,
  longMs: 167 * HOUR_MS,
  wideMs: 2 * HOUR_MS,
  queues: 1_000,
  days: 740,
  questions: 200,
  calls: 40,
};
const SMOKE: Size = {
  long: 2,
  wide: 4,
  longMs: 26 * HOUR_MS,
  wideMs: HOUR_MS,
  queues: 3,
  days: 70,
  questions: 3,
  calls: 1,
};

export const metricsEngine: Scenario = {
  name: 'metrics-engine',
  run: async ({ smoke, progress }) => {
    const size = smoke ? SMOKE : FULL;
    const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-series-'));
    const victoria = smoke ? undefined : await Victoria.tryStart(join(folder, 'victoria'));
    try {
      return await measure(folder, size, victoria, progress);
    } finally {
      await victoria?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measure(
  folder: string,
  size: Size,
  victoria: Victoria | undefined,
  progress: RunOptions['progress'],
): Promise<AnyRow[]> {
  // An hour ago: what the engine flushes after the end must not lie ahead of the server's clock.
  const endMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
  const rows: AnyRow[] = [...(await fill(folder, size, endMs, victoria, progress))];
  const server = await startOn(folder);
  try {
    progress('questions');
    rows.push(...(await askAll(server, size, endMs, victoria)));
    progress('samples from outside');
    rows.push(await post(server, 'POST msgpack', size.calls), await post(server, 'POST json', size.calls));
  } finally {
    await server.stop();
  }
  if (!victoria)
    rows.push({ name: 'victoria-metrics', absent: size === SMOKE ? 'not part of the smoke run' : VICTORIA_ABSENT });
  return rows;
}

async function fill(
  folder: string,
  size: Size,
  endMs: number,
  victoria: Victoria | undefined,
  progress: RunOptions['progress'],
): Promise<Row[]> {
  const startMs = endMs - size.longMs;
  const wideFromMs = endMs - size.wideMs;
  const engine = new Engine(folder, startMs);
  engine.define(size.wide);
  const machines = new Machines(size.wide);
  const turn: Measure[] = [];
  progress('a week of some nodes');
  for (let periodMs = startMs; periodMs < wideFromMs; periodMs += PERIOD_MS) {
    turn.length = 0;
    machines.turn(periodMs, size.long, (measure) => turn.push(measure));
    for (const measure of turn) engine.add(measure);
    for (const measure of turn) await victoria?.add(measure);
    // Few and long steps: nothing is measured here.
    if ((periodMs + PERIOD_MS) % (10 * PERIOD_MS) === 0) engine.turn(periodMs + PERIOD_MS, MINUTE_MS);
    if ((periodMs + PERIOD_MS) % (6 * HOUR_MS) === 0) await engine.keep();
  }
  await victoria?.flush();
  await victoria?.settle();
  const before = { cpu: victoria ? cpuSeconds(victoria.pid) : 0, bytes: victoria?.bytes() ?? 0, sizes: engine.sizes() };
  progress('hours of many nodes');
  engine.keeperCpu = 0;
  let samples = 0;
  let ingestCpu = 0;
  for (let periodMs = wideFromMs; periodMs < endMs; periodMs += PERIOD_MS) {
    turn.length = 0;
    machines.turn(periodMs, size.wide, (measure) => turn.push(measure));
    samples += turn.length * METRICS.length;
    const begun = process.cpuUsage();
    for (const measure of turn) engine.add(measure);
    engine.turn(periodMs + PERIOD_MS);
    const { user, system } = process.cpuUsage(begun);
    ingestCpu += user + system;
    for (const measure of turn) await victoria?.add(measure);
  }
  engine.turn(endMs + 40 * MINUTE_MS);
  await engine.keep();
  await victoria?.flush();
  const theirCpu = victoria ? (1e6 * (cpuSeconds(victoria.pid) - before.cpu)) / samples : undefined;
  await victoria?.settle();
  const theirBytes = victoria ? (victoria.bytes() - before.bytes) / samples : undefined;
  const fine = (engine.sizes().fine - before.sizes.fine) / samples;
  const cpu = (ingestCpu + engine.keeperCpu) / samples;
  const facts = {
    samples,
    'of it merging, CPU µs a sample': engine.keeperCpu / samples,
    'rolling a day up, CPU µs a sample': engine.rollCpu(dayOf(wideFromMs)) / samples,
    'bytes a sample at 1m, merged': fine,
    ...(theirBytes ? { 'bytes beside victoria-metrics': `${(fine / theirBytes).toFixed(2)} ×` } : {}),
  };
  progress('two years of queues');
  fillQueues(engine.store, size.queues, size.days, endMs);
  await engine.close();
  const ours: Row = { ...plain('samples', 'sample', cpu), facts };
  if (theirCpu === undefined || theirBytes === undefined) return [ours];
  const theirs = { ...plain('victoria-metrics', 'sample', theirCpu), facts: { 'bytes a sample': theirBytes } };
  return [{ ...ours, ratio: cpu / theirCpu, ratioTo: 'victoria-metrics' }, theirs];
}

function plain(name: string, unit: string, cpuMicroseconds: number): Row {
  return { name, unit, perSecond: 1e6 / cpuMicroseconds, p50Ms: 0, p99Ms: 0, cpuMicroseconds };
}

async function askAll(server: ServerOn, size: Size, endMs: number, victoria: Victoria | undefined): Promise<Row[]> {
  const rows: Row[] = [];
  const { port } = new URL(server.base);
  const agent = new Agent({ keepAlive: true });
  const iso = (ms: number): string => new Date(ms).toISOString();
  const get = (path: string): Promise<{ status: number; bytes: number }> => ask(agent, Number(port), 'GET', path, '');
  for (const [name, ms] of [
    ['1 h', HOUR_MS],
    ['24 h', Math.min(24 * HOUR_MS, size.longMs)],
    ['7 d', size.longMs],
  ] as const) {
    const fromMs = endMs - ms;
    const ours = await timed(`${name} at 1m`, server.pid, size.questions, (i) =>
      get(
        `/api/v1/metricValue/node-${nodeName(i % size.long)}/${METRICS[i % 3]}?interval=1m&start=${iso(fromMs)}&end=${iso(endMs)}`,
      ),
    );
    if (!victoria) {
      rows.push(ours);
      continue;
    }
    const theirs = await timed(`victoria, ${name}`, victoria.pid, size.questions, (i) =>
      victoria.query(METRICS[i % 3] as string, i % size.long, fromMs + MINUTE_MS, endMs, 60),
    );
    rows.push({ ...ours, ratio: ours.p50Ms / theirs.p50Ms, ratioTo: 'victoria-metrics (p50)' }, theirs);
  }
  const range = `start=${iso(endMs - HOUR_MS)}&end=${iso(endMs)}`;
  rows.push(
    await timed('summary, last hour', server.pid, size.questions, () => get(`/api/v1/metrics/summary?${range}`)),
  );
  rows.push(
    await timed('summary, everything', server.pid, Math.ceil(size.questions / 6), () => get('/api/v1/metrics/summary')),
  );
  agent.destroy();
  return rows;
}

async function timed(
  name: string,
  pid: number,
  questions: number,
  question: (i: number) => Promise<{ readonly status: number; readonly bytes: number }>,
): Promise<Row> {
  const first = performance.now();
  await check(name, question(0));
  const firstMs = performance.now() - first;
  for (let i = 1; i < Math.min(10, questions); i++) await check(name, question(i));
  const latencies = new Latencies();
  const before = cpuSeconds(pid);
  const begun = performance.now();
  let bytes = 0;
  for (let i = 0; i < questions; i++) {
    const asked = performance.now();
    bytes = await check(name, question(i));
    latencies.record((performance.now() - asked) * 1_000);
  }
  return {
    name,
    unit: 'question',
    perSecond: (1_000 * questions) / (performance.now() - begun),
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    cpuMicroseconds: (1e6 * (cpuSeconds(pid) - before)) / questions,
    facts: { 'bytes of an answer': bytes, 'the first, ms': firstMs },
  };
}

async function check(
  name: string,
  answer: Promise<{ readonly status: number; readonly bytes: number }>,
): Promise<number> {
  const { status, bytes } = await answer;
  if (status !== 200) throw new Error(`${name} was answered ${status}`);
  return bytes;
}

const PER_CALL = 9_999;

/** Samples of 3,333 nodes a call, by the API, from outside. */
async function post(server: ServerOn, name: 'POST msgpack' | 'POST json', calls: number): Promise<Row> {
  const latencies = new Latencies();
  const send = async (call: number): Promise<void> => {
    const time = new Date(Date.now() - call).toISOString();
    const samples = Array.from({ length: PER_CALL }, (_, i) => ({
      objectId: `node-${nodeName(Math.floor(i / 3))}`,
      definitionId: METRICS[i % 3],
      time,
      value: ((i * 31 + call) % 10_000) / 100,
    }));
    const isJson = name === 'POST json';
    const body = isJson ? JSON.stringify(samples) : Uint8Array.from(pack(samples));
    const asked = performance.now();
    const answer = await fetch(`${server.base}/api/v1/metricValue`, {
      method: 'POST',
      headers: { 'content-type': isJson ? 'application/json' : 'application/msgpack' },
      body,
    });
    const { accepted } = (await answer.json()) as { accepted: number };
    if (accepted !== PER_CALL) throw new Error(`${accepted} of ${PER_CALL} samples were taken`);
    latencies.record((performance.now() - asked) * 1_000);
  };
  for (let call = 0; call < Math.min(5, calls); call++) await send(call);
  const before = cpuSeconds(server.pid);
  const begun = performance.now();
  for (let call = 0; call < calls; call++) await send(call);
  const samples = calls * PER_CALL;
  return {
    name,
    unit: 'sample',
    perSecond: (1_000 * samples) / (performance.now() - begun),
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    cpuMicroseconds: (1e6 * (cpuSeconds(server.pid) - before)) / samples,
  };
}
