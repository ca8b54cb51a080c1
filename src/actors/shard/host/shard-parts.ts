/** The parts of a shard that hold no more than what they are given, each built from the host that they belong to. */
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { Reader } from '../../../store/kv/store.ts';
import { aggregatorBehaviour } from '../../aggregator/behaviour.ts';
import { publicEventOf } from '../../events/event-mapping.ts';
import { jobBehaviour } from '../../job/behaviour.ts';
import { nodeBehaviour } from '../../node/behaviour.ts';
import { NodeDirectory } from '../../node/directory.ts';
import { nodeAddress } from '../../node/messages.ts';
import type { NodeEnv, NodeState } from '../../node/state.ts';
import type { AnyAddress } from '../../runtime/address.ts';
import type { OutgoingMessage, Signal } from '../../runtime/behaviour.ts';
import { ActorSystem } from '../../runtime/system.ts';
import type { SystemBounds } from '../../runtime/system-host.ts';
import type { PeerTable } from '../wire/peer-table.ts';
import type { SharedStats } from '../wire/shared-stats.ts';
import type { ThreadPlatform } from '../wire/thread-platform.ts';
import type { ShardWrites } from '../writer/shard-writes.ts';
import { HeartbeatDispatcher } from './heartbeat-dispatcher.ts';
import { HeartbeatRecovery } from './heartbeat-recovery.ts';
import type { ShardLiveness } from './shard-liveness.ts';

export interface ShardParts {
  readonly index: number;
  readonly shardCount: number;
  readonly clock: Clock;
  readonly reader: Reader;
  readonly stats: SharedStats;
  readonly log: Logger;
  readonly platform: ThreadPlatform;
  readonly writes: ShardWrites;
  readonly liveness: ShardLiveness;
  readonly isMine: (to: AnyAddress) => boolean;
  /** Asks for a turn. */
  readonly wake: () => void;
}

export interface SystemParts extends ShardParts {
  readonly env: NodeEnv;
  readonly bounds: SystemBounds | undefined;
  readonly send: (outgoingMessage: OutgoingMessage) => void;
  readonly onSignal: (signal: Signal) => void;
}

export function makeSystem(parts: SystemParts): ActorSystem<NodeEnv> {
  const { index, clock, reader, log, writes, env, bounds, send, wake, onSignal } = parts;
  return new ActorSystem<NodeEnv>({
    clock,
    reader,
    env,
    ...(bounds ? { bounds } : {}),
    behaviours: [nodeBehaviour, jobBehaviour, aggregatorBehaviour],
    commit: (batch) => writes.commit(batch),
    replay: (to, fromSeq) => writes.replay(to, fromSeq),
    send,
    wake,
    onSignal,
    record: (signal, now) => publicEventOf(signal, now.wallMs),
    onCrash: (error, where) => log.error({ kind: 'bug', error, actor: where }, 'an actor failed and was restarted'),
    onEscalate: () => {
      throw new Error(`actors of shard ${index} fail too often`);
    },
  });
}

/** `system` is asked for when the store is used: the system's environment needs the store first. */
export function makeHeartbeatRecovery(
  { index, shardCount, reader, stats, log, liveness }: Omit<ShardParts, 'writes'>,
  system: () => ActorSystem<NodeEnv>,
): HeartbeatRecovery {
  function* running(): Iterator<NodeState> {
    for (const [, state] of system().inspect<NodeState>('node')) if (state.status === 'alive') yield state;
  }
  return new HeartbeatRecovery({
    index,
    shardCount,
    reader,
    stats,
    log,
    runningCount: () => liveness.histogram.running,
    running,
    persist: (writes, done) => system().persist(writes, [], done),
  });
}

/** Kept separate from the actors: it answers about all of them at once. */
export function makeDirectory({ reader, liveness, isMine }: ShardParts, system: ActorSystem<NodeEnv>): NodeDirectory {
  return new NodeDirectory({
    reader,
    live: (id) => system.inspectOne<NodeState>('node', id),
    liveNodes: () => system.inspect<NodeState>('node'),
    membership: () => liveness.histogram.membership,
    isMine: (id) => isMine(nodeAddress(id)),
    answerFlushed: (id, deadlineMs, answer, done) => system.answerFlushed(nodeAddress(id), deadlineMs, answer, done),
  });
}

export function makeHeartbeats(parts: ShardParts, system: ActorSystem<NodeEnv>, peers: PeerTable): HeartbeatDispatcher {
  const { index, shardCount, clock, reader, platform, liveness, wake } = parts;
  return new HeartbeatDispatcher({
    index,
    shardCount,
    clock,
    reader,
    system: system as unknown as ActorSystem<never>,
    peer: (shard) => peers.get(shard),
    wake,
    after: (ms, run) => void platform.after(ms, run),
    refusedBeat: () => liveness.refusedBeat(),
    idleBeatMs: () => Math.round(liveness.heartbeatMs),
  });
}
