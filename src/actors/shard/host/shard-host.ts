/**
 * The actors of one shard thread, with what they need around them: the store to read, the writer, the other shards, the
 * stall-aware clock, the turn. The gateway of the thread talks to them through `refs`, wherever an actor lives.
 */

import { CodedError, errorOf, type Failure } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import { type StallAwareClock, TICK_MS } from '../../../base/stall-aware-clock.ts';
import type { Reader } from '../../../store/kv/store.ts';
import { KnownSeries } from '../../aggregator/known-series.ts';
import type { DirectoryMessage, NodeDirectory } from '../../node/directory.ts';
import { type NodeMessage, nodeAddress } from '../../node/messages.ts';
import type { NodeEnv, NodeState } from '../../node/state.ts';
import {
  type ActorRefs,
  type Address,
  type AnyAddress,
  type AnyMessage,
  ASK_DEADLINE_MS,
  type Message,
  type ReplyFor,
} from '../../runtime/address.ts';
import type { OutgoingMessage, Signal, Write } from '../../runtime/behaviour.ts';
import type { Done } from '../../runtime/cell.ts';
import type { ActorSystem } from '../../runtime/system.ts';
import type { SystemBounds } from '../../runtime/system-host.ts';
import { StallMonitor } from '../stall/stall-monitor.ts';
import { PeerTable } from '../wire/peer-table.ts';
import type { LocalSystem } from '../wire/peers.ts';
import { DIRECTORY, shardOf } from '../wire/placement.ts';
import type { SharedState } from '../wire/shared-state.ts';
import { SharedStats } from '../wire/shared-stats.ts';
import type { Port, ThreadPlatform } from '../wire/thread-platform.ts';
import { type EventListener, ShardWrites } from '../writer/shard-writes.ts';
import type { HeartbeatDispatcher } from './heartbeat-dispatcher.ts';
import type { HeartbeatRecovery } from './heartbeat-recovery.ts';
import { ShardLiveness } from './shard-liveness.ts';
import { makeDirectory, makeHeartbeatRecovery, makeHeartbeats, makeSystem } from './shard-parts.ts';
import type { StoredAnswers } from './stored-answers.ts';
import { runningNodes } from './stored-nodes.ts';

export interface ShardData {
  readonly index: number;
  readonly shardCount: number;
  readonly databaseFolder: string;
  readonly writerPort: Port;
  readonly stats: SharedArrayBuffer;
  readonly state: SharedState;
  /** Smaller ones than production's, for tests. */
  readonly bounds?: SystemBounds;
}

export type ShardEnv = NodeEnv;

export interface ShardHostEvents {
  onSignal(signal: Signal): void;
}

const PUBLISH_EVERY_MS = 250;
/** A crash loses at most this much of `lastHeartbeat`, and the time of a flush; the contract allows 5 s. */
const BEATS_EVERY_MS = 2_000;
const SETTLE_EVERY_MS = 5_000;
/** Nodes that get a message before the event loop gets a turn. */
const WAKE_STEP = 1_000;

export class ShardHost implements ActorRefs {
  readonly index: number;
  readonly shardCount: number;
  readonly reader: Reader;
  readonly clock: StallAwareClock;
  readonly stats: SharedStats;
  readonly system: ActorSystem<ShardEnv>;
  readonly beats: HeartbeatDispatcher;
  readonly knownSeries = new KnownSeries();
  readonly #writes: ShardWrites;
  readonly #liveness: ShardLiveness;
  readonly #peers: PeerTable;
  readonly #directory: NodeDirectory;
  readonly #log: Logger;
  readonly #platform: ThreadPlatform;
  readonly #ends: (() => void)[] = [];
  readonly #heartbeatRecovery: HeartbeatRecovery;
  readonly #stallMonitor: StallMonitor;
  #shared: SharedState;
  /** Instead of `start`, on a server that does not lead: no actors, and no time. */
  stored: StoredAnswers | null = null;
  #turnPlanned = false;

