/**
 * The lives of the nodes. A slot is a place in the fleet; a spot node in it may be reclaimed, and then a new node with a
 * new id takes the place. All times are seconds of virtual time since the run's start.
 *
 *   slot 3   ├─ node 3.0 ──┤ reclaimed   ├─ node 3.1 ───────────────────
 *   slot 4          ├─ node 4.0 (joins late) ───────────────────────────
 */
import type { Random } from '../../src/base/random.ts';
import type { NodeFacts } from '../../src/protocol/node.ts';
import { formatStamp } from './stamp.ts';
import { streamOf } from './stream.ts';

export interface NodePrice {
  readonly spot: boolean;
  readonly price: number;
  readonly onDemandPrice: number;
}

export interface Registration {
  readonly atSecond: number;
  readonly facts: NodeFacts;
}

export interface NodeLife {
  readonly id: string;
  readonly instanceId: string;
  readonly joinSecond: number;
  /** Infinity for a node that stays. */
  readonly leaveSecond: number;
  /** Whether it says goodbye; otherwise it falls silent, as a reclaimed machine does. */
  readonly saysGoodbye: boolean;
  /** What a run second costs, by the rule of docs/reference/metrics.md for prices that are not told. */
  readonly price: NodePrice;
  /** The first at `joinSecond`; later ones change facts that no formula uses. */
  readonly registrations: readonly Registration[];
  /** Absolute paths without the leading slash. */
  readonly logFiles: readonly string[];
}

export interface NodePlanInput {
  readonly seed: number;
  readonly prefix: string;
  readonly spanSeconds: number;
  readonly startNs: bigint;
  readonly nodes: number;
}

/** Slots whose nodes upload logs: enough to show the path, few enough for a disk that syncs every append. */
const LOGGING_SLOTS_MAX = 100;
/** Nodes that one slot sees at most: an unlucky spot place must not fill the run with registrations. */
const LIVES_PER_SLOT_MAX = 4;
/** Before this part of the run, the nodes that are there from the beginning have joined. */
export const JOINED_BY = 0.01;

const SHAPES = [
  { instanceType: 'm5.xlarge', arch: 'x86_64', cores: 4, memoryInMB: 16_384, onDemand: 0.192, vendor: 'GenuineIntel' },
  {
    instanceType: 'c6i.4xlarge',
    arch: 'x86_64',
    cores: 16,
    memoryInMB: 32_768,
    onDemand: 0.68,
    vendor: 'GenuineIntel',
  },
  { instanceType: 'c7g.2xlarge', arch: 'aarch64', cores: 8, memoryInMB: 16_384, onDemand: 0.29, vendor: 'ARM' },
  {
    instanceType: 'r6a.8xlarge',
    arch: 'x86_64',
    cores: 32,
    memoryInMB: 262_144,
    onDemand: 1.8144,
    vendor: 'AuthenticAMD',
  },
] as const;

const PLACES = [
  { cloud: 'aws', region: 'us-east-1', zones: ['us-east-1a', 'us-east-1b', 'us-east-1d'] },
  { cloud: 'aws', region: 'eu-central-1', zones: ['eu-central-1a', 'eu-central-1c'] },
  { cloud: 'gcp', region: 'europe-west4', zones: ['europe-west4-a'] },
  { cloud: 'onprem', region: 'hall-2', zones: ['row-7', 'row-8'] },
] as const;

/** Characters that the contract allows in ids, so that every path meets them. */
const ID_MARKS = ['-', '.', '_', ':', '@'] as const;

export function planNodes(input: NodePlanInput): NodeLife[][] {
  return Array.from({ length: input.nodes }, (_, slot) => planSlot(input, slot));
}

function planSlot(input: NodePlanInput, slot: number): NodeLife[] {
  const random = streamOf(input.seed, 'slot', slot);
  const span = input.spanSeconds;
  const lives: NodeLife[] = [];
  // Slot 0 is there from beginning to end, so that a job always finds a node.
  const isRock = slot === 0;
  const isLate = !isRock && random.chance(0.2);
  let joinSecond = span * (isLate ? random.between(0.03, 0.5) : random.between(0, JOINED_BY));
  while (lives.length < LIVES_PER_SLOT_MAX && joinSecond < span * 0.95) {
    const spot = !isRock && random.chance(0.7);
    const leaveSecond = isRock ? Number.POSITIVE_INFINITY : drawLeave(random, spot, joinSecond, span);
    lives.push(planLife(input, { slot, life: lives.length, spot, joinSecond, leaveSecond }));
    if (!random.chance(0.7)) break;
    joinSecond = leaveSecond + span * random.between(0.01, 0.06);
  }
  return lives;
}

