/** Fills a store by the engine, as a server would have, and the peers with the same measures; what that costs each. */
import { dayOf } from '../../src/store/series/series-layout.ts';
import type { Row, RunOptions } from '../harness/table.ts';
import { cpuSeconds } from '../load/process-cpu.ts';
import { Engine } from './engine.ts';
import { fillQueues } from './fill-queues.ts';
import { Machines, METRICS, type Measure, PERIOD_MS } from './measures.ts';
import type { SeriesPeer } from './series-peer.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** An aggregator flushes within 16 minutes, a window is merged 20 after its end. */
const SETTLED_MS = 40 * MINUTE_MS;

export interface Size {
  /** Nodes of the whole time, and of a part of it. */
  readonly long: number;
  readonly wide: number;
  readonly longMs: number;
  readonly wideMs: number;
  /** The wide part is the last whole day, and is left to a server to merge and to roll. */
  readonly catchesUp: boolean;
  /** Before the server begins to catch up. */
  readonly idleMs: number;
  readonly queues: number;
  /** Of them with anything in the last hour, where most are quiet. */
  readonly busyQueues: number;
  readonly days: number;
  readonly questions: number;
  readonly calls: number;
}

export interface Filled {
  readonly rows: readonly Row[];
  /** Of the wide part, and where that is. */
  readonly samples: number;
  readonly wideFromMs: number;
  readonly wideToMs: number;
}

export async function fill(
  folder: string,
  size: Size,
  endMs: number,
  peers: readonly SeriesPeer[],
  progress: RunOptions['progress'],
): Promise<Filled> {
  const startMs = endMs - size.longMs;
  const wideToMs = size.catchesUp ? dayOf(endMs) : endMs;
  const wideFromMs = wideToMs - size.wideMs;
  const engine = new Engine(folder, startMs);
  engine.define(size.wide);
  const feed = feeder(engine, new Machines(size.wide), peers);
  progress('a week of some nodes');
  for (let fromMs = startMs; fromMs < wideFromMs; fromMs += 6 * HOUR_MS) {
    // Few and long steps: nothing is measured here.
    await feed(fromMs, Math.min(wideFromMs, fromMs + 6 * HOUR_MS), size.long, MINUTE_MS);
    await engine.keep();
  }
  const before = await Promise.all(peers.map((peer) => stateOf(peer)));
  const sizes = engine.sizes();
  progress('hours of many nodes');
  engine.keeperCpu = 0;
  const { samples, cpu } = await feed(wideFromMs, wideToMs, size.wide);
  const theirs: Row[] = [];
  for (const [i, peer] of peers.entries()) theirs.push(await peerRow(peer, before[i] as PeerState, samples));
  await feed(wideToMs, endMs, size.long, MINUTE_MS);
  for (const peer of peers) await peer.flush();
  engine.turn(endMs + SETTLED_MS);
  if (!size.catchesUp) await engine.keep();
  const ours = cpuRow('samples', (cpu + engine.keeperCpu) / samples);
  const { fine, blocks } = engine.sizes();
  const facts = {
    samples,
    ...(size.catchesUp
      ? { 'bytes a sample in blocks': (blocks - sizes.blocks) / samples }
      : {
          'of it merging, CPU µs a sample': engine.keeperCpu / samples,
          'rolling a day up, CPU µs a sample': engine.rollCpu(dayOf(wideFromMs)) / samples,
          'bytes a sample at 1m, merged': (fine - sizes.fine) / samples,
        }),
  };
  progress('two years of queues');
  fillQueues(engine.store, size, endMs);
  await engine.close();
  const [first] = theirs;
  const beside = first ? { ratio: ours.cpuMicroseconds / first.cpuMicroseconds, ratioTo: first.name } : {};
  return { rows: [{ ...ours, ...beside, facts }, ...theirs], samples, wideFromMs, wideToMs };
}

type Feed = (
  fromMs: number,
  toMs: number,
  nodes: number,
  stepMs?: number,
) => Promise<{ readonly samples: number; readonly cpu: number }>;

/** Measures of a stretch of time to us and to the peers; our CPU microseconds of it. */
function feeder(engine: Engine, machines: Machines, peers: readonly SeriesPeer[]): Feed {
  return async (fromMs, toMs, nodes, stepMs) => {
    const turn: Measure[] = [];
    let samples = 0;
    let cpu = 0;
    for (let periodMs = fromMs; periodMs < toMs; periodMs += PERIOD_MS) {
      turn.length = 0;
      machines.turn(periodMs, nodes, (measure) => turn.push(measure));
      samples += turn.length * METRICS.length;
      const begun = process.cpuUsage();
      for (const measure of turn) engine.add(measure);
      if (stepMs === undefined || (periodMs + PERIOD_MS) % (10 * PERIOD_MS) === 0)
        engine.turn(periodMs + PERIOD_MS, stepMs);
      const { user, system } = process.cpuUsage(begun);
      cpu += user + system;
      for (const peer of peers) for (const measure of turn) await peer.add(measure);
    }
    return { samples, cpu };
  };
}

interface PeerState {
  readonly cpu: number;
  readonly bytes: number;
}

async function stateOf(peer: SeriesPeer): Promise<PeerState> {
  await peer.flush();
  await peer.settle();
  const bytes = await peer.bytes();
  return { cpu: cpuSeconds(peer.pid), bytes };
}

async function peerRow(peer: SeriesPeer, before: PeerState, samples: number): Promise<Row> {
  await peer.flush();
  const cpu = (1e6 * (cpuSeconds(peer.pid) - before.cpu)) / samples;
  const { bytes } = await stateOf(peer);
  return { ...cpuRow(peer.name, cpu), facts: { 'bytes a sample': (bytes - before.bytes) / samples } };
}

function cpuRow(name: string, cpuMicroseconds: number): Row {
  return { name, unit: 'sample', perSecond: 1e6 / cpuMicroseconds, p50Ms: 0, p99Ms: 0, cpuMicroseconds };
}
