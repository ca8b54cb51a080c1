/**
 * The actors of one shard thread, with what they need around them: the store to read, the writer, the other shards, the
 * attentive clock, the turn. The gateway of the thread talks to them through `refs`, wherever an actor lives.
 */
import { type AttentiveClock, TICK_MS } from '../../base/attentive-clock.ts';
import { CodedError, errorOf, type Failure } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { type Config, settingsOf } from '../../protocol/config.ts';
import { packEvents } from '../../store/event-log.ts';
import { readJournal } from '../../store/group-commit.ts';
import type { Reader } from '../../store/store.ts';
import { aggregatorBehaviour } from '../aggregator/behaviour.ts';
import { KnownSeries } from '../aggregator/known-series.ts';
import { eventOfSignal } from '../events/event-of-signal.ts';
import { jobBehaviour } from '../job/behaviour.ts';
import { BeatTally } from '../node/beat-tally.ts';
import { type NodeEnv, type NodeState, nodeBehaviour } from '../node/behaviour.ts';
import { type DirectoryMessage, NodeDirectory } from '../node/directory.ts';
import { crowdSilenceMs, type LivenessTimes, retimed } from '../node/liveness.ts';
import { type NodeMessage, nodeAddress } from '../node/messages.ts';
import { Patience } from '../node/patience.ts';
import {
  type ActorRefs,
  type Address,
  type AnyAddress,
  type AnyMessage,
  ASK_DEADLINE_MS,
  type Message,
  type ReplyFor,
} from '../runtime/address.ts';
import type { Letter, Signal, Write } from '../runtime/behaviour.ts';
import type { Done } from '../runtime/cell.ts';
import type { SealedBatch } from '../runtime/outbox.ts';
import { ActorSystem } from '../runtime/system.ts';
import type { SystemBounds } from '../runtime/system-host.ts';
import { Attention } from './attention.ts';
import { BeatStore } from './beat-store.ts';
import { Beats } from './beats.ts';
import { packParcels, unpackParcels } from './parcels.ts';
import { PeerTable } from './peer-table.ts';
import type { LocalSystem } from './peers.ts';
import { DIRECTORY, shardOf } from './placement.ts';
import type { Port, ThreadRim } from './rim.ts';
import { SeriesRoom } from './series-room.ts';
import type { SharedState } from './shared-state.ts';
import { SharedStats } from './shared-stats.ts';
import { runningNodes } from './stored-nodes.ts';
import { UnderWay } from './under-way.ts';
import { WriterClient } from './writer-client.ts';

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

export type EventListener = (first: number, bytes: Uint8Array) => void;

const PUBLISH_EVERY_MS = 250;
/** A crash loses at most this much of `lastHeartbeat`, and the time of a flush; the contract allows 5 s. */
const BEATS_EVERY_MS = 2_000;
const SETTLE_EVERY_MS = 5_000;
/** Nodes that are told something before the event loop gets a turn. */
const WAKE_STEP = 1_000;

export class ShardHost implements ActorRefs {
  readonly index: number;
  readonly shardCount: number;
  readonly reader: Reader;
  readonly clock: AttentiveClock;
  readonly stats: SharedStats;
  readonly system: ActorSystem<ShardEnv>;
  readonly beats: Beats;
  readonly knownSeries = new KnownSeries();
  readonly #writer: WriterClient;
  readonly #peers: PeerTable;
  readonly #tally = new BeatTally();
  readonly #directory: NodeDirectory;
  readonly #log: Logger;
  readonly #rim: ThreadRim;
  readonly #ends: (() => void)[] = [];
  readonly #underWay = new UnderWay();
  readonly #seriesRoom: SeriesRoom;
  readonly #patience = new Patience();
  readonly #beatStore: BeatStore;
  readonly #attention: Attention;
  #refusalsSeen = 0;
  #tellsHeld = false;
  #stretch: () => number = () => 1;
  #shared: SharedState;
  #times: LivenessTimes;
  #received = 0;
  #reported = 0;
  #turnPlanned = false;
  #onAttached: (through: number) => void = () => {};
  #onEvents: EventListener = () => {};

