/** What the composition needs of the replicated writer, and what it tells the rest of the process of it. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterState } from '../actors/shard/wire/shared-state.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { MetricRegistry, type MetricSnapshot } from '../base/metrics.ts';
import type { ProcessFigures } from '../control/figures/process-figures.ts';
import type { Readiness } from '../gateway/api/services.ts';
import type { ServerAddress } from '../protocol/address.ts';
import { writeFileDurably } from '../store/files/durable-file.ts';
import type { ReplicaPeer, ReplicaStatus } from '../store/replica/status.ts';
import type { WriterParts } from './parts.ts';

/** The writer thread's part, as main sees it. */
export interface Replica {
  /** The newest, at most 250 ms old. */
  readonly status: ReplicaStatus;
  /** Each new status: a change of role at once, any other within 250 ms. */
  onChange(heard: (status: ReplicaStatus) => void): void;
  /** Resolves when everything that was acknowledged anywhere before the call is applied here; rejects with `notLeader`. */
  barrier(timeoutMs?: number): Promise<void>;
  register(self: ReplicaPeer): void;
}

/** What a process of a cluster has whatever its role is. */
export interface ClusterParts {
  readonly writerParts: WriterParts;
  readonly replication: Replication;
  readonly figures: ProcessFigures;
  /** Why the others could not reach this server at such an address. */
  readonly addressFault: (address: ServerAddress) => string | null;
  /** The listener serves with this certificate (null: plain http) at this address from now on. */
  readonly onServed: (address: string, certFile: string | null) => void;
}

const BARRIER_MS = 10_000;

export class Replication {
  readonly #replica: Replica;
  readonly #clock: Clock;
  readonly #id: string;
  #self: ReplicaPeer | null = null;
  /** Milliseconds by which this server is behind, for every thread. */
  readonly behind = new SharedArrayBuffer(8);
  readonly #behind = new Float64Array(this.behind);
  /** When nothing was known that is not applied here. */
  #currentMs: number;

  constructor(replica: Replica, id: string, clock: Clock = systemClock) {
    this.#replica = replica;
    this.#id = id;
    this.#clock = clock;
    this.#currentMs = clock.monotonicMs();
    this.#take(replica.status);
    replica.onChange((status) => this.#take(status));
  }

  get status(): ReplicaStatus {
    return this.#replica.status;
  }

  /** A server that hears nothing may be behind by as long. */
  get behindMs(): number {
    return this.#behind[0] as number;
  }

  get state(): ClusterState {
    const { role, isCutOff } = this.status;
    const leader = this.#leader;
    return { self: this.#id, role, leader: leader && { url: leader.url, fingerprint: leader.fingerprint }, isCutOff };
  }

  get readiness(): NonNullable<Readiness['cluster']> {
    const { role, isCutOff } = this.status;
    return {
      role,
      leader: this.#leader?.url ?? null,
      behindMs: this.behindMs,
      isAway: isCutOff || role === 'catching-up',
    };
  }

  /** Reasons for caution. */
  get reasons(): string[] {
    const { role, leader, isCutOff } = this.status;
    if (isCutOff) return ['the replication engine does not answer: writes are refused, reads may be behind'];
    if (role === 'catching-up') return ['this server has not applied all that the others have acknowledged'];
    return leader ? [] : ['no server of the cluster leads now: writes are refused until one does'];
  }

  barrier(): Promise<void> {
    return this.#replica.barrier(BARRIER_MS);
  }

  register(self: ReplicaPeer): void {
    this.#self = self;
    this.#replica.register(self);
  }

  onChange(heard: (status: ReplicaStatus) => void): void {
    this.#replica.onChange(heard);
  }

  metrics(): MetricSnapshot[] {
    const { role, term, applied, last, published, acknowledged, appliedGroups, takeovers, cutOffs, isCutOff } =
      this.status;
    const metrics = new MetricRegistry();
    for (const known of ['leader', 'follower', 'catching-up'] as const)
      metrics
        .gauge('cairn_replica_role', 'The server’s role in its cluster, 1 for the one it has', { role: known })
        .set(known === role ? 1 : 0);
    const gauge = (name: string, help: string, value: number): void => metrics.gauge(name, help).set(value);
    gauge('cairn_replica_behind_seconds', 'Time by which this server is behind the leader', this.behindMs / 1000);
    gauge('cairn_replica_cut_off', '1 while the replication engine does not answer', isCutOff ? 1 : 0);
    gauge('cairn_replica_term', 'Term of the leader that this server knows', term);
    gauge('cairn_replica_applied_sequence', 'Last message of the stream that is applied here', applied);
    gauge('cairn_replica_last_sequence', 'Last message that is known to be in the stream', last);
    const counter = (name: string, help: string, value: number): void => {
      metrics.counter(name, help).value = value;
    };
    counter('cairn_replica_published_total', 'Groups of writes published to the stream', published);
    counter('cairn_replica_acknowledged_total', 'Groups of writes that the stream has acknowledged', acknowledged);
    counter('cairn_replica_applied_total', 'Groups of writes of another leader that were applied here', appliedGroups);
    counter('cairn_replica_takeovers_total', 'Times that this server has begun to lead', takeovers);
    counter('cairn_replica_cut_offs_total', 'Times that the replication engine has ceased to answer', cutOffs);
    return metrics.snapshot();
  }

  /** The lease names this server as it was when it took it. */
  get #leader(): ReplicaPeer | null {
    const { role, leader } = this.status;
    return role === 'leader' ? (this.#self ?? leader) : leader;
  }

  #take({ isCutOff, behindMs }: ReplicaStatus): void {
    const nowMs = this.#clock.monotonicMs();
    if (!isCutOff) this.#currentMs = nowMs - behindMs;
    this.#behind[0] = Math.round(nowMs - this.#currentMs);
  }
}

/** Before the first composition, and while one is exchanged for another. Overflow policy: what comes later is counted only. */
const NEWS_KEPT_MAX = 100;

/** What an operator should read of the replicator, whatever the role is. It is kept while no composition has a log. */
export class ReplicaNews {
  #log: Pick<Logger, 'info' | 'warn'> | null = null;
  #kept: (readonly [level: 'info' | 'warn', text: string])[] = [];
  #left = 0;

  tell(level: 'info' | 'warn', text: string): void {
    if (this.#log) this.#log[level]({ kind: 'environment' }, text);
    else if (this.#kept.length < NEWS_KEPT_MAX) this.#kept.push([level, text]);
    else this.#left++;
  }

  /** Null: there is none until the next call. */
  turnTo(log: Pick<Logger, 'info' | 'warn'> | null): void {
    this.#log = log;
    if (!log) return;
    for (const [level, text] of this.#kept.splice(0)) this.tell(level, text);
    if (this.#left > 0) this.tell('warn', `${this.#left} more messages about replication came before there was a log`);
    this.#left = 0;
  }
}

const ID = /^[A-Za-z0-9-]{1,64}$/;

/** By which the others know this server, whatever its address. Made at its first start in a cluster. */
export async function replicaId(dataFolder: string): Promise<string> {
  const path = join(dataFolder, 'replica-id');
  const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (ID.test(stored)) return stored;
  const made = randomUUID();
  await writeFileDurably(path, `${made}\n`, 0o600);
  return made;
}
