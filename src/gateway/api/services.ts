/** What the gateway of a shard needs of main, and what main needs of the gateway; both cross threads as calls. */

import type { MessagePort } from 'node:worker_threads';
import type { AgentCounts } from '../../actors/node/agent-tally.ts';
import type { SharedState } from '../../actors/shard/wire/shared-state.ts';
import type { MetricSnapshot } from '../../base/metrics.ts';
import type { Arch } from '../../base/packages/entry.ts';
import type { ShardFigures } from '../../control/figures/fleet-figures.ts';
import type { ShardTotals } from '../../control/figures/process-figures.ts';
import type { Format } from '../../control/packages/agent-package.ts';
import type { PackageFile } from '../../control/packages/agent-packages.ts';
import type { Config } from '../../protocol/config/config.ts';
import type { IdpEnable, ProviderEnable } from '../../protocol/config/idp.ts';
import type { DoctorReport } from '../../protocol/explain/doctor.ts';
import type { NodeToken, NodeTokenRequest } from '../../protocol/identity/identity.ts';
import type { ServiceTokenMade, ServiceTokenRequest } from '../../protocol/identity/service-token.ts';
import type { Definition } from '../../protocol/metric.ts';
import type { CheckpointOrder, Order } from '../../protocol/order.ts';
import type { Webhook, WebhookDetail, WebhookMade, WebhookRequest, WebhookTest } from '../../protocol/webhook.ts';
import type { LogPlace } from '../../store/logs/log-feed.ts';
import type { NodeLogName } from '../../store/logs/node-log-name.ts';
import type { ReplicaRole } from '../../store/replica/status.ts';
import type { AnswerTask, StreamTask } from '../../workers/task/task.ts';
import type { TlsFiles } from '../http/tls-files.ts';
import type { KeySearch } from '../identity/provider.ts';

/** Who asked for a change, for the history and the log. */
export interface Author {
  readonly name: string;
  readonly from: string;
}

