/**
 * Everything that the seed decides of a run: queues, nodes, when each job begins. Pure: the same options give the same
 * world, whatever the server and the network do.
 */
import type { Random } from '../../src/base/random.ts';
import { type NodeLife, type NodePrice, planNodes } from './node-plan.ts';
import { streamOf } from './stream.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly prefix: string;
  readonly nodes: number;
  readonly jobs: number;
  readonly queues: number;
  /** Length of the virtual history. */
  readonly spanSeconds: number;
  /** Its beginning. */
  readonly startNs: bigint;
}

export interface World extends WorldOptions {
  readonly queueNames: readonly string[];
  readonly slots: readonly (readonly NodeLife[])[];
  /** By node id and by instance id, as events name nodes. */
  readonly prices: ReadonlyMap<string, NodePrice>;
  readonly jobStartSeconds: Float64Array;
}

/** A job is never put on a node younger than this part of the run: its registration needs a moment. */
const SETTLE_PART = 0.002;
const PICK_TRIES = 30;

export function makeWorld(options: WorldOptions): World {
  const slots = planNodes(options);
  const prices = new Map<string, NodePrice>();
  for (const { id, instanceId, price } of slots.flat()) prices.set(id, price).set(instanceId, price);
  return { ...options, queueNames: nameQueues(options), slots, prices, jobStartSeconds: drawStarts(options) };
}

/** A node that is there at that second. */
export function pickNode(world: World, random: Random, second: number): NodeLife {
  const settle = world.spanSeconds * SETTLE_PART;
  for (let tries = 0; tries < PICK_TRIES; tries++) {
    const lives = random.pick(world.slots);
    const life = lives.find(({ joinSecond, leaveSecond }) => joinSecond + settle <= second && second < leaveSecond);
    if (life) return life;
  }
  return world.slots[0]?.[0] as NodeLife;
}

/** Slashes, spaces and the like: queue names are free within the contract's grammar. */
const QUEUE_FORMS = ['/high', '/low priority', '.batch', ':gpu', '@night', '-spare'] as const;

function nameQueues({ prefix, queues }: WorldOptions): string[] {
  return Array.from({ length: queues }, (_, i) => {
    const form = QUEUE_FORMS[i % QUEUE_FORMS.length] as string;
    return i < QUEUE_FORMS.length ? prefix + form : `${prefix}${form} ${i}`;
  });
}

/** A tenth of the jobs begins at once, so that there is something to see; the others until late in the run. */
function drawStarts({ seed, jobs, spanSeconds }: WorldOptions): Float64Array {
  const random = streamOf(seed, 'starts');
  return Float64Array.from({ length: jobs }, () => {
    const begins = random.chance(0.1) ? random.between(0.015, 0.03) : random.between(0.02, 0.88);
    return begins * spanSeconds;
  });
}
