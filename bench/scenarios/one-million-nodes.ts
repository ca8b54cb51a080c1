/**
 * A million nodes register, then each beats every 30 s (33,333 beats a second): in MessagePack batches of 1,000 by POST, then
 * one beat a WebSocket frame over 1,000 connections.
 *
 * Measured: registrations a second; the server's share of one CPU and its memory while the fleet beats; bytes a node, from
 * the memory before the first registration and after the last. Excluded: TLS; metrics (three series a node would be beyond
 * the bound of a million series), so a beat here is a sign of life only.
 * Sketch: a registration is one durable write, shared by the group commit, some 30 µs. At 1 µs a batched beat the fleet takes
 * 3 % of a core, at 5 µs a frame 17 %. A node's facts are 450 bytes of JSON and its state some hundred: 1 KiB. Budget: 1.5 KiB
 * a node, a million in 2 GiB.
 * `CAIRN_BENCH_NODES=300000` names another number of nodes.
 */
import { planFor, register, webSocket } from '../harness/fleet.ts';
import { startCairn, type UnderTest } from '../harness/peer-process.ts';
import { type Row, rowOf, type Scenario } from '../harness/table.ts';
import type { LoadPlan } from '../load/load-plan.ts';
import { anonymousMiB, residentMiB } from '../load/process-cpu.ts';
import { measure } from '../load/run-load.ts';

const MIB = 1024 * 1024;
/** Long enough that a stall shows as latency; given-up beats would have none. */
const GIVE_UP_MS = 30_000;

interface Size {
  readonly nodes: number;
  readonly beatEverySeconds: number;
  readonly perMessage: number;
  readonly connections: number;
}

const FULL: Size = { nodes: 1_000_000, beatEverySeconds: 30, perMessage: 1_000, connections: 1_000 };
const SMOKE: Size = { nodes: 400, beatEverySeconds: 0.2, perMessage: 40, connections: 20 };

/** The full run, or as many nodes as the environment names. */
function fullSize(): Size {
  const asked = process.env['CAIRN_BENCH_NODES'];
  if (asked === undefined) return FULL;
  const nodes = Number(asked);
  if (!Number.isInteger(nodes) || nodes < FULL.perMessage)
    throw new Error(`CAIRN_BENCH_NODES must be a whole number of at least ${FULL.perMessage}; got ${asked}`);
  return { ...FULL, nodes };
}

export const oneMillionNodes: Scenario = {
  name: 'one-million-nodes',
  rounds: 1,
  run: async ({ smoke, progress }) => {
    const size = smoke ? SMOKE : fullSize();
    const nodes = { first: 0, count: size.nodes };
    const cairn = await startCairn();
    try {
      const emptyMiB = residentMiB(cairn.pid);
      const registered = await register(cairn, nodes, smoke ? 16 : 256, progress);
      const fullMiB = residentMiB(cairn.pid);
      const registering: Row = {
        ...rowOf('register', 'node', 1, registered),
        facts: {
          'memory before, MiB': emptyMiB,
          'memory after, MiB': fullMiB,
          'of it no pages of files, MiB': anonymousMiB(cairn.pid),
          'bytes a node': Math.round(((fullMiB - emptyMiB) * MIB) / size.nodes),
        },
      };
      const perSecond = size.nodes / size.beatEverySeconds;
      const batches = planFor(cairn, {
        connections: smoke ? 4 : 16,
        requests: 0,
        bytes: { what: 'batches', nodes, metrics: false, format: 'msgpack', perMessage: size.perMessage },
        phases: phasesOf(size, perSecond / size.perMessage),
        giveUpMs: GIVE_UP_MS,
      });
      const frames = planFor(cairn, {
        connections: size.connections,
        inFlight: 8,
        requests: 0,
        dialect: webSocket('msgpack'),
        bytes: { what: 'frames', nodes, metrics: false, format: 'msgpack', perMessage: 1 },
        phases: phasesOf(size, perSecond),
        giveUpMs: GIVE_UP_MS,
      });
      progress('beating in batches');
      const batched = await beating('batches', size.perMessage, cairn, batches, size.nodes, emptyMiB);
      progress('beating one a frame');
      const framed = await beating('frames', 1, cairn, frames, size.nodes, emptyMiB);
      return [registering, batched, framed];
    } finally {
      await cairn.stop();
    }
  },
};

/** Every node once to warm up, then every node twice. */
function phasesOf({ beatEverySeconds }: Size, perSecond: number): NonNullable<LoadPlan['phases']> {
  return [
    { name: 'warm-up', perSecond, seconds: beatEverySeconds },
    { name: 'beats', perSecond, seconds: 2 * beatEverySeconds },
  ];
}

async function beating(
  name: string,
  perMessage: number,
  server: UnderTest,
  plan: LoadPlan,
  nodes: number,
  emptyMiB: number,
): Promise<Row> {
  const measured = await measure(server.pid, plan);
  const beats = measured.phases[1];
  const seconds = plan.phases?.[1]?.seconds;
  if (!beats || seconds === undefined) throw new Error('the plan has two phases');
  const memoryMiB = residentMiB(server.pid);
  return {
    name,
    unit: 'beat',
    perSecond: beats.perSecond * perMessage,
    p50Ms: beats.p50Ms,
    p99Ms: beats.p99Ms,
    cpuMicroseconds: (beats.cpuSeconds * 1e6) / Math.max(1, beats.answered * perMessage),
    facts: {
      'share of one CPU, %': (100 * beats.cpuSeconds) / seconds,
      'memory, MiB': memoryMiB,
      'of it no pages of files, MiB': anonymousMiB(server.pid),
      'bytes a node': Math.round(((memoryMiB - emptyMiB) * MIB) / nodes),
      'refused, failed, given up': `${beats.refused}, ${beats.failed}, ${beats.givenUp}`,
      'generator late at p99, ms': measured.lagP99Ms,
    },
  };
}