  constructor(data: ShardData, log: Logger, events: ShardHostEvents, rim: ThreadRim) {
    this.#rim = rim;
    this.clock = rim.newClock();
    this.index = data.index;
    this.shardCount = data.shardCount;
    this.#log = log;
    this.#shared = data.state;
    this.#times = timesOf(data.state.config);
    this.stats = new SharedStats(data.shardCount, data.stats);
    this.#seriesRoom = new SeriesRoom(this.stats, data.index);
    this.#attention = new Attention(this, this.#patience, log);
    this.reader = rim.openReader(data.databaseFolder);
    this.#beatStore = this.#makeBeatStore();
    this.#writer = new WriterClient(data.writerPort, rim, {
      attached: (through) => this.#onAttached(through),
      durable: (number, seq) => this.#durable(number, seq),
      failed: (number, failure) => {
        this.#log.error(
          { kind: 'environment', failure: failure.name, batch: number },
          'cannot write to the store; what was not acknowledged is given up',
        );
        this.#underWay.clear();
        this.#seriesRoom.failed();
        this.stats.setFailing(this.index, true);
        this.system.batchFailed(failure);
        return this.system.nextBatch;
      },
      events: (first, bytes) => this.#onEvents(first, bytes),
      delivery: (seq, bytes) => {
        this.#received = seq;
        this.system.deliver(seq, unpackParcels(bytes), false);
      },
    });
    this.system = new ActorSystem<ShardEnv>({
      clock: this.clock,
      reader: this.reader,
      env: this.#env(),
      ...(data.bounds ? { bounds: data.bounds } : {}),
      behaviours: [nodeBehaviour, jobBehaviour, aggregatorBehaviour],
      commit: (batch) => this.#commit(batch),
      replay: (to, fromSeq) => this.#replay(to, fromSeq),
      send: (letter) => this.#send(letter),
      wake: () => this.#wake(),
      onSignal: (signal) => events.onSignal(signal),
      record: (signal, now) => eventOfSignal(signal, now.wallMs),
      onCrash: (error, where) =>
        this.#log.error({ kind: 'bug', error, actor: where }, 'an actor failed and was restarted'),
      onEscalate: () => {
        throw new Error(`actors of shard ${this.index} fail too often`);
      },
    });
    this.#directory = this.#makeDirectory();
    this.#peers = this.#makePeers();
    this.beats = this.#makeBeats();
  }

  #makeBeatStore(): BeatStore {
    return new BeatStore({
      index: this.index,
      shardCount: this.shardCount,
      reader: this.reader,
      rim: this.#rim,
      runningCount: () => this.#tally.running,
      running: () => this.#running(),
      persist: (writes) => this.system.persist(writes),
    });
  }

  *#running(): Iterator<NodeState> {
    for (const [, state] of this.system.inspect<NodeState>('node')) if (state.status === 'alive') yield state;
  }

  #makeBeats(): Beats {
    return new Beats({
      index: this.index,
      shardCount: this.shardCount,
      clock: this.clock,
      reader: this.reader,
      system: this.system as unknown as ActorSystem<never>,
      peer: (index) => this.#peers.get(index),
      wake: () => this.#wake(),
      after: (ms, run) => void this.#rim.after(ms, run),
      refusedBeat: () => this.refusedBeat(),
      idleBeatMs: () => Math.round(this.#times.heartbeatMs),
    });
  }

  #makePeers(): PeerTable {
    const local: LocalSystem = {
      request: (to, message, deadlineMs, done) => this.#requestHere(to, message, deadlineMs, done),
      post: (to, message, done, lane) => this.system.post(to, message, done, lane),
      beats: (ids, samples, reply) => this.beats.serve(ids, samples, reply),
    };
    return new PeerTable(local, () => this.#wake());
  }

  /** Kept separate from the actors: it answers about all of them at once. */
  #makeDirectory(): NodeDirectory {
    return new NodeDirectory({
      reader: this.reader,
      live: (id) => this.system.inspectOne<NodeState>('node', id),
      liveNodes: () => this.system.inspect<NodeState>('node'),
      membership: () => this.#tally.membership,
      isMine: (id) => this.#isMine(nodeAddress(id)),
    });
  }

  get runningNodes(): number {
    return this.#tally.running;
  }

  get shared(): SharedState {
    return this.#shared;
  }

  /** Replays what is not settled, reads the nodes, starts the timers. Resolves when requests may come. */
  async start(): Promise<void> {
    const through = await new Promise<number>((resolve) => {
      this.#onAttached = resolve;
    });
    this.reader.refresh();
    for (const { seq, parcels } of readJournal(this.reader, 0, through)) {
      const mine = parcels.flatMap(unpackParcels).filter(({ to }) => this.#isMine(to));
      if (mine.length > 0) this.system.deliver(seq, mine, true);
      this.#received = Math.max(this.#received, seq);
    }
    // Also where the journal held nothing: the writer must hear that nothing up to there is open.
    this.#received = Math.max(this.#received, through);
    await this.#wakeNodes();
    this.#ends.push(this.#beatStore.adopt());
    this.#peers.start();
    this.#every(TICK_MS, () => {
      this.#attention.tick();
      this.#turn();
    });
    this.#every(PUBLISH_EVERY_MS, () => this.#publish());
    this.#every(BEATS_EVERY_MS, () => this.#beatStore.save());
    this.#every(SETTLE_EVERY_MS, () => this.#reportSettled());
  }

  connectPeer(index: number, port: Port): void {
    this.#peers.connect(index, port);
  }

  update(state: SharedState): void {
    const times = timesOf(state.config);
    const retime = times.heartbeatMs !== this.#times.heartbeatMs || times.ttlMs !== this.#times.ttlMs;
    this.#shared = state;
    if (retime)
      this.#times = retimed(this.#times, times, this.#stretch(), this.#patience.timeAt(this.clock.monotonicMs()));
    this.system.setEnv(this.#env());
    if (!retime) return;
    void this.#postAll(
      [...this.system.inspect<NodeState>('node')].map(([id]) => id),
      { type: 'retime' },
    );
  }

  /** To nodes of this shard, so many before the event loop gets a turn. */
  async #postAll(ids: readonly string[], message: NodeMessage): Promise<void> {
    for (const [i, id] of ids.entries()) {
      this.system.post(nodeAddress(id), message, null, 'system');
      if ((i + 1) % WAKE_STEP === 0) await new Promise<void>((resolve) => this.#rim.soon(resolve));
    }
  }

  request(to: AnyAddress, message: AnyMessage, deadlineMs: number, done: Done): void {
    if (this.#isMine(to)) {
      this.#requestHere(to, message, deadlineMs, done);
      return;
    }
    const peer = this.#peers.get(shardOf(to, this.shardCount));
    if (peer) peer.request(to, message, deadlineMs, done);
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

  /** Journals samples (letters of a `SampleBatch`) and rows of new series; resolves when durable, or rejects `overloaded`. */
  appendSamples(letters: readonly Letter[], rows: readonly Write[]): Promise<void> {
    if (letters.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const done = (failure: Failure | null): void => (failure ? reject(errorOf(failure)) : resolve());
      if (!this.system.persist(rows, letters, done)) reject(new CodedError('overloaded'));
    });
  }

  /** Room for new series, whose rows are persisted within this turn; false where there is none for all of them. */
  takeSeries(objectId: string, metrics: readonly string[]): boolean {
    return this.#seriesRoom.take(objectId, metrics, this.system.nextBatch);
  }

  /** Who measures overload says by how much heartbeats' intervals are longer. */
  stretchBy(stretch: () => number): void {
    this.#stretch = stretch;
  }

  /** Hears of public events as they become durable, first of where the log stands. One listener a shard. */
  listen(onEvents: EventListener): void {
    this.#onEvents = onEvents;
    this.#writer.listen();
  }

  /** What became durable anywhere before this call has been heard afterwards. */
  catchUp(): void {
    this.#writer.catchUp();
  }

  /** Age of the oldest write that is not durable. */
  backlogMs(nowMs: number): number {
    return this.#underWay.ageMs(nowMs);
  }

  /** A heartbeat was not taken for our own lack of strength: no node is judged by this time. */
  refusedBeat(): void {
    this.stats.addRefusal();
    this.#excuse();
  }

  #excuse(): void {
    const refusals = this.stats.refusals;
    if (refusals === this.#refusalsSeen) return;
    this.#refusalsSeen = refusals;
    this.#patience.excuse(this.clock.monotonicMs());
  }

  /** Takes no more, finishes what was taken, flushes. */
  async stop(): Promise<void> {
    this.#beatStore.save();
    while (this.system.waiting > 0) this.#turn();
    this.beats.flush(true);
    this.system.stop();
    this.#turn();
    await this.#writer.drain();
    // Replies to other shards that waited for the disk.
    this.#peers.flush();
    this.abandon();
    await this.reader.close();
  }

  /** Lets go of ports and timers without waiting; for a thread that is about to end. */
  abandon(): void {
    for (const end of this.#ends) end();
    this.#peers.close();
    this.#writer.close();
  }

  /**
   * What was acknowledged by any shard before the question is in its answer: the writer sends what it delivers before it says
   * that it is durable, so it waits in the port by now.
   */
  #requestHere(to: AnyAddress, message: AnyMessage, deadlineMs: number, done: Done): void {
    this.#writer.catchUp();
    if (to.kind === DIRECTORY) done(null, this.#directory.answer(message as DirectoryMessage));
    else this.system.request(to, message, deadlineMs, done);
  }

  #env(): ShardEnv {
    return {
      times: this.#times,
      configVersion: this.#shared.configVersion,
      stretch: () => this.#stretch(),
      patience: this.#patience,
      keeper: this.#beatStore.keeper,
      storedBeat: (id) => this.#beatStore.lastWallMs(id),
      tally: this.#tally,
      crowd: (nowMs) => {
        const others = this.stats.crowdWithout(this.index);
        const silent = this.#tally.silentFor(crowdSilenceMs(this.#times, this.#stretch()), nowMs);
        return { running: others.running + this.#tally.running, silent: others.silent + silent };
      },
      takeSeries: (objectId, metrics) => this.takeSeries(objectId, metrics),
    };
  }

  #isMine(to: AnyAddress): boolean {
    return shardOf(to, this.shardCount) === this.index;
  }

  #wake(): void {
    if (this.#turnPlanned) return;
    this.#turnPlanned = true;
    this.#rim.soon(() => {
      this.#turnPlanned = false;
      this.#turn();
    });
  }

  #turn(): void {
    this.#excuse();
    this.#writer.catchUp();
    this.beats.flush();
    this.system.runTurn();
    this.#peers.flush();
    if (this.#beatStore.keeper.isFull) this.#beatStore.save();
  }

  #commit(batch: SealedBatch): void {
    const own = batch.parcels.filter(({ to }) => this.#isMine(to));
    this.#underWay.add(batch.number, own, this.clock.monotonicMs());
    const parcels = packParcels(batch.parcels, this.shardCount);
    this.#writer.commit(batch.number, batch.writes, parcels, packEvents(batch.events));
  }

  #durable(number: number, seq: number): void {
    if (seq > this.#received) this.#received = seq;
    this.stats.setFailing(this.index, false);
    this.#seriesRoom.durable(number);
    const own = this.#underWay.durable(number);
    if (own.length > 0) this.system.deliver(seq, own, false);
    this.system.batchDurable(number);
  }

  *#replay(to: AnyAddress, fromSeq: number): Iterable<{ seq: number; messages: readonly AnyMessage[] }> {
    for (const { seq, parcels } of readJournal(this.reader, fromSeq, this.#received)) {
      for (const parcel of parcels.flatMap(unpackParcels)) {
        if (parcel.to.kind === to.kind && parcel.to.id === to.id) yield { seq, messages: parcel.messages };
      }
    }
  }

  #send({ to, message }: Letter): void {
    if (this.#isMine(to)) this.system.post(to, message, null, 'system');
    else this.#peers.get(shardOf(to, this.shardCount))?.tell(to, message);
  }

  async #wakeNodes(): Promise<void> {
    const ids = runningNodes(this.reader, (id) => this.#isMine(nodeAddress(id)), this.#log);
    await this.#postAll(ids, { type: 'wake' });
  }

  #every(ms: number, run: () => void): void {
    this.#ends.push(this.#rim.every(ms, run));
  }

  #publish(): void {
    const silent = this.#tally.silentFor(
      crowdSilenceMs(this.#times, this.#stretch()),
      this.#patience.timeAt(this.clock.monotonicMs()),
    );
    const { held, running } = this.#tally;
    this.stats.publish(this.index, { running, silent }, held);
    if (held > 0 !== this.#tellsHeld) this.#tellHeld(held, running);
  }

  /** One line for a crowd, and one when it is over: a hundred thousand lines would stall the beats that would end it. */
  #tellHeld(held: number, running: number): void {
    this.#tellsHeld = held > 0;
    if (held > 0)
      this.#log.warn(
        { held, running },
        'more than half of all nodes are silent for node.ttl: verdicts are held for one more node.ttl',
      );
    else this.#log.info({ running }, 'no verdict is held any more');
  }

  #reportSettled(): void {
    const below = this.system.settledBelow(this.#received);
    if (below === this.#reported) return;
    this.#reported = below;
    this.#writer.settled(below, this.#received);
  }
}

function timesOf(config: Config): LivenessTimes {
  const settings = settingsOf(config);
  return { heartbeatMs: settings.heartbeatMs, ttlMs: settings.nodeTtlMs };
}
