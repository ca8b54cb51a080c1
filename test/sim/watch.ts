/** Looks at a world while it runs: verdicts as they fall, and every half second bounds and nodes that are overdue. */
import type { NodeState } from '../../src/actors/node/state.ts';
import type { ActorSystem } from '../../src/actors/runtime/system.ts';
import { settingsOf } from '../../src/protocol/config/config.ts';
import type { Agenda } from './agenda.ts';
import type { Auditor } from './auditor.ts';
import { boundFaults } from './checkers/bounds.ts';
import { overdueFault } from './checkers/lost-in-time.ts';
import { earlyFault } from './checkers/never-lost-early.ts';
import { idsOf } from './checkers/settled.ts';
import type { SimServer, SimShard } from './sim-server.ts';
import type { Swarm } from './swarm.ts';
import type { Trace } from './trace.ts';

const LOOK_MS = 500;

interface SeenNode {
  readonly state: NodeState;
  readonly status: NodeState['status'];
}

export interface WatchedWorld {
  readonly agenda: Agenda;
  readonly auditor: Auditor;
  readonly trace: Trace;
  readonly swarm: Swarm;
  server(): SimServer;
}

export class Watch {
  readonly #world: WatchedWorld;
  readonly #find: (checker: string, text: string) => void;
  readonly #readyMax: number;
  /** The nodes of each shard as last seen. */
  readonly #seen = new WeakMap<SimShard, Map<string, SeenNode>>();
  #refusals = 0;

  constructor(world: WatchedWorld, find: (checker: string, text: string) => void, readyMax: number) {
    this.#world = world;
    this.#find = find;
    this.#readyMax = readyMax;
  }

  /** Every verdict, at the moment it falls. */
  verdicts(): void {
    for (const shard of this.#world.server().shards) {
      const { host, startedAtMs } = shard;
      if (!host || startedAtMs === null || shard.thread.isEnded) continue;
      let seen = this.#seen.get(shard);
      if (!seen) {
        seen = new Map();
        this.#seen.set(shard, seen);
      }
      for (const [node, state] of host.system.inspect<NodeState>('node')) {
        const { status } = state;
        const before = seen.get(node);
        if (before?.state === state && before.status === status) continue;
        seen.set(node, { state, status });
        this.#world.trace.add(
          this.#world.agenda.nowMs,
          shard.thread.name,
          'status',
          `${node} ${before?.status ?? '-'} -> ${status}`,
        );
        // A state that was read again (a revival that could not be written is undone) is no verdict.
        if (before?.state !== state || before.status !== 'alive' || status !== 'lost') continue;
        const shardStartedMs = Math.max(startedAtMs, this.#world.server().listeningSinceMs);
        const ttlMs = settingsOf(host.shared.config).nodeTtlMs;
        const fault = earlyFault(this.#world.auditor, { node, atMs: this.#world.agenda.nowMs, shardStartedMs, ttlMs });
        if (fault !== undefined) this.#find('never lost early', fault);
      }
    }
  }

  /** Looks from now on, every half second. */
  begin(): void {
    this.#world.agenda.after(LOOK_MS, () => {
      this.begin();
      this.#lookForMassSilence();
      const { refusals } = this.#world.server().stats;
      if (refusals !== this.#refusals) this.#world.auditor.refusalsMs.push(this.#world.agenda.nowMs);
      this.#refusals = refusals;
      for (const shard of this.#world.server().shards)
        if (!shard.thread.isEnded && shard.startedAtMs !== null) this.#lookAt(shard);
    });
  }

  #lookAt(shard: SimShard): void {
    const { host, index, startedAtMs } = shard;
    if (!host || startedAtMs === null) return;
    const bounds = { readyMax: this.#readyMax, inFlightBytesMax: this.#world.swarm.inFlightBytesMax };
    for (const fault of boundFaults(host.system as unknown as ActorSystem<never>, bounds)) this.#find('bounds', fault);
    if (shard.thread.isSuspended || !this.#world.server().isListening) return;
    const shardStartedMs = Math.max(startedAtMs, this.#world.server().listeningSinceMs);
    const shardFailedMs = this.#world.auditor.failedMs.get(index) ?? Number.NEGATIVE_INFINITY;
    for (const node of idsOf(shard, 'running')) {
      const fault = overdueFault(this.#world.auditor, {
        node,
        atMs: this.#world.agenda.nowMs,
        shardStartedMs,
        shardFailedMs,
      });
      if (fault !== undefined) this.#find('lost in time', fault);
    }
  }

  /** More than half of the nodes silent at once, generously: then a verdict may be held. */
  #lookForMassSilence(): void {
    const { heartbeatMs } = this.#world.auditor.now;
    const known = [...this.#world.auditor.nodes.values()].filter(({ isRegistered }) => isRegistered);
    const silent = known.filter((truth) => this.#world.agenda.nowMs - truth.lastArrivalMs() > 1.05 * heartbeatMs);
    if (known.length >= 9 && silent.length >= known.length / 2 - 1)
      this.#world.auditor.massSilentMs = this.#world.agenda.nowMs;
  }
}
