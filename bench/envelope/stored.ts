/** Climbs of what is stored: jobs and series, with the questions that a dashboard asks, and a start with all of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillStore, nodeIdOf } from '../lists/fill-store.ts';
import { type ServerOn, startOn } from '../lists/server-on.ts';
import { Latencies } from '../load/latencies.ts';
import { cpuSeconds, residentMiB } from '../load/process-cpu.ts';
import { ask } from '../series/series-peer.ts';
import { type Climb, isLast, type Step } from './climb.ts';
import type { EnvelopeOptions } from './options.ts';

const CALLS = 400;
const SAMPLES_PER_CALL = 9_999;
const JSON_TYPE = { 'content-type': 'application/json' };

export function jobClimb(options: EnvelopeOptions): Promise<Climb> {
  return climb(options, options.sizes.jobs, {
    name: 'stored jobs',
    unit: 'jobs',
    how: 'Pages of 100 jobs by queue and status, newest first, one after the other; the start is that with all jobs.',
    fill: (size) => ({ jobs: size, nodes: 1 }),
    begin: async () => {},
    pathOf: (i) => `/api/v1/job?limit=100&sort=-updatedAt&queue=queue-${i % 5}&status=Succeeded`,
  });
}

export function seriesClimb(options: EnvelopeOptions): Promise<Climb> {
  const nowMs = Date.now();
  const range = `start=${new Date(nowMs - 1_800_000).toISOString()}&end=${new Date(nowMs + 1_800_000).toISOString()}`;
  return climb(options, options.sizes.series, {
    name: 'series',
    unit: 'series',
    how: 'An hour of one series at 1m, one question after the other; the start is that with all series.',
    fill: () => ({ jobs: 1, nodes: 1 }),
    begin: (server, size) => postSamples(server, size, nowMs),
    pathOf: (i, size) => `/api/v1/metricValue/node-${nodeIdOf((i * 7_919) % size)}/cpuPercent?interval=1m&${range}`,
  });
}

interface Stored {
  readonly name: string;
  readonly unit: string;
  readonly how: string;
  readonly fill: (size: number) => { readonly jobs: number; readonly nodes: number };
  readonly begin: (server: ServerOn, size: number) => Promise<void>;
  readonly pathOf: (i: number, size: number) => string;
}

async function climb(
  { smoke, say }: EnvelopeOptions,
  sizes: readonly number[],
  { name, unit, how, fill, begin, pathOf }: Stored,
): Promise<Climb> {
  const steps: Step[] = [];
  for (const size of smoke ? [30] : sizes) {
    say(`${name}: ${size}`);
    const folder = mkdtempSync(join(tmpdir(), 'cairn-envelope-'));
    try {
      await fillStore(join(folder, 'data'), { ...fill(size), seed: 42, nowMs: Date.now() });
      const first = await startOn(folder);
      await begin(first, size).finally(() => first.stop());
      const server = await startOn(folder);
      try {
        steps.push(await questions(server, size, smoke ? 10 : CALLS, (i) => pathOf(i, size)));
      } finally {
        await server.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    if (isLast(steps.at(-1) as Step)) break;
  }
  return { name, unit, how, steps };
}

async function questions(server: ServerOn, size: number, calls: number, pathOf: (i: number) => string): Promise<Step> {
  const agent = new Agent({ keepAlive: true });
  const port = Number(new URL(server.base).port);
  const latencies = new Latencies();
  let refused = 0;
  const call = async (i: number): Promise<void> => {
    const begun = performance.now();
    const { status } = await ask(agent, port, 'GET', pathOf(i), '', JSON_TYPE);
    if (status === 200) latencies.record((performance.now() - begun) * 1_000);
    else refused++;
  };
  for (let i = 0; i < calls / 4; i++) await call(i);
  const before = cpuSeconds(server.pid);
  for (let i = 0; i < calls; i++) await call(i);
  agent.destroy();
  return {
    size,
    figures: {
      p99Ms: latencies.quantile(0.99),
      refused,
      memoryMiB: residentMiB(server.pid),
      restartMs: server.readyMs,
    },
    cpuMicroseconds: (1e6 * (cpuSeconds(server.pid) - before)) / calls,
    generatorLateMs: 0,
  };
}

async function postSamples(server: ServerOn, series: number, timeMs: number): Promise<void> {
  const time = new Date(timeMs).toISOString();
  for (let from = 0; from < series; from += SAMPLES_PER_CALL) {
    const samples = Array.from({ length: Math.min(SAMPLES_PER_CALL, series - from) }, (_, i) => {
      return { objectId: `node-${nodeIdOf(from + i)}`, definitionId: 'cpuPercent', time, value: i % 100 };
    });
    const body = JSON.stringify(samples);
    const { status } = await fetch(`${server.base}/api/v1/metricValue`, { method: 'POST', headers: JSON_TYPE, body });
    if (status !== 200) throw new Error(`samples were answered ${status}`);
  }
}
