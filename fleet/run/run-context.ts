/** What every part of a run shares. */
import { seededRandom } from '../../src/base/random.ts';
import type { World } from '../plan/world.ts';
import type { Client } from '../wire/client.ts';
import type { Persistence } from '../wire/persist.ts';
import type { NodeRecord } from './node-record.ts';
import type { RunStats } from './run-stats.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Of the server's configuration, what decides how workers behave. */
export interface ServerFacts {
  readonly heartbeatMs: number;
  readonly ttlMs: number;
  readonly logFileSizeMax: number;
  /** Whether it had no job when the run began: only then is the system total the fleet's own. */
  readonly wasEmpty: boolean;
  /** Whether its clock is this machine's. */
  readonly isLocal: boolean;
}

export interface RunContext {
  readonly world: World;
  readonly clock: VirtualTime;
  readonly client: Client;
  readonly server: ServerFacts;
  readonly stats: RunStats;
  readonly speed: number;
  readonly nodes: ReadonlyMap<string, NodeRecord>;
  /** Fires when calls that are still without an answer are given up. */
  readonly giveUp: AbortSignal;
  readonly persistence: Persistence;
}

export function persistenceOf(stats: RunStats, giveUp: AbortSignal): Persistence {
  // Pauses need no seed of the run's: they hang on the server's moods anyway.
  return { tally: stats.wire, random: seededRandom(Date.now() | 0), giveUp };
}
