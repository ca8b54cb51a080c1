/**
 * Samples as lines of JSON in small calls: 501 a call over one connection, each call behind the answer to the last. Beside the
 * least that is durable (the same server without anything of ours, `durable-uws`) and VictoriaMetrics, which takes the same
 * measures as Prometheus's text and flushes once a second.
 *
 * Measured: processor time a sample with all threads, latency of a call. Excluded: making the bodies, TLS, the client's own
 * processor time, making the series (the warm-up does).
 * Sketch: JSON.parse takes 0.4 µs a line of 110 bytes, a commit some 150 µs a call: 0.3 µs a sample. Budget: 1.5 times VictoriaMetrics.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCairn, startPeer, type UnderTest } from '../harness/peer-process.ts';
import { contest, LONG_WARM_UP, type Target } from '../harness/rounds.ts';
import type { AnyRow, Scenario } from '../harness/table.ts';
import { Latencies } from '../load/latencies.ts';
import { cpuSeconds } from '../load/process-cpu.ts';
import type { Measured } from '../load/run-load.ts';
import { METRICS, type Measure } from './measures.ts';
import { jsonLinesOf, measuresOf, NODES_PER_FEW, samplesOf, textLinesOf } from './sample-calls.ts';
import { ask } from './series-peer.ts';
import { Victoria } from './victoria.ts';

const LINES_TYPE = 'application/x-ndjson';

interface Way {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly status: number;
  readonly body: (measures: readonly Measure[]) => string;
}

export const sampleLines: Scenario = {
  name: 'sample-lines',
  rounds: 5,
  run: async (options) => {
    const { smoke } = options;
    const calls = smoke ? 3 : 800;
    const nodes = smoke ? 5 : NODES_PER_FEW;
    const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-lines-'));
    const agent = new Agent({ keepAlive: true });
    const servers: UnderTest[] = [];
    let victoria: Victoria | undefined;
    try {
      servers.push(await startCairn(), await startPeer('durable-uws'));
      victoria = smoke ? undefined : await Victoria.tryStart(folder);
      const ways = servers.map(
        ({ name, pid, port }): Way => ({
          name,
          pid,
          port,
          path: '/api/v1/metricValue',
          status: 200,
          body: (measures) => jsonLinesOf(samplesOf(measures)),
        }),
      );
      if (victoria) {
        const { name, pid, port } = victoria;
        ways.push({ name, pid, port, path: '/api/v1/import/prometheus', status: 204, body: textLinesOf });
      }
      const targets = ways.map(
        (way): Target => ({
          name: way.name,
          perMessage: nodes * METRICS.length,
          measure: () => sendAll(way, agent, { calls, nodes }),
        }),
      );
      const ratioTo = victoria ? victoria.name : 'durable-uws';
      const rows = await contest(targets, { unit: 'sample', ratioTo, warmUps: LONG_WARM_UP }, options);
      return victoria ? rows : [...rows, absent(smoke)];
    } finally {
      agent.destroy();
      await Promise.all([...servers.map((server) => server.stop()), victoria?.stop()]);
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function absent(smoke: boolean): AnyRow {
  const why = smoke
    ? 'not part of the smoke run'
    : 'victoria-metrics is not installed: apt-get install victoria-metrics';
  return { name: 'victoria-metrics', absent: why };
}

async function sendAll(
  { pid, port, path, status: wanted, body }: Way,
  agent: Agent,
  { calls, nodes }: { readonly calls: number; readonly nodes: number },
): Promise<Measured> {
  const bodies = Array.from({ length: calls }, (_, call) => Buffer.from(body(measuresOf(nodes, call))));
  const latencies = new Latencies();
  let failed = 0;
  const before = cpuSeconds(pid);
  const begunMs = performance.now();
  for (const bytes of bodies) {
    const askedMs = performance.now();
    const { status } = await ask(agent, port, 'POST', path, bytes, { 'content-type': LINES_TYPE });
    if (status !== wanted) failed++;
    latencies.record((performance.now() - askedMs) * 1_000);
  }
  const seconds = (performance.now() - begunMs) / 1_000;
  const cpu = cpuSeconds(pid) - before;
  const phase = {
    perSecond: calls / seconds,
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    answered: calls - failed,
    refused: 0,
    retryAfter: 0,
    failed,
    givenUp: 0,
    cpuSeconds: cpu,
  };
  return { ...phase, cpuMicroseconds: (cpu * 1e6) / calls, seconds, phases: [phase], bins: [], lagP99Ms: 0 };
}
