/**
 * Samples in calls of one size over one connection, each call behind the answer to the last. Beside the least that is durable
 * (the same server without anything of ours, `durable-uws`) and VictoriaMetrics, which takes the same measures as Prometheus's
 * text and flushes once a second.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCairn, startPeer, type UnderTest } from '../harness/peer-process.ts';
import { contest, LONG_WARM_UP, type Target } from '../harness/rounds.ts';
import type { AnyRow, RunOptions } from '../harness/table.ts';
import { Latencies } from '../load/latencies.ts';
import { cpuSeconds } from '../load/process-cpu.ts';
import type { Measured } from '../load/run-load.ts';
import { METRICS, type Measure } from './measures.ts';
import { measuresOf, textLinesOf } from './sample-calls.ts';
import { ask } from './series-peer.ts';
import { Victoria } from './victoria.ts';

const TEXT_TYPE = 'text/plain';

/** How our API is sent the measures of a call. */
export interface SampleForm {
  readonly contentType: string;
  readonly bodyOf: (measures: readonly Measure[]) => string | Uint8Array;
}

export interface CallSizes {
  readonly calls: number;
  readonly nodes: number;
}

interface Way extends SampleForm {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly status: number;
}

/** A round sends the calls; a smoke run sends few small ones, without VictoriaMetrics. */
export async function contestOfCalls(
  form: SampleForm,
  { calls, nodes }: CallSizes,
  options: RunOptions,
): Promise<AnyRow[]> {
  const { smoke } = options;
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-samples-'));
  const servers: UnderTest[] = [];
  let victoria: Victoria | undefined;
  try {
    servers.push(await startCairn(), await startPeer('durable-uws'));
    victoria = smoke ? undefined : await Victoria.tryStart(folder);
    const ways = servers.map(
      ({ name, pid, port }): Way => ({ ...form, name, pid, port, path: '/api/v1/metricValue', status: 200 }),
    );
    if (victoria) {
      const { name, pid, port } = victoria;
      const path = '/api/v1/import/prometheus';
      ways.push({ name, pid, port, path, status: 204, contentType: TEXT_TYPE, bodyOf: textLinesOf });
    }
    const targets = ways.map(
      (way): Target => ({
        name: way.name,
        perMessage: nodes * METRICS.length,
        measure: () => sendAll(way, { calls, nodes }),
      }),
    );
    const ratioTo = victoria ? victoria.name : 'durable-uws';
    const rows = await contest(targets, { unit: 'sample', ratioTo, warmUps: LONG_WARM_UP }, options);
    return victoria ? rows : [...rows, absent(smoke)];
  } finally {
    await Promise.all([...servers.map((server) => server.stop()), victoria?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function absent(smoke: boolean): AnyRow {
  const why = smoke
    ? 'not part of the smoke run'
    : 'victoria-metrics is not installed: apt-get install victoria-metrics';
  return { name: 'victoria-metrics', absent: why };
}

async function sendAll(
  { pid, port, path, status: wanted, contentType, bodyOf }: Way,
  { calls, nodes }: CallSizes,
): Promise<Measured> {
  const bodies = Array.from({ length: calls }, (_, call) => Buffer.from(bodyOf(measuresOf(nodes, call))));
  // A connection of its own: a server may have closed the one of the last round.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies = new Latencies();
  let failed = 0;
  const before = cpuSeconds(pid);
  const begunMs = performance.now();
  for (const bytes of bodies) {
    const askedMs = performance.now();
    const { status } = await ask(agent, port, 'POST', path, bytes, { 'content-type': contentType });
    if (status !== wanted) failed++;
    latencies.record((performance.now() - askedMs) * 1_000);
  }
  const seconds = (performance.now() - begunMs) / 1_000;
  agent.destroy();
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