export interface MainServices {
  /** configKV's string forms, or JSON forms. Resolves when the change is durable and every shard knows it. */
  changeConfig(form: 'text' | 'json', entries: Readonly<Record<string, unknown>>, author: Author): Promise<Config>;
  /** Resolves with warnings about what was accepted, in printable ASCII. */
  enableIdp(settings: IdpEnable | ProviderEnable, author: Author): Promise<readonly string[]>;
  disableIdp(author: Author): Promise<Config>;
  /** Looks for a provider key that a shard does not know; what is found is published before this resolves. */
  seekIdpKey(kid: string): Promise<KeySearch>;
  makeNodeToken(request: NodeTokenRequest, author: Author): Promise<NodeToken>;
  makeServiceToken(request: ServiceTokenRequest, author: Author): Promise<ServiceTokenMade>;
  /** Every shard knows it when this resolves. */
  revokeServiceToken(id: string, author: Author): Promise<void>;
  /** False where another node is registering one of the names at this moment; otherwise they are to be released. */
  reserveNames(nodeId: string, names: readonly string[]): Promise<boolean>;
  releaseNames(nodeId: string, names: readonly string[]): Promise<void>;
  /** The token that a node gets for joining. */
  ownNodeToken(nodeId: string): Promise<string>;
  /** Null: join tokens. The time up to which they are revoked. */
  revokeNodeTokens(nodeId: string | null, author: Author): Promise<string>;
  /** The new key's id. */
  rotateNodeKey(revokeOld: boolean, author: Author): Promise<string>;
  /** An operator drains a node, or undoes that: the record of it. */
  auditDrain(nodeId: string, drained: boolean, author: Author): Promise<void>;
  /** Durable, and with every shard, when it resolves. */
  giveOrder(type: Order['type'], node: string, job?: string): Promise<Order>;
  ordersDone(ids: readonly string[]): Promise<void>;
  /** The last order to save that job; null without one in a day. */
  checkpointOrderOf(job: string): Promise<CheckpointOrder | null>;
  webhooks(): Promise<readonly Webhook[]>;
  /** Throw `notFound`, all but `putWebhook`. */
  webhook(id: string): Promise<WebhookDetail>;
  putWebhook(id: string, request: WebhookRequest, author: Author): Promise<WebhookMade>;
  removeWebhook(id: string, author: Author): Promise<void>;
  testWebhook(id: string): Promise<WebhookTest>;
  replayWebhook(id: string, author: Author): Promise<Webhook>;
  /** Adds or replaces a metric definition; `onlyNew` leaves one that exists as it is. A person's change has an author. */
  define(definition: Definition, onlyNew: boolean, author?: Author): Promise<Definition>;
  /** The sender's new size. With `cut` the log is cut back to the offset first. */
  appendNodeLog(nodeId: string, path: string, offset: number, bytes: Uint8Array, cut: boolean): Promise<number>;
  /** Where a log's bytes are from a position on (null: from the file's first); null where they are gone. */
  locateLog(log: LogName, position: number | null): Promise<LogPlace | null>;
  /** Sends what is appended to the log from now on, until the port closes (see `log-feed-port.ts`). */
  followLog(log: LogName, port: MessagePort): Promise<void>;
  answer(task: AnswerTask): Promise<unknown>;
  stream(task: StreamTask, port: MessagePort): Promise<void>;
  /** The agent's package; made first where it is missing and can be made. */
  agentPackage(format: Format, arch: Arch): Promise<PackageFile>;
  metricsText(): Promise<string>;
  readiness(): Promise<Readiness>;
  /** Resolves when this server has applied everything that was acknowledged anywhere before; throws `notLeader`. */
  barrier(): Promise<void>;
  /** On a server that follows, every shard knows what the leader had changed before. */
  refresh(): Promise<void>;
  doctor(): Promise<DoctorReport>;
  writeLog(lines: string): Promise<void>;
  writeAccessLog(lines: string): Promise<void>;
  /** The shard is about to end; the last byte of `lock` is set when no more connections come to it. */
  dying(lock: Int32Array): Promise<void>;
}

/** A log that can be followed: a node's, or the server's own in that file. */
export interface LogName {
  readonly file: string;
  readonly node: NodeLogName | null;
}

export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  /** Of a server of a cluster. */
  readonly cluster?: {
    readonly role: ReplicaRole;
    readonly leader: string | null;
    readonly behindMs: number;
    /** It reads from a database that is behind, or that may be. */
    readonly isAway: boolean;
  };
}

/** What main asks of a shard. */
export interface ShardControl {
  connectPeer(index: number, port: MessagePort): Promise<void>;
  ready(): Promise<void>;
  update(state: SharedState): Promise<void>;
  /** Makes an app that takes connections; the number by which the acceptor knows it. */
  open(generation: number, tls: TlsFiles | null): Promise<number>;
  /** Answers what is in flight on the app, then closes it. */
  retire(generation: number): Promise<void>;
  metrics(): Promise<MetricSnapshot[]>;
  /** What the shard counts of its nodes and jobs. */
  figures(): Promise<ShardFigures>;
  /** What its live nodes say of their agents. */
  agents(): Promise<AgentCounts>;
  /** Tells an actor of this shard something and gives its answer; for maintenance. */
  ask(kind: string, id: string, message: { readonly type: string }): Promise<unknown>;
  /** Refuses new calls. Those of all shards do before any waits for its last answers: a call may need every shard. */
  stopIntake(): Promise<void>;
  /** Resolves when every call that has begun is answered, or when its time is up. */
  drain(deadlineMs: number): Promise<void>;
  /** Flushes, and ends the thread, which has counted so much. */
  stop(): Promise<ShardTotals>;
  /** Throws inside the shard, for the tests of supervision. */
  crash(): Promise<void>;
}
