import type { Interruption } from '../../protocol/node.ts';
import type { SeriesEnv } from '../../store/series/series-index.ts';
import type { Signal } from '../runtime/behaviour.ts';
import type { HeartbeatCheckpointer } from './heartbeat-checkpointer.ts';
import type { LivenessTimes, MassSilence } from './liveness.ts';
import type { LivenessClock } from './liveness-clock.ts';
import type { PackedFacts } from './packed-facts.ts';
import type { SilenceHistogram } from './silence-histogram.ts';

export interface NodeEnv extends SeriesEnv {
  readonly times: LivenessTimes;
  readonly configVersion: number;
  /** 1, or more while the server measures overload. */
  readonly intervalMultiplier: () => number;
  /** The time by which nodes are judged, see `liveness-clock.ts`. */
  readonly livenessClock: LivenessClock;
  readonly checkpointer: HeartbeatCheckpointer<NodeState>;
  /** The last heartbeat that the store knows beside the record, in milliseconds since 1970; 0 where there is none. */
  readonly storedBeat: (id: string) => number;
  readonly histogram: SilenceHistogram;
  /** Over all shards. */
  readonly massSilence: (nowMs: number) => MassSilence;
}

export interface NodeState {
  readonly id: string;
  /** The id's hash: spreads the jitter of the nodes. */
  readonly entropy: number;
  status: 'unknown' | 'alive' | 'lost' | 'deregistered';
  /** Static facts, see `packed-facts.ts`. */
  sharedFacts: PackedFacts['sharedFacts'];
  ownFacts: PackedFacts['ownFacts'];
  registeredAtMs: number;
  endedAtMs: number | null;
  /** In liveness time. */
  lastBeatMs: number;
  /** Wall clock of the last beat. */
  wallMs: number;
  /** The checkpointer's round in which the last beat was noted. */
  keptRound: number;
  late: boolean;
  /** When the TTL was first found passed; null while it is not. */
  candidateMs: number | null;
  suspended: boolean;
  /** An operator has told it to take no new job. */
  drained: boolean;
  /** The cloud's notice that it takes the machine back; withdrawn by registering again. */
  interruption: Interruption | null;
  /** Metrics that are known to have a series; nodes with the same ones share the set. */
  metrics: ReadonlySet<string>;
  /**
   * Until when they are taken as known, in minutes of the wall clock, which need no box: a series without buckets may be
   * removed (`store/series/series-index.ts`).
   */
  metricsUntilMinute: number;
}

export interface NodeSignal extends Signal {
  readonly type:
    | 'node.registered'
    | 'node.late'
    | 'node.lost'
    | 'node.alive'
    | 'node.deregistered'
    | 'node.held'
    | 'node.drained'
    | 'node.interruption';
  readonly node: string;
  /** Of `node.drained`: false if the drain was undone. */
  readonly drained?: boolean;
  /** Of `node.interruption`. */
  readonly interruption?: Interruption;
}

export function hasEnded({ status }: NodeState): boolean {
  return status === 'lost' || status === 'deregistered';
}

export function isRegistered({ status }: NodeState): boolean {
  return status === 'alive' || status === 'lost';
}