/** Spot places are reclaimed by an exponential law; a few on-demand nodes are taken out of service. */
function drawLeave(random: Random, spot: boolean, joinSecond: number, span: number): number {
  const staysSeconds = spot ? -Math.log(1 - random.next()) * span * 0.4 : span * random.between(0.3, 8);
  const leaveSecond = joinSecond + Math.max(span * 0.05, staysSeconds);
  return leaveSecond < span * 0.95 ? leaveSecond : Number.POSITIVE_INFINITY;
}

interface LifeDraw {
  readonly slot: number;
  readonly life: number;
  readonly spot: boolean;
  readonly joinSecond: number;
  readonly leaveSecond: number;
}

function planLife(input: NodePlanInput, draw: LifeDraw): NodeLife {
  const { slot, life, spot, joinSecond, leaveSecond } = draw;
  const random = streamOf(input.seed, 'node', slot, life);
  const id = `${input.prefix}${random.pick(ID_MARKS)}n${slot}.${life}`;
  const facts = drawFacts(input, random, id, draw);
  const { instance } = facts;
  const until = Math.min(leaveSecond, input.spanSeconds);
  const changes = random.chance(0.3) ? [random.between(joinSecond, until)] : [];
  return {
    id,
    instanceId: instance.instanceId,
    joinSecond,
    leaveSecond,
    saysGoodbye: !spot || random.chance(0.5),
    price: {
      spot,
      price: instance.pricePerHour ?? 0,
      onDemandPrice: instance.onDemandPricePerHour ?? instance.pricePerHour ?? 0,
    },
    registrations: [
      { atSecond: joinSecond, facts },
      ...changes.map((atSecond) => ({
        atSecond,
        facts: { ...facts, hostName: `${facts.hostName}-renamed`, memoryInMB: facts.memoryInMB - 512 },
      })),
    ],
    logFiles: slot < LOGGING_SLOTS_MAX ? drawLogFiles(random) : [],
  };
}

function drawFacts(
  input: NodePlanInput,
  random: Random,
  id: string,
  { slot, life, spot, joinSecond }: LifeDraw,
): NodeFacts {
  const shape = random.pick(SHAPES);
  const place = random.pick(PLACES);
  const onDemand = shape.onDemand * random.between(0.95, 1.05);
  const price = spot ? onDemand * random.between(0.2, 0.6) : onDemand;
  // Some workers cannot tell what they cost; spot ones sometimes know their own price only.
  const tellsPrice = !random.chance(0.05);
  const tellsOnDemand = tellsPrice && !random.chance(0.1);
  const createdNs = input.startNs + BigInt(Math.round((joinSecond - 95.5) * 1e9));
  return {
    id,
    ips: Array.from(
      { length: 1 + random.int(2) },
      () => `10.${random.int(256)}.${random.int(256)}.${1 + random.int(254)}`,
    ),
    hostName: `worker-${slot}-${life}.fleet.internal`,
    cloud: place.cloud,
    arch: shape.arch,
    cores: shape.cores,
    cpuModel: `Simulated ${shape.instanceType}`,
    cpuVendor: shape.vendor,
    memoryInMB: shape.memoryInMB,
    instance: {
      zone: random.pick<string>(place.zones),
      instanceId: `i-${input.prefix}-${slot}x${life}`,
      instanceType: shape.instanceType,
      region: place.region,
      createTime: formatStamp(createdNs, random.pick([0, 3, 9])),
      payType: spot ? 'Spot' : 'OnDemand',
      ...(tellsPrice ? { pricePerHour: price } : {}),
      ...(tellsOnDemand ? { onDemandPricePerHour: onDemand } : {}),
    },
  };
}

function drawLogFiles(random: Random): string[] {
  const files = ['var/log/cairn/worker.log'];
  if (random.chance(0.4)) files.push('var/log/jobs/standard output.log');
  return files;
}
