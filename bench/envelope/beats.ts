/** Climbs of heartbeats and of nodes: open loops at rising rates, on one server. */
import { ask, setConfig } from '../harness/ask.ts';
import { planFor, register, webSocket } from '../harness/fleet.ts';
import { type CairnUnderTest, startCairn, type UnderTest } from '../harness/peer-process.ts';
import type { LoadPlan } from '../load/load-plan.ts';
import { residentMiB } from '../load/process-cpu.ts';
import { measure } from '../load/run-load.ts';
import type { NodeRange } from '../load/traffic.ts';
import { type Climb, isLast, type Step } from './climb.ts';
import type { EnvelopeOptions } from './options.ts';

/** The longer of these is what the figures are of. */
const WARM_UP_SECONDS = 2;
/** A message that found no free connection for so long counts as left out. */
const GIVE_UP_MS = 2_000;
const BEAT_EVERY_SECONDS = 30;

type Load = Omit<LoadPlan, 'host' | 'port' | 'secure' | 'requests' | 'phases'>;

export async function beatClimbs({ smoke, seconds, say }: EnvelopeOptions): Promise<Climb[]> {
  const nodes: NodeRange = { first: 0, count: smoke ? 200 : 10_000 };
  const cairn = await startCairn();
  try {
    await setConfig(cairn, { 'node.ttl': '1h0m0s' });
    await register(cairn, nodes);
    const climb = async (
      name: string,
      how: string,
      rates: readonly number[],
      perMessage: number,
      load: Load,
    ): Promise<Climb> => {
      const steps: Step[] = [];
      for (const rate of smoke ? [100] : rates) {
        say(`${name}: ${rate} beats a second`);
        const step = await rateStep(cairn, load, rate, perMessage, smoke ? 0.3 : seconds);
        steps.push(step);
        if (isLast(step)) break;
      }
      return { name, unit: 'beats/s', how, steps };
    };
    return [
      await climb(
        'single heartbeats over HTTP',
        `One beat with three metrics a request, over 256 connections, of ${nodes.count.toLocaleString('en-US')} nodes; each is durable before its answer.`,
        [2_000, 8_000, 16_000, 24_000, 32_000, 40_000],
        1,
        { connections: smoke ? 8 : 256, bytes: { what: 'single-beats', nodes, metrics: true }, giveUpMs: GIVE_UP_MS },
      ),
      await climb(
        'heartbeats over WebSocket',
        'One beat with three metrics a frame (MessagePack), over 500 connections.',
        [5_000, 15_000, 30_000, 40_000, 50_000, 60_000],
        1,
        {
          connections: smoke ? 8 : 500,
          inFlight: 8,
          dialect: webSocket('msgpack'),
          bytes: { what: 'frames', nodes, metrics: true, format: 'msgpack', perMessage: 1 },
          giveUpMs: GIVE_UP_MS,
        },
      ),
      await climb(
        'heartbeats in batches',
        'A thousand beats without metrics a call (MessagePack), over 16 connections.',
        [100_000, 400_000, 800_000, 1_600_000, 3_200_000],
        smoke ? 20 : 1_000,
        {
          connections: smoke ? 4 : 16,
          bytes: { what: 'batches', nodes, metrics: false, format: 'msgpack', perMessage: smoke ? 20 : 1_000 },
          giveUpMs: GIVE_UP_MS,
        },
      ),
    ];
  } finally {
    await cairn.stop();
  }
}

export async function rateStep(
  server: UnderTest,
  load: Load,
  rate: number,
  perMessage: number,
  seconds: number,
): Promise<Step> {
  const perSecond = rate / perMessage;
  const phases = [
    { name: 'warm-up', perSecond, seconds: Math.min(WARM_UP_SECONDS, seconds) },
    { name: 'measured', perSecond, seconds },
  ];
  const measured = await measure(server.pid, planFor(server, { ...load, requests: 0, phases }));
  const phase = measured.phases[1];
  if (!phase) throw new Error('the plan has two phases');
  return {
    size: rate,
    figures: {
      p99Ms: phase.p99Ms,
      refused: phase.refused + phase.failed + phase.givenUp,
      memoryMiB: residentMiB(server.pid),
    },
    cpuMicroseconds: (1e6 * phase.cpuSeconds) / Math.max(1, phase.answered * perMessage),
    generatorLateMs: measured.lagP99Ms,
  };
}

