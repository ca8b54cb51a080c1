/**
 * The longest turn of any thread's event loop while the server takes the largest legal body of a route: 8 MiB, or as many
 * entries as a call may have. While a turn lasts, nobody on that thread is answered.
 *
 * Measured: processor time of the longest turn, the least of the rounds, so that a collection of garbage that fell into it by
 * chance is left out; how long the call took. Budget: 10 ms.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { pack } from 'msgpackr';
import { startCairn } from '../harness/peer-process.ts';
import { median, type Row, type Scenario } from '../harness/table.ts';

const ROUNDS = 5;
const EVENT_TYPES = ['Job-Restoring', 'Job-RestoreSucceeded', 'Job-Checkpointing', 'Job-CheckpointSucceeded'];

interface Body {
  readonly name: string;
  readonly path: string;
  readonly method?: string;
  readonly type?: string;
  readonly encoding?: string;
  /** `round` makes what must be new each time. */
  readonly make: (round: number) => string | Uint8Array;
}

export const longestStep: Scenario = {
  name: 'longest-step',
  run: async ({ smoke, progress }) => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-steps-'));
    const steps = join(folder, 'steps');
    writeFileSync(steps, '');
    const before = process.env['NODE_OPTIONS'];
    process.env['NODE_OPTIONS'] = `--import ${pathToFileURL('dist/bench/harness/step-watch.js').href}`;
    process.env['CAIRN_BENCH_STEPS'] = steps;
    const cairn = await startCairn(['--shards', '2']);
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
    try {
      const base = `http://${cairn.host}:${cairn.port}`;
      await prepare(base);
      const rows: Row[] = [];
      for (const body of bodiesOf(smoke ? 0.01 : 1)) {
        const rounds = [];
        for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) rounds.push(await one(base, body, round, steps));
        const row = rowOf(body.name, rounds);
        progress(`${body.name}: ${row.p99Ms.toFixed(1)} ms`);
        rows.push(row);
      }
      return rows;
    } finally {
      await cairn.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Round {
  readonly longestMs: number;
  readonly thread: string;
  readonly callMs: number;
}

const NODE = { instance: { instanceId: 'i-step', payType: 'Spot', pricePerHour: 0.25, onDemandPricePerHour: 1 } };

/** Registers a node and defines what the bodies name. */
async function prepare(base: string): Promise<void> {
  await send(base, 'PUT', '/api/v1/node/step', JSON.stringify(NODE));
  const definition = { name: 'step', description: '', unit: 'count', labels: [], aggregation: 'avg' };
  for (let i = 0; i < 64; i++) await send(base, 'PUT', `/api/v1/metric/step${i}`, JSON.stringify(definition));
}

async function one(
  base: string,
  { path, method = 'POST', make, ...form }: Body,
  round: number,
  steps: string,
): Promise<Round> {
  const body = make(round);
  await settled(steps);
  const from = readFileSync(steps).byteLength;
  const begunMs = performance.now();
  await send(base, method, path, body, form);
  const callMs = performance.now() - begunMs;
  // What the call has set going: messages to aggregators, the events' readers.
  await settled(steps);
  const lines = readFileSync(steps, 'utf8').slice(from).trim().split('\n');
  let longest = { callMs, longestMs: 0, thread: '' };
  for (const line of lines) {
    const [thread = '', ms = '0'] = line.split(' ');
    if (Number(ms) > longest.longestMs) longest = { callMs, longestMs: Number(ms), thread };
  }
  return longest;
}

async function settled(steps: string): Promise<void> {
  for (let size = -1; size !== readFileSync(steps).byteLength; ) {
    size = readFileSync(steps).byteLength;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

async function send(
  base: string,
  method: string,
  path: string,
  body: string | Uint8Array,
  { type = 'application/json', encoding }: Pick<Body, 'type' | 'encoding'> = {},
): Promise<void> {
  const headers = { 'content-type': type, ...(encoding === undefined ? {} : { 'content-encoding': encoding }) };
  const answer = await fetch(`${base}${path}`, { method, headers, body: body as string });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 200)}`);
}

function rowOf(name: string, rounds: readonly Round[]): Row {
  const callMs = median(rounds.map((round) => round.callMs));
  const longest = rounds.map(({ longestMs }) => longestMs);
  return {
    name,
    unit: 'call',
    perSecond: 1_000 / callMs,
    p50Ms: median(longest),
    p99Ms: Math.min(...longest),
    cpuMicroseconds: 0,
    facts: {
      thread: [...new Set(rounds.map(({ thread }) => thread))].join(', '),
      'longest turn, least of the rounds, ms': Math.min(...longest),
      'call, ms': callMs,
    },
  };
}

const HOUR_MS = 3_600_000;
const BEGUN_MS = Date.now() - HOUR_MS;

function at(ms: number): string {
  return new Date(BEGUN_MS + ms).toISOString();
}

function event(i: number, more: object = {}): object {
  const place = i % 4 === 0 ? { nodeOid: `i-${String(i).padStart(17, '0')}`, containerId: `c-${i}` } : {};
  return { timestamp: at(i * 2), eventType: EVENT_TYPES[i % 4], ...place, ...more };
}

function list<T>(length: number, make: (i: number) => T): T[] {
  return Array.from({ length }, (_, i) => make(i));
}

/** `share` of what a call may have. */
function bodiesOf(share: number): Body[] {
  return [...jobBodies(share), ...sampleBodies(share)];
}

function jobBodies(share: number): Body[] {
  const path = '/api/v1/job';
  const eventCount = Math.ceil(10_000 * share);
  const job = (id: string, events: readonly object[]): object => ({ id, queueName: 'q', events });
  const many = (id: string): object[] =>
    list(Math.ceil(1_000 * share), (i) =>
      job(
        `${id}-${i}`,
        list(70, (k) => event(k)),
      ),
    );
  const halves = (id: string, place: object = {}): object[] =>
    [0, 1].map((half) =>
      job(
        id,
        list(eventCount, (i) => event(i, i % 4 === 0 ? place : {})).filter((_, i) => i % 2 === half),
      ),
    );
  const long = Object.fromEntries(
    ['nodeOid', 'containerId', 'batchJobId', 'volumnId'].map((field) => [field, field.repeat(128).slice(0, 1_024)]),
  );
  const longCount = Math.ceil(1_900 * share);
  return [
    {
      name: 'job, 10,000 events',
      path,
      make: (round) =>
        JSON.stringify(
          job(
            `one-${round}`,
            list(eventCount, (i) => event(i)),
          ),
        ),
    },
    { name: 'job, alternating', path, make: (round) => JSON.stringify(halves(`two-${round}`)) },
    {
      name: 'job, alternating, priced',
      path,
      make: (round) => JSON.stringify(halves(`paid-${round}`, { nodeOid: 'i-step' })),
    },
    { name: 'jobs, 1,000', path, make: (round) => JSON.stringify(many(`json-${round}`)) },
    { name: 'jobs, MessagePack', path, type: 'application/msgpack', make: (round) => pack(many(`pack-${round}`)) },
    {
      name: 'jobs, gzip',
      path,
      encoding: 'gzip',
      make: (round) => gzipSync(JSON.stringify(many(`gzip-${round}`))),
    },
    {
      name: 'events, long texts',
      path: '/api/v1/job/long/event?queueName=q',
      make: (round) => JSON.stringify(list(longCount, (i) => event(round * longCount + i, long))),
    },
  ];
}

function sampleBodies(share: number): Body[] {
  const path = '/api/v1/metricValue';
  const samples = list(Math.ceil(10_000 * share), (i) => {
    return { objectId: `o-${i % 100}`, definitionId: `step${i % 64}`, time: at(i), value: i };
  });
  const metrics = Object.fromEntries(list(64, (i) => [`step${i}`, i]));
  const beats = list(Math.ceil(9_000 * share), () => ({ id: 'step', metrics }));
  const unknown = list(Math.ceil(130_000 * share), () => [1, 2]);
  return [
    { name: 'samples, 10,000', path, make: () => JSON.stringify(samples) },
    {
      name: 'samples, NDJSON',
      path,
      type: 'application/x-ndjson',
      make: () => samples.map((sample) => JSON.stringify(sample)).join('\n'),
    },
    { name: 'beats, 64 metrics', path: '/api/v1/heartbeat', make: () => JSON.stringify(beats) },
    {
      name: 'unknown fields',
      path: '/api/v1/node/step',
      method: 'PUT',
      make: () => JSON.stringify({ ...NODE, more: unknown }),
    },
  ];
}
