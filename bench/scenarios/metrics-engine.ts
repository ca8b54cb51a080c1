/**
 * Samples twice a minute of three metrics a node: a week of some nodes, hours of many; then questions. VictoriaMetrics and
 * Prometheus, where they are installed, get the same measures (text import, remote write) and the same questions.
 *
 * Measured: CPU a sample (journal, folding, flushing; merges and rollups by themselves), bytes a sample on disk, latency of
 * questions over HTTP. Excluded for ours in `samples`: parsing, which the `POST` rows measure from outside.
 * The peers' figures hold their parsing, as text or protobuf is all they take; neither syncs each write.
 * Sketch: two values of a bucket are some 12 bits each, times and counts nothing: 2 bytes a sample.
 *
 * `CAIRN_BENCH_SERIES=100000x24` makes it 100,000 series for 24 hours: the last whole day, nothing of it merged or rolled, with which
 * a server then has to catch up while 200 heartbeats a second come. Some 300 million samples: ten minutes for us and as long for
 * each peer; `CAIRN_BENCH_SERIES_PEERS=no` leaves those out.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'msgpackr';
import { LEVELS } from '../../src/protocol/rollup-retention.ts';
import { dayOf, windowStartOf } from '../../src/store/series/series-layout.ts';
import type { AnyRow, Row, RunOptions, Scenario } from '../harness/table.ts';
import { type ServerOn, startOn } from '../lists/server-on.ts';
import { Latencies } from '../load/latencies.ts';
import { cpuSeconds } from '../load/process-cpu.ts';
import { measureCatchUp } from '../series/catch-up.ts';
import { fill, type Size } from '../series/ingest.ts';
import { METRICS, nodeName } from '../series/measures.ts';
import { Prometheus } from '../series/prometheus.ts';
import { jsonLinesOf, measuresOf, NODES_PER_FEW, samplesOf } from '../series/sample-calls.ts';
import { type Answer, ask, type SeriesPeer } from '../series/series-peer.ts';
import { Victoria } from '../series/victoria.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const FULL: Size = {
  long: 20,
  wide: 8_000,
  longMs: 167 * HOUR_MS,
  wideMs: 2 * HOUR_MS,
  catchesUp: false,
  idleMs: 20_000,
  queues: 1_000,
  busyQueues: 50,
  days: 740,
  questions: 200,
  calls: 40,
};
const SMOKE: Size = {
  long: 2,
  wide: 4,
  longMs: 26 * HOUR_MS,
  wideMs: HOUR_MS,
  catchesUp: false,
  // The first beats define their metrics and make their series, which takes longer.
  idleMs: 1_000,
  queues: 3,
  busyQueues: 1,
  days: 70,
  questions: 3,
  calls: 1,
};
/** Of a queue in a summary: its name and a value for each metric take more. */
const QUEUE_BYTES_MIN = 100;
const CATCH_UP_MAX_MS = 3_600_000;
export const metricsEngine: Scenario = {
  name: 'metrics-engine',
  run: async ({ smoke, progress }) => {
    const size = smoke ? SMOKE : sizeAskedFor();
    const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-series-'));
    const peers: SeriesPeer[] = [];
    const absent: AnyRow[] = [];
    try {
      for (const [name, tryStart] of [
        ['victoria-metrics', Victoria.tryStart],
        ['prometheus', Prometheus.tryStart],
      ] as const) {
        const why = smoke
          ? 'not part of the smoke run'
          : process.env['CAIRN_BENCH_SERIES_PEERS'] === 'no'
            ? 'left out'
            : '';
        const peer = why === '' ? await tryStart(join(folder, name)) : undefined;
        if (peer) peers.push(peer);
        else absent.push({ name, absent: why || `not installed: apt-get install ${name}` });
      }
      return [...(await measure(folder, size, peers, progress)), ...absent];
    } finally {
      for (const peer of peers) await peer.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function sizeAskedFor(): Size {
  const asked = process.env['CAIRN_BENCH_SERIES'];
  if (asked === undefined) return FULL;
  const [series, hours] = (/^(\d+)x(\d+)$/.exec(asked) ?? []).slice(1).map(Number);
  if (!series || !hours || hours > 24)
    throw new Error(`CAIRN_BENCH_SERIES must be series and hours, at most 24, such as 100000x24; got ${asked}`);
  return { ...FULL, wide: Math.ceil(series / METRICS.length), wideMs: hours * HOUR_MS, catchesUp: true };
}

async function measure(
  folder: string,
  size: Size,
  peers: readonly SeriesPeer[],
  progress: RunOptions['progress'],
): Promise<AnyRow[]> {
  // An hour ago at least: what the engine flushes after the end must not lie ahead of the server's clock. The end of a window: all
  // of the wide part is to be merged.
  const endMs = windowStartOf(LEVELS[0], Date.now() - HOUR_MS);
  const filled = await fill(folder, size, endMs, peers, progress);
  const rows: AnyRow[] = [...filled.rows];
  const server = await startOn(folder);
  try {
    const before = new Map<Form, number>();
    if (size.catchesUp || size === SMOKE) {
      progress('samples from outside, before catching up');
      for (const form of LARGE_FORMS) {
        // The first calls of a server pay for its compiler.
        await post(server, form, NODES_PER_CALL, size.calls);
        const { name, ...row } = await post(server, form, NODES_PER_CALL, size.calls);
        before.set(form, row.cpuMicroseconds);
        rows.push({ name: `${name}, before`, ...row });
      }
      progress('catching up, with heartbeats');
      const { samples, wideFromMs: fromMs } = filled;
      const beforeMs = dayOf(filled.wideToMs);
      const { idleMs } = size;
      rows.push(
        ...(await measureCatchUp(folder, server, { samples, fromMs, beforeMs, idleMs, deadlineMs: CATCH_UP_MAX_MS })),
      );
    }
    progress('questions');
    rows.push(...(await askAll(server, size, endMs, peers)));
    progress('samples from outside');
    for (const form of LARGE_FORMS) {
      const row = await post(server, form, NODES_PER_CALL, size.calls);
      const earlier = before.get(form);
      rows.push(earlier ? { ...row, ratio: row.cpuMicroseconds / earlier, ratioTo: 'before' } : row);
    }
    const few = size.calls * FEW_CALLS;
    const lines = await post(server, 'lines', NODES_PER_FEW, few);
    const theirs: Row[] = [];
    const refused: AnyRow[] = [];
    for (const peer of peers) {
      const name = `${peer.name}, ${NODES_PER_FEW * METRICS.length} a call`;
      try {
        theirs.push(await postTo(name, peer, NODES_PER_FEW, few));
      } catch (error) {
        // Prometheus refuses what is older than what it has of a series.
        refused.push({ name, absent: error instanceof Error ? error.message : String(error) });
      }
    }
    const [first] = theirs;
    const ratio = first ? { ratio: lines.cpuMicroseconds / first.cpuMicroseconds, ratioTo: first.name } : {};
    rows.push({ ...lines, ...ratio }, ...theirs, ...refused);
  } finally {
    await server.stop();
  }
  return rows;
}

async function askAll(server: ServerOn, size: Size, endMs: number, peers: readonly SeriesPeer[]): Promise<Row[]> {
  const rows: Row[] = [];
  const { port } = new URL(server.base);
  const agent = new Agent({ keepAlive: true });
  const iso = (ms: number): string => new Date(ms).toISOString();
  const get = (path: string): Promise<Answer> => ask(agent, Number(port), 'GET', path, '');
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
    const theirs: Row[] = [];
    for (const peer of peers)
      theirs.push(
        await timed(`${peer.name}, ${name}`, peer.pid, size.questions, (i) =>
          peer.query(METRICS[i % 3] as string, i % size.long, fromMs + MINUTE_MS, endMs, 60),
        ),
      );
    const [first] = theirs;
    rows.push(first ? { ...ours, ratio: ours.p50Ms / first.p50Ms, ratioTo: `${first.name} (p50)` } : ours, ...theirs);
  }
  const summary = (fromMs: number, toMs: number): Promise<Answer> =>
    get(`/api/v1/metrics/summary?start=${iso(fromMs)}&end=${iso(toMs)}`);
  const { questions } = size;
  for (const [queues, toMs] of [
    [size.busyQueues, endMs],
    [size.queues, endMs - HOUR_MS],
  ] as const) {
    const name = `summary, an hour of ${queues} queues`;
    rows.push(withQueues(queues, await timed(name, server.pid, questions, () => summary(toMs - HOUR_MS, toMs))));
  }
  rows.push(
    await timed('summary, everything', server.pid, Math.ceil(questions / 6), () => get('/api/v1/metrics/summary')),
  );
  agent.destroy();
  return rows;
}

/** The row; throws where the answer cannot have told of so many queues: an empty one is no summary. */
function withQueues(queues: number, row: Row): Row {
  const bytes = Number(row.facts?.['bytes of an answer']);
  if (bytes < queues * QUEUE_BYTES_MIN) throw new Error(`${row.name}: ${bytes} bytes tell of no ${queues} queues`);
  return row;
}

async function timed(
  name: string,
  pid: number,
  questions: number,
  question: (i: number) => Promise<Answer>,
): Promise<Row> {
  const first = performance.now();
  await check(name, question(0));
  const firstMs = performance.now() - first;
  // A round to warm up, as in other scenarios: a server runs for weeks, and its compiler is through after the first hundreds.
  for (let i = 1; i < questions; i++) await check(name, question(i));
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

async function check(name: string, answer: Promise<Answer>): Promise<number> {
  const { status, bytes } = await answer;
  if (status !== 200) throw new Error(`${name} was answered ${status}`);
  return bytes;
}

/** Nodes with three metrics each: 9,999 samples a call. */
const NODES_PER_CALL = 3_333;
/** So many times as many of those calls. */
const FEW_CALLS = 20;

const FORMS = {
  msgpack: { type: 'application/msgpack', encode: (samples: readonly object[]) => Uint8Array.from(pack(samples)) },
  json: { type: 'application/json', encode: (samples: readonly object[]) => JSON.stringify(samples) },
  lines: {
    type: 'application/x-ndjson',
    encode: jsonLinesOf,
  },
} as const;

type Form = keyof typeof FORMS;
const LARGE_FORMS = ['msgpack', 'json'] as const;

/** Samples of so many nodes a call, by the API, from outside. */
async function post(server: ServerOn, form: Form, nodes: number, calls: number): Promise<Row> {
  const { type, encode } = FORMS[form];
  const samples = nodes * METRICS.length;
  return timedCalls(`POST ${form}, ${samples} a call`, server.pid, samples, calls, async (call) => {
    const body = encode(samplesOf(measuresOf(nodes, call)));
    return async () => {
      const answer = await fetch(`${server.base}/api/v1/metricValue`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      const { accepted } = (await answer.json()) as { accepted: number };
      if (accepted !== samples) throw new Error(`${accepted} of ${samples} samples were taken`);
    };
  });
}

/** The same measures to a peer, in calls of its own kind. */
async function postTo(name: string, peer: SeriesPeer, nodes: number, calls: number): Promise<Row> {
  const samples = nodes * METRICS.length;
  return timedCalls(name, peer.pid, samples, calls, async (call) => {
    for (const measure of measuresOf(nodes, call)) await peer.add(measure);
    return () => peer.flush();
  });
}

/** Each call is prepared, and then sent. */
async function timedCalls(
  name: string,
  pid: number,
  samples: number,
  calls: number,
  prepare: (call: number) => Promise<() => Promise<void>>,
): Promise<Row> {
  const latencies = new Latencies();
  const send = async (call: number): Promise<void> => {
    const ready = await prepare(call);
    const asked = performance.now();
    await ready();
    latencies.record((performance.now() - asked) * 1_000);
  };
  for (let call = 0; call < Math.min(5, calls); call++) await send(call);
  const before = cpuSeconds(pid);
  const begun = performance.now();
  for (let call = 0; call < calls; call++) await send(call);
  return {
    name,
    unit: 'sample',
    perSecond: (1_000 * calls * samples) / (performance.now() - begun),
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    cpuMicroseconds: (1e6 * (cpuSeconds(pid) - before)) / (calls * samples),
  };
}
