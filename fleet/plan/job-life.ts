/**
 * The life of one job as it happens on the machines: created, run, checkpointed, thrown off reclaimed nodes and restored
 * elsewhere, ended, sometimes re-opened. `job-plan.ts` decides how its events are reported to the server.
 *
 * Times are in units of a hundredth of the run, so that a short run has whole lives too.
 */
import type { Random } from '../../src/base/random.ts';
import { detailOf } from './event-detail.ts';
import type { NodeLife } from './node-plan.ts';
import { logBetween } from './stream.ts';
import { pickNode, type World } from './world.ts';

export interface LifeEvent {
  readonly atSecond: number;
  readonly eventType: string;
  /** The node that the event names, for callers that need it earlier. */
  readonly nodeId?: string;
  readonly nodeOid?: string;
  readonly containerId?: string;
  readonly batchJobId?: string;
  readonly volumnId?: string;
  readonly detail?: string;
}

/** Two events are never closer, so that cutting a timestamp to whole seconds keeps their order. */
const GAP_SECONDS_MIN = 2.1;
const ROUNDS_MAX = 3;
const RESTORES_MAX = 3;
/** In one life: ends a job that would checkpoint forever. */
const EVENTS_MAX = 300;

type Ending = 'Job-Succeeded' | 'Job-Failed' | 'Job-Stopped';

/** Events of job `index`, ascending, none after the run's end. */
export function planLife(world: World, random: Random, index: number): LifeEvent[] {
  const life = new Life(world, random, index);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const ending = life.create() ?? life.work();
    life.add(ending, 0.02, 0.1);
    if (ending === 'Job-Succeeded' || !random.chance(0.5)) break;
    life.rest();
  }
  if (random.chance(0.03)) life.add('Job-Archived', 0.1, 0.5);
  return life.events.filter(({ atSecond }) => atSecond <= world.spanSeconds);
}

class Life {
  readonly events: LifeEvent[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly #unit: number;
  readonly #index: number;
  readonly #label: string;
  /** Some jobs name nodes by their id instead of the instance's. */
  readonly #namesById: boolean;
  #now: number;
  #node: NodeLife;

  constructor(world: World, random: Random, index: number) {
    this.#world = world;
    this.#random = random;
    this.#unit = world.spanSeconds / 100;
    this.#index = index;
    this.#label = `${world.prefix}-${index}`;
    this.#namesById = random.chance(0.15);
    this.#now = world.jobStartSeconds[index] as number;
    this.#node = pickNode(world, random, this.#now);
  }

  /** Adds an event some units after the last one. */
  add(eventType: string, low: number, high: number, fields: Partial<LifeEvent> = {}): void {
    this.#now += Math.max(GAP_SECONDS_MIN, this.#random.between(low, high) * this.#unit);
    // Not drawn at random: what jobs do stays as it is for a seed.
    const detail = detailOf(eventType, this.#index + this.events.length);
    this.events.push({ atSecond: this.#now, eventType, ...fields, ...(detail === undefined ? {} : { detail }) });
  }

  rest(): void {
    this.#now += this.#random.between(0.5, 3) * this.#unit;
  }

  /** Up to Job-Running; the ending where it does not come to that. */
  create(): Ending | undefined {
    this.#node = pickNode(this.#world, this.#random, this.#now);
    this.add('Job-Creating', 0, 0.05, {
      ...this.#place(),
      batchJobId: `${this.#label}-b${this.#count('Job-Creating')}`,
    });
    if (this.#random.chance(0.65)) {
      const volume = { volumnId: `vol-${this.#label}-${this.#count('Volume-Created')}` };
      this.add('Volume-Created', 0.02, 0.1, volume);
      if (this.#random.chance(0.05)) {
        this.add('Volume-Unready', 0.05, 0.2, volume);
        if (this.#random.chance(0.5)) return 'Job-Failed';
      }
      this.add('Volume-Attached', 0.05, 0.4, volume);
    }
    this.add('Job-Created', 0.02, 0.1);
    this.add('Job-Running', 0.02, 0.2);
    return undefined;
  }

  /** From Job-Running to an ending. */
  work(): Ending {
    const random = this.#random;
    let leftSeconds = logBetween(random, 4, 70) * this.#unit;
    const intervalSeconds = logBetween(random, 2, 12) * this.#unit;
    while (this.events.length < EVENTS_MAX && this.#now <= this.#world.spanSeconds) {
      if (random.chance(0.03)) return random.chance(0.6) ? 'Job-Failed' : 'Job-Stopped';
      const stretch = Math.min(intervalSeconds, leftSeconds);
      if (this.#isGoneBy(this.#now + stretch)) {
        if (!this.#restore()) return 'Job-Failed';
        continue;
      }
      this.#now += stretch;
      leftSeconds -= stretch;
      if (leftSeconds <= 0) break;
      this.#checkpoint();
    }
    return 'Job-Succeeded';
  }

  /** An attempt with its outcome, or without where the node goes in the middle of it. */
  #checkpoint(): void {
    this.add('Job-Checkpointing', 0, 0.02);
    if (this.#isGoneBy(this.#now + 0.6 * this.#unit + GAP_SECONDS_MIN)) return;
    this.add(this.#random.chance(0.9) ? 'Job-CheckpointSucceeded' : 'Job-CheckpointFailed', 0.05, 0.6);
  }

  /** On another node, at the third try at the latest; false where none works. */
  #restore(): boolean {
    this.#now = Math.max(this.#now, this.#node.leaveSecond);
    for (let tries = 0; tries < RESTORES_MAX; tries++) {
      this.#now += this.#random.between(0.1, 0.8) * this.#unit;
      this.#node = pickNode(this.#world, this.#random, this.#now);
      this.add('Job-Restoring', 0, 0.1, this.#place());
      if (this.#random.chance(0.2)) {
        const volumnId = `vol-${this.#label}-r${this.#count('Job-Restoring')}`;
        this.add(this.#random.chance(0.3) ? 'Volume-RestoreUnready' : 'Volume-Attached', 0.02, 0.1, { volumnId });
      }
      const succeeds = this.#random.chance(0.85);
      this.add(succeeds ? 'Job-RestoreSucceeded' : 'Job-RestoreFailed', 0.1, 0.7);
      if (succeeds) {
        this.add('Job-Running', 0, 0.05);
        return true;
      }
    }
    return false;
  }

  #isGoneBy(second: number): boolean {
    return this.#node.leaveSecond < second;
  }

  #place(): Partial<LifeEvent> {
    const { id, instanceId } = this.#node;
    const containerId = this.#random
      .int(2 ** 32)
      .toString(16)
      .padStart(8, '0')
      .repeat(2);
    return { nodeId: id, nodeOid: this.#namesById ? id : instanceId, containerId };
  }

  #count(eventType: string): number {
    return this.events.filter((event) => event.eventType === eventType).length;
  }
}
