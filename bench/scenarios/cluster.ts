/**
 * Three servers over three engines (NATS JetStream), beside one server alone: what a beat, a sample and a registration cost the
 * leader, how long an acknowledged write takes, how fast a server catches up that was away, and how long one takes that is new.
 *
 * `CAIRN_BENCH_CLUSTER_JOBS` (100,000 where absent) is what the first server has before there is a cluster; 1,000,000 want
 * 30 GB of disk.
 *
 * Measured: CPU of the server's process, all threads, with the engine's client in it; latencies. Excluded: the engines' own CPU,
 * TLS, sealing (the engines are on loopback). Everything shares the machine, so latencies say more on one with five cores.
 * Sketch: a replicated group is sealed, digested and sent (some 100 µs), and the engine flushes thrice; a closed loop of 64
 * connections shares it. Budget: p50 of a write at most 3 ms, CPU at most 2 × one server's.
 */
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enginesAbsent } from '../../test/support/cluster/engines.ts';
import { BenchCluster, untilReplica } from '../harness/cluster.ts';
import { planFor, register } from '../harness/fleet.ts';
import { type CairnUnderTest, startCairn, type UnderTest } from '../harness/peer-process.ts';
import { contest, type Target } from '../harness/rounds.ts';
import type { AnyRow, Row, RunOptions, Scenario } from '../harness/table.ts';
import { fillStore } from '../lists/fill-store.ts';
import { cpuSeconds } from '../load/process-cpu.ts';
import { measure } from '../load/run-load.ts';
import { CANONICAL } from '../load/workload.ts';

const MIB = 1024 * 1024;
const SEED = 15;
/** Nodes that registrations of the bench make: far from those that beat. */
const NEW_NODES = 10_000_000;
const METRICS_EACH = 3;

interface Size {
  readonly engines: 1 | 3;
  readonly jobs: number;
  readonly nodes: number;
  readonly connections: number;
  readonly beats: number;
  readonly batches: number;
  readonly perBatch: number;
  readonly writes: number;
  /** Registrations that a server misses while it is away. */
  readonly missed: number;
}

const FULL: Size = {
  engines: 3,
  jobs: Number(process.env['CAIRN_BENCH_CLUSTER_JOBS'] ?? 100_000),
  nodes: CANONICAL.nodes,
  connections: CANONICAL.connections,
  beats: 40_000,
  batches: 400,
  perBatch: 1_000,
  writes: 2_000,
  missed: 50_000,
};
const SMOKE: Size = {
  engines: 1,
  jobs: 100,
  nodes: 20,
  connections: 4,
  beats: 100,
  batches: 4,
  perBatch: 20,
  writes: 40,
  missed: 100,
};

const ABSENT = 'nats-server is not installed: apt-get install nats-server';

export const cluster: Scenario = {
  name: 'cluster',
  rounds: 5,
  run: async (options) => {
    if (enginesAbsent() !== null) return ROWS.map((name) => ({ name, absent: ABSENT }));
    // Six servers and an engine: too much for a smoke of everything.
    if (options.smoke && !options.isNamed) return ROWS.map((name) => ({ name, absent: 'not part of the smoke run' }));
    const size = options.smoke ? SMOKE : FULL;
    const stopping: { stop(): Promise<unknown> }[] = [];
    try {
      const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-cluster-'));
      await fillStore(join(folder, 'data'), { jobs: size.jobs, nodes: size.nodes, seed: SEED, nowMs: Date.now() });
      const copy = mkdtempSync(join(tmpdir(), 'cairn-bench-cluster-'));
      cpSync(folder, copy, { recursive: true });
      const bench = await BenchCluster.start(size.engines);
      stopping.push(bench);
      const { leader, begun } = await begin(bench, folder, stopping);
      options.progress(`the cluster has begun with ${size.jobs} jobs`);
      const { follower, joined } = await joinedBy(bench, leader, stopping);
      options.progress('a newcomer has everything');
      const alone = await startCairn(['--shards', '1'], 'http', copy);
      stopping.push(alone);
      const costs = await costsOf(alone, leader, size, options);
      const caughtUp = await catchUp(bench, leader, follower, size);
      return [...costs, caughtUp, begun, joined];
    } finally {
      for (const one of stopping.reverse()) await one.stop();
    }
  },
};

/** What the rows are called, in order. */
const ROWS = [
  ...['a beat', 'samples', 'a write, 1 connection', 'writes'].flatMap((what) => [
    `${what}: one server`,
    `${what}: the leader`,
  ]),
  'catching up',
  'beginning with data',
  'a newcomer',
] as const;