/** Nodes that are registered and beat every 30 s; then a kill and a start with all of them. */
export async function nodeClimb({ smoke, seconds, sizes, say }: EnvelopeOptions): Promise<Climb> {
  const steps: Step[] = [];
  let cairn: CairnUnderTest = await startCairn();
  try {
    await setConfig(cairn, { 'node.ttl': '1h0m0s' });
    let known = 0;
    for (const size of smoke ? [100] : sizes.nodes) {
      say(`nodes: ${size}`);
      await register(cairn, { first: known, count: size - known });
      known = size;
      const perMessage = smoke ? 10 : 100;
      const load: Load = {
        connections: 16,
        bytes: { what: 'batches', nodes: { first: 0, count: size }, metrics: false, format: 'msgpack', perMessage },
        giveUpMs: GIVE_UP_MS,
      };
      const step = await rateStep(cairn, load, size / BEAT_EVERY_SECONDS, perMessage, smoke ? 0.3 : seconds);
      const begunMs = performance.now();
      cairn = await cairn.restart();
      const restartMs = performance.now() - begunMs;
      steps.push({ ...step, size, cpuMicroseconds: null, figures: { ...step.figures, restartMs } });
      if (isLast(steps.at(-1) as Step)) break;
    }
    return {
      name: 'registered nodes',
      unit: 'nodes',
      how: 'Each beats every 30 s, in batches of 100; then the server is killed and started again.',
      steps,
    };
  } finally {
    await cairn.stop();
  }
}

const HEARTBEAT_MS = 1_000;
const TTL_MS = 3_000;
const SILENT = 5;
/** So that every one of 5,000 nodes beats at least twice in its TTL, or most of the fleet would fall silent at once. */
const DETECTION_RATES = [4_000, 10_000, 40_000, 100_000];

/** How long after its TTL a node that fell silent is lost, beside a load of beats. The worst of several. */
export async function detectionClimb({ smoke, say }: EnvelopeOptions): Promise<Climb> {
  const nodes: NodeRange = { first: 0, count: smoke ? 50 : 5_000 };
  const steps: Step[] = [];
  const cairn = await startCairn();
  try {
    await setConfig(cairn, { 'node.heartbeat': `${HEARTBEAT_MS}ms`, 'node.ttl': '1h0m0s' });
    await register(cairn, nodes);
    for (const rate of smoke ? [50] : DETECTION_RATES) {
      say(`detection: beside ${rate} beats a second`);
      await setConfig(cairn, { 'node.ttl': `${TTL_MS}ms` });
      const seconds = (TTL_MS + 5_000) / 1_000;
      const load: Load = {
        connections: 64,
        bytes: { what: 'batches', nodes, metrics: false, format: 'msgpack', perMessage: 50 },
        giveUpMs: GIVE_UP_MS,
      };
      const [beside, detectionMs] = await Promise.all([
        rateStep(cairn, load, rate, 50, seconds),
        worstDetection(cairn, rate),
      ]);
      await setConfig(cairn, { 'node.ttl': '1h0m0s' });
      steps.push({
        ...beside,
        size: rate,
        cpuMicroseconds: null,
        figures: { ...beside.figures, detectionMs },
      });
      if (isLast(steps.at(-1) as Step)) break;
    }
    return {
      name: 'detection of lost nodes',
      unit: 'beats/s beside',
      how: `With \`node.ttl\` at ${TTL_MS / 1_000} s, ${SILENT} nodes fall silent: the longest time from the end of a TTL until the node is called lost.`,
      steps,
    };
  } finally {
    await cairn.stop();
  }
}

async function worstDetection(server: UnderTest, tag: number): Promise<number> {
  const late = await Promise.all(
    Array.from({ length: SILENT }, async (_, i) => {
      const id = `silent-${tag}-${i}`;
      await new Promise((resolve) => setTimeout(resolve, 300 * i));
      const begunMs = performance.now();
      await ask(server, 'PUT', `/api/v1/node/${id}`, { hostName: id });
      for (;;) {
        const { state } = (await ask(server, 'GET', `/api/v1/node/${id}`)) as { state?: string };
        const passedMs = performance.now() - begunMs;
        if (state === 'lost' || passedMs > 10 * TTL_MS) return passedMs - TTL_MS;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }),
  );
  // One that is lost early is worse than any that is late.
  return Math.min(...late) < 0 ? Math.min(...late) : Math.max(...late);
}