  constructor(data: ShardData, log: Logger, events: ShardHostEvents, platform: ThreadPlatform) {
    this.#platform = platform;
    this.clock = platform.newClock();
    this.index = data.index;
    this.shardCount = data.shardCount;
    this.#log = log;
    this.#shared = data.state;
    this.stats = new SharedStats(data.shardCount, data.stats);
    this.reader = platform.openReader(data.databaseFolder);
    const { index, shardCount, reader, clock, stats } = this;
    const isMine = (to: AnyAddress): boolean => this.#isMine(to);
    const shared = { index, shardCount, reader, clock, stats, log, platform, isMine, wake: () => this.#wake() };
    const system = (): ActorSystem<ShardEnv> => this.system;
    const liveness = new ShardLiveness(shared, data.state.config);
    this.#liveness = liveness;
    this.#stallMonitor = new StallMonitor(this, liveness.livenessClock, log);
    this.#heartbeatRecovery = makeHeartbeatRecovery({ ...shared, liveness }, system);
    const writes = new ShardWrites({ ...shared, system }, data.writerPort, platform);
    this.#writes = writes;
    const parts = { ...shared, writes, liveness };
    this.system = makeSystem({
      ...parts,
      env: this.#env(),
      bounds: data.bounds,
      send: (outgoingMessage) => this.#send(outgoingMessage),
      onSignal: (signal) => events.onSignal(signal),
    });
    this.#directory = makeDirectory(parts, this.system);
    this.#peers = this.#makePeers();
    this.beats = makeHeartbeats(parts, this.system, this.#peers);
  }

  #makePeers(): PeerTable {
    const local: LocalSystem = {
      request: (to, message, deadlineMs, done) => this.#requestHere(to, message, deadlineMs, done),
      post: (to, message, done, lane) => this.system.post(to, message, done, lane),
      beats: (ids, samples, reply) => this.beats.serve(ids, samples, reply),
    };
    return new PeerTable(local, () => this.#wake());
  }

  get runningNodes(): number {
    return this.#liveness.histogram.running;
  }

  get shared(): SharedState {
    return this.#shared;
  }

  /** Replays what is not acknowledged, reads the nodes, starts the timers. Resolves when requests may come. */
  async start(): Promise<void> {
    await this.#writes.start();
    const ids = runningNodes(this.reader, (id) => this.#isMine(nodeAddress(id)), this.#log);
    await this.#postAll(ids, { type: 'wake' });
    this.#heartbeatRecovery.adopt();
    this.#peers.start();
    this.#every(TICK_MS, () => {
      this.#stallMonitor.tick();
      this.#turn();
    });
    this.#every(PUBLISH_EVERY_MS, () => this.#liveness.publish());
    this.#every(BEATS_EVERY_MS, () => this.#heartbeatRecovery.save());
    this.#every(SETTLE_EVERY_MS, () => this.#writes.reportAcknowledged());
  }

  connectPeer(index: number, port: Port): void {
    this.#peers.connect(index, port);
  }

  update(state: SharedState): void {
    this.#shared = state;
    const isRetimed = this.#liveness.update(state.config);
    this.system.setEnv(this.#env());
    if (!isRetimed) return;
    void this.#postAll(
      [...this.system.inspect<NodeState>('node')].map(([id]) => id),
      { type: 'retime' },
    );
  }

  /** To nodes of this shard, so many before the event loop gets a turn. */
  async #postAll(ids: readonly string[], message: NodeMessage): Promise<void> {
    for (const [i, id] of ids.entries()) {
      this.system.post(nodeAddress(id), message, null, 'system');
      if ((i + 1) % WAKE_STEP === 0) await new Promise<void>((resolve) => this.#platform.soon(resolve));
    }
  }

  request(to: AnyAddress, message: AnyMessage, deadlineMs: number, done: Done): void {
    const peer = this.#peers.get(shardOf(to, this.shardCount));
    if (this.stored) this.stored.request(to, message, done);
    else if (this.#isMine(to)) this.#requestHere(to, message, deadlineMs, done);
    else if (peer) peer.request(to, message, deadlineMs, done);
    else done({ name: 'overloaded' }, undefined);
  }

  ask<P extends Message<unknown>, T extends P['type']>(
    to: Address<P>,
    message: P & { readonly type: T },
    deadlineMs = ASK_DEADLINE_MS,
  ): Promise<ReplyFor<P, T>> {
    return new Promise((resolve, reject) => {
      this.request(to, message, deadlineMs, (failure, reply) => {
        if (failure) reject(errorOf(failure));
        else resolve(reply as ReplyFor<P, T>);
      });
    });
  }

  tell<M extends Message<unknown>>(to: Address<M>, message: M): boolean {
    if (this.#isMine(to)) return this.system.tell(to, message);
    return this.#peers.get(shardOf(to, this.shardCount))?.tell(to, message) ?? false;
  }

  /** Journals samples (messages of a `SampleBatch`) and rows of new series; resolves when durable, or rejects `overloaded`. */
  appendSamples(outgoing: readonly OutgoingMessage[], rows: readonly Write[]): Promise<void> {
    if (outgoing.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const done = (failure: Failure | null): void => (failure ? reject(errorOf(failure)) : resolve());
      if (!this.system.persist(rows, outgoing, done)) reject(new CodedError('overloaded'));
    });
  }

  /** Room for new series, whose rows are persisted within this turn; false where there is none for all of them. */
  takeSeries(objectId: string, metrics: readonly string[]): boolean {
    return this.#writes.takeSeries(objectId, metrics, this.system.nextBatch);
  }

  /** Who measures overload says by how much heartbeats' intervals are longer. */
  multiplyBy(intervalMultiplier: () => number): void {
    this.#liveness.multiplyBy(intervalMultiplier);
  }

  /** Hears of public events as they become durable, first of where the log stands. One listener a shard. */
  listen(onEvents: EventListener): void {
    this.#writes.listen(onEvents);
  }

  /** What became durable anywhere before this call has been heard afterwards. */
  catchUp(): void {
    this.#writes.catchUp();
  }

  /** Age of the oldest write that is not durable. */
  backlogMs(nowMs: number): number {
    return this.#writes.ageMs(nowMs);
  }

  /** A heartbeat was not taken because the server could not take it: no node is judged by this time. */
  refusedBeat(): void {
    this.#liveness.refusedBeat();
  }

  /** Takes no more, finishes what was taken, flushes. */
  async stop(): Promise<void> {
    this.#heartbeatRecovery.save();
    while (this.system.waiting > 0) this.#turn();
    this.beats.flush(true);
    this.system.stop();
    this.#turn();
    await this.#writes.drain();
    // Replies to other shards that waited for the disk.
    this.#peers.flush();
    this.abandon();
    await this.reader.close();
  }

  /** Lets go of ports and timers without waiting; for a thread that is about to end. */
  abandon(): void {
    for (const end of this.#ends) end();
    this.#peers.close();
    this.#writes.close();
  }

  /**
   * What was acknowledged by any shard before the question is in its answer: the writer sends what it delivers before it says
   * that it is durable, so it waits in the port by now.
   */
  #requestHere(to: AnyAddress, message: AnyMessage, deadlineMs: number, done: Done): void {
    this.#writes.catchUp();
    if (to.kind === DIRECTORY) this.#directory.request(message as DirectoryMessage, deadlineMs, done);
    else this.system.request(to, message, deadlineMs, done);
  }

  #env(): ShardEnv {
    return {
      ...this.#liveness.env,
      configVersion: this.#shared.configVersion,
      checkpointer: this.#heartbeatRecovery.checkpointer,
      storedBeat: (id) => this.#heartbeatRecovery.lastWallMs(id),
      takeSeries: (objectId, metrics) => this.takeSeries(objectId, metrics),
    };
  }

  #isMine(to: AnyAddress): boolean {
    return shardOf(to, this.shardCount) === this.index;
  }

  #wake(): void {
    if (this.#turnPlanned) return;
    this.#turnPlanned = true;
    this.#platform.soon(() => {
      this.#turnPlanned = false;
      this.#turn();
    });
  }

  #turn(): void {
    this.#liveness.excuse();
    this.#writes.catchUp();
    this.beats.flush();
    this.system.runTurn();
    this.#peers.flush();
    if (this.#heartbeatRecovery.checkpointer.isFull) this.#heartbeatRecovery.save();
  }

  #send({ to, message }: OutgoingMessage): void {
    if (this.#isMine(to)) this.system.post(to, message, null, 'system');
    else this.#peers.get(shardOf(to, this.shardCount))?.tell(to, message);
  }

  #every(ms: number, run: () => void): void {
    this.#ends.push(this.#platform.every(ms, run));
  }
}
