/**
 * What kind of world a seed makes: how large, how it is configured, which faults there are. A run with every fault at once
 * hides bugs behind each other, so each kind is on or off by the seed.
 */
import type { Random } from '../../src/base/random.ts';
import type { StoreFaults } from './sim-store.ts';

/** Per second of virtual time, while faults are on. */
export interface FaultRates {
  /** One shard, main or the writer's thread is held. */
  readonly stall: number;
  readonly stallMsMax: number;
  /** The whole process is stopped; what is sent to it waits. */
  readonly stop: number;
  readonly stopMsMax: number;
  readonly shardCrash: number;
  readonly kill: number;
  /** A kill falls on the moment between a commit and its answer with this probability. */
  readonly killAtCommit: number;
  /** A part of the nodes cannot be reached for a while. */
  readonly partition: number;
  readonly diskFull: number;
  readonly wallJump: number;
  readonly retime: number;
}

/** A start that stands still between two of its steps: a suspended process, a machine that loads code from a slow disk. */
export interface StartFaults {
  /** Probability, a step. */
  readonly stallChance: number;
  readonly stallMsMax: number;
}

export interface NetworkFaults {
  readonly delayMsMax: number;
  readonly loss: number;
  readonly duplicate: number;
}

export interface Swarm {
  readonly shardCount: number;
  readonly nodes: number;
  readonly jobs: number;
  readonly heartbeatMs: number;
  readonly ttlMs: number;
  readonly inFlightBytesMax: number;
  readonly beatsWithMetrics: number;
  readonly reconnects: number;
  /** How often a node falls silent by itself, a second. */
  readonly silence: number;
  readonly farewell: number;
  readonly network: NetworkFaults;
  readonly store: StoreFaults;
  readonly starts: StartFaults;
  readonly rates: FaultRates;
}

export function swarmOf(random: Random): Swarm {
  const sometimes = (rate: number): number => (random.chance(0.5) ? rate * (0.4 + 1.2 * random.next()) : 0);
  const heartbeatMs = random.pick([400, 600, 1_000, 1_500]);
  return {
    shardCount: 1 + random.int(3),
    nodes: random.chance(0.5) ? 2 + random.int(6) : 10 + random.int(8),
    jobs: random.int(4),
    heartbeatMs,
    ttlMs: Math.round(heartbeatMs * random.between(2, 6)),
    inFlightBytesMax: random.chance(0.2) ? 4_096 : 64 * 1024 * 1024,
    beatsWithMetrics: random.pick([0, 0.1, 0.5]),
    reconnects: random.pick([0, 0.05, 0.5]),
    silence: sometimes(0.04),
    farewell: sometimes(0.01),
    network: {
      delayMsMax: random.pick([2, 40, 300]),
      loss: sometimes(0.05),
      duplicate: sometimes(0.05),
    },
    store: {
      commitMsMax: random.pick([1, 10, 40]),
      stallChance: sometimes(0.015),
      stallMsMax: random.pick([1_500, 8_000]),
    },
    rates: {
      stall: sometimes(0.15),
      stallMsMax: random.pick([400, 3_000, 15_000]),
      stop: sometimes(0.08),
      stopMsMax: random.pick([3_000, 12_000]),
      shardCrash: sometimes(0.06),
      kill: sometimes(0.04),
      killAtCommit: random.chance(0.5) ? 0.5 : 0,
      partition: sometimes(0.08),
      diskFull: sometimes(0.03),
      wallJump: sometimes(0.05),
      retime: sometimes(0.05),
    },
    starts: {
      stallChance: sometimes(0.2),
      stallMsMax: random.pick([300, 3_000]),
    },
  };
}

/** Other times for a living server, as an operator may set them. */
export function otherTimes(random: Random): { readonly heartbeatMs: number; readonly ttlMs: number } {
  const heartbeatMs = random.pick([300, 500, 1_000, 2_000, 5_000]);
  return { heartbeatMs, ttlMs: Math.round(heartbeatMs * random.between(2, heartbeatMs > 2_000 ? 2.5 : 5)) };
}