async function begin(
  bench: BenchCluster,
  folder: string,
  stopping: { stop(): Promise<unknown> }[],
): Promise<{ readonly leader: CairnUnderTest; readonly begun: Row }> {
  const begunMs = performance.now();
  const leader = await bench.add(folder);
  stopping.push(leader);
  await untilReplica(leader, ({ role }) => role === 'leader', 'the server with data to lead');
  return { leader, begun: await transferRow('beginning with data', leader, bench, begunMs, { sequence: 0, bytes: 0 }) };
}

async function joinedBy(
  bench: BenchCluster,
  leader: CairnUnderTest,
  stopping: { stop(): Promise<unknown> }[],
): Promise<{ readonly follower: CairnUnderTest; readonly joined: Row }> {
  const begunMs = performance.now();
  const follower = await bench.add();
  stopping.push(follower);
  await hasAll(follower, leader);
  return { follower, joined: await transferRow('a newcomer', follower, bench, begunMs, { sequence: 0, bytes: 0 }) };
}

/** The server is away while nodes register, and has them all when this resolves. */
async function catchUp(
  bench: BenchCluster,
  leader: CairnUnderTest,
  follower: CairnUnderTest,
  { missed, connections }: Size,
): Promise<Row> {
  await hasAll(follower, leader);
  const from = { sequence: await bench.streamLast(), bytes: await bench.streamBytes() };
  await follower.kill();
  await register(leader, { first: 2 * NEW_NODES, count: missed }, connections);
  const begunMs = performance.now();
  const again = await follower.restart();
  await hasAll(again, leader);
  const row = await transferRow('catching up', again, bench, begunMs, from);
  await again.kill();
  return row;
}

async function hasAll(follower: CairnUnderTest, leader: CairnUnderTest): Promise<void> {
  const { applied } = await untilReplica(leader, ({ role }) => role === 'leader', 'the leader to answer');
  await untilReplica(
    follower,
    (facts) => facts.isReady && facts.applied >= applied,
    `a server to have applied ${applied}`,
  );
}

/** From the start of the process until it has everything. */
async function transferRow(
  name: string,
  server: CairnUnderTest,
  bench: BenchCluster,
  begunMs: number,
  from: { readonly sequence: number; readonly bytes: number },
): Promise<Row> {
  const ms = performance.now() - begunMs;
  const [bytes, groups] = [(await bench.streamBytes()) - from.bytes, (await bench.streamLast()) - from.sequence];
  return {
    name,
    unit: 'message',
    perSecond: (1_000 * groups) / ms,
    p50Ms: ms,
    p99Ms: ms,
    cpuMicroseconds: (1e6 * cpuSeconds(server.pid)) / Math.max(1, groups),
    // Where the stream was trimmed meanwhile nobody knows how much came.
    facts: {
      ...(bytes > 0 ? { 'MiB of the stream': bytes / MIB, 'MiB a second': (1_000 * bytes) / MIB / ms } : {}),
      seconds: ms / 1_000,
    },
  };
}

async function costsOf(
  alone: UnderTest,
  leader: UnderTest,
  size: Size,
  options: RunOptions,
): Promise<readonly AnyRow[]> {
  const nodes = { first: 0, count: size.nodes };
  const { connections } = size;
  for (const server of [alone, leader]) await register(server, nodes, connections);
  let next = NEW_NODES;
  const both = async (what: string, unit: string, perMessage: number, plan: (server: UnderTest) => PlanPart) => {
    const target = (name: string, server: UnderTest): Target => ({
      name: `${what}: ${name}`,
      perMessage,
      measure: () => measure(server.pid, planFor(server, plan(server))),
    });
    const targets = [target('one server', alone), target('the leader', leader)];
    return contest(targets, { unit, ratioTo: `${what}: one server` }, options);
  };
  /** New ones each time: to register again what is known writes nothing. */
  const registrations = (count: number, width: number): PlanPart => {
    next += count;
    return { connections: width, requests: count, bytes: { what: 'register', nodes: { first: next - count, count } } };
  };
  return [
    ...(await both('a beat', 'beat', 1, () => ({
      connections,
      requests: size.beats,
      bytes: { what: 'single-beats', nodes, metrics: true },
    }))),
    ...(await both('samples', 'sample', METRICS_EACH * Math.min(size.perBatch, size.nodes), () => ({
      connections: Math.min(connections, 4),
      requests: size.batches,
      bytes: { what: 'batches', nodes, metrics: true, format: 'msgpack', perMessage: size.perBatch },
    }))),
    ...(await both('a write, 1 connection', 'write', 1, () => registrations(size.writes, 1))),
    ...(await both('writes', 'write', 1, () => registrations(4 * size.writes, connections))),
  ];
}

type PlanPart = Parameters<typeof planFor>[1];
