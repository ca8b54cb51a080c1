/**
 * The one owner of all writes. It takes whatever its clients have sent while the last transaction was being flushed,
 * commits it as one, and tells each client. It runs in a thread of its own (`writer-entry.ts`), because a transaction
 * blocks until the disk has it: a stalled disk must not stall the accepting of connections or a heartbeat.
 */

import { CodedError, type Failure, failureOf } from '../../../base/errors.ts';
import { TICK_MS } from '../../../base/stall-aware-clock.ts';
import { type CommitOutcome, type CommitRequest, firstSeqOf, GroupCommit } from '../../../store/commit/group-commit.ts';
import type { Store } from '../../../store/kv/store.ts';
import type { Port, ThreadPlatform } from '../wire/thread-platform.ts';
import type { ReplicatedCommit } from './replicated-commit.ts';
import { Trimmer } from './trimmer.ts';
import { type FromWriter, MAIN_CLIENT, type ToWriter } from './writer-messages.ts';

interface Client {
  readonly number: number;
  readonly port: Port;
  /** Last delivery sent to it, and the first it may not have acknowledged. */
  lastSent: number;
  floor: number;
  drains: number;
  /** Wants public events. */
  listens: boolean;
  /** Bytes of events sent and not yet taken. */
  unheard: number;
  /** Events were left out: the client gets the current position of the log once it has taken the others. */
  skipped: boolean;
}

interface Received {
  readonly client: Client;
  readonly message: ToWriter;
}

/** Requests of one transaction: bounds its length, and so everybody's latency. */
const REQUESTS_MAX = 1_024;
/**
 * Bytes of one transaction, all but those of its last request: 3 to 7 ms of processor time. Where the disk takes 10 ms to
 * flush, that is still 25 MB a second.
 */
export const TRANSACTION_BYTES_MAX = 262_144;
/** Bytes of events in flight to one listener. Overflow policy: leave them out; readers then read them from the store. */
const UNHEARD_MAX = 4 * 1024 * 1024;
/** Floor of a client that has acknowledged every delivery. */
const NOTHING_OPEN = Number.POSITIVE_INFINITY;

export type WriterPlatform = Pick<ThreadPlatform, 'every' | 'after' | 'soon' | 'newClock' | 'receive' | 'drop'>;

export interface WriterHost {
  /** The journal is for this many shards: it keeps everything until the last of them has been here. */
  readonly shardCount: number;
  /** Called as long as no transaction holds the thread. */
  pulse(): void;
  /** With the number of series that are stored, at the start and after each transaction, before its clients hear of it. */
  countSeries(count: number): void;
  /** What is to be trimmed stays, and is tried again; told once until it has worked. */
  trimFailed(what: string, failure: Failure): void;
  /** So many records at the beginning of the event log could not be read, and were removed. */
  unreadableEvents(count: number): void;
}

export class Writer {
  readonly #store: Store;
  readonly #platform: WriterPlatform;
  readonly #host: WriterHost;
  readonly #group: GroupCommit | ReplicatedCommit;
  /** The same as the group where this server is one of a cluster. */
  readonly #replicated: ReplicatedCommit | null;
  readonly #clients = new Map<number, Client>();
  readonly #trimmer: Trimmer;
  readonly #endPulse: () => void;
  /** Messages that came while another transaction has its turn, in order. Bounded by what each shard may have in flight. */
  #waiting: Received[] = [];
  #isGathering = false;
  #isClosed = false;
  #isTurnAsked = false;

  constructor(store: Store, platform: WriterPlatform, host: WriterHost, replicated: ReplicatedCommit | null = null) {
    this.#store = store;
    this.#platform = platform;
    this.#host = host;
    this.#replicated = replicated;
    this.#group = replicated ?? new GroupCommit(store, platform.drop);
    this.#count();
    const clock = platform.newClock();
    this.#trimmer = new Trimmer({
      platform,
      slices: {
        'the journal': () => this.#group.trim(this.#acknowledgedBelow()),
        'the event log': () => this.#trimEvents(clock.wallMs()),
      },
      onFailure: (what, failure) => host.trimFailed(what, failure),
    });
    this.#endPulse = platform.every(TICK_MS, () => host.pulse());
    host.pulse();
  }

  attach(number: number, port: Port): void {
    this.#clients.get(number)?.port.close();
    this.#group.begin(number);
    this.#store.refresh();
    const floor = number === MAIN_CLIENT ? NOTHING_OPEN : (firstSeqOf(this.#store) ?? NOTHING_OPEN);
    const lastSent = this.#group.lastSeq;
    const client = { number, port, lastSent, floor, drains: 0, listens: false, unheard: 0, skipped: false };
    this.#clients.set(number, client);
    port.on('message', (message) => {
      this.#waiting.push({ client, message: message as ToWriter });
      if (!this.#isGathering && !this.#isTurnAsked && !this.#replicated?.isFull) this.#takeTurn();
    });
    send(client, { type: 'attached', through: this.#group.lastSeq });
  }

  /** Lets go of its clients; what they have sent and was not taken is not committed. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#trimmer.close();
    this.#endPulse();
    for (const { port } of this.#clients.values()) port.close();
  }

  /** The first message of a burst takes the whole burst with it, of every client, up to what one transaction holds. */
  #takeTurn(): void {
    const requests: CommitRequest[] = [];
    let bytes = 0;
    this.#isGathering = true;
    while (requests.length < REQUESTS_MAX && bytes < TRANSACTION_BYTES_MAX) {
      if (this.#waiting.length === 0 && !this.#receiveOfEach()) break;
      const { client, message } = this.#waiting.shift() as Received;
      // A successor has taken its place: what it has sent and was not taken is not committed.
      if (this.#clients.get(client.number) !== client) continue;
      bytes += bytesOf(message);
      this.#receive(client, message, requests);
    }
    this.#isGathering = false;
    // Behind a long transaction also where nothing waits: what arrives meanwhile would be one more in the same turn of the loop.
    if (bytes >= TRANSACTION_BYTES_MAX / 4 || this.#waiting.length > 0) this.#askTurn();
    if (this.#replicated) {
      this.#commitReplicated(this.#replicated, requests);
      return;
    }
    if (requests.length > 0) this.#tellAll((this.#group as GroupCommit).commit(requests));
    // In a cluster they stay, because they also go into the stream.
    this.#platform.drop(buffersOf(requests));
    this.#endDrains();
  }

  #commitReplicated(replicated: ReplicatedCommit, requests: readonly CommitRequest[]): void {
    const drains: Client[] = [];
    for (const client of this.#clients.values()) for (; client.drains > 0; client.drains--) drains.push(client);
    replicated.commit(requests, (outcomes) => {
      if (this.#isClosed) return;
      this.#tellAll(outcomes);
      for (const client of drains) send(client, { type: 'drained' });
      if (this.#waiting.length > 0 && !this.#isTurnAsked) this.#askTurn();
    });
  }

  #tellAll(outcomes: readonly CommitOutcome[]): void {
    this.#count();
    this.#publish(outcomes);
    for (const outcome of outcomes) this.#tell(outcome);
  }

  #endDrains(): void {
    for (const client of this.#clients.values()) {
      for (; client.drains > 0; client.drains--) send(client, { type: 'drained' });
    }
  }

  /** Timers run before the next transaction, and so do the clients that heard of the last one. */
  #askTurn(): void {
    this.#isTurnAsked = true;
    this.#platform.soon(() => {
      this.#isTurnAsked = false;
      if (!this.#isClosed && !this.#replicated?.isFull) this.#takeTurn();
    });
  }

  /** One message of each client that has sent some; false if there is none. */
  #receiveOfEach(): boolean {
    for (const client of this.#clients.values()) {
      const received = this.#platform.receive(client.port);
      if (received) this.#waiting.push({ client, message: received.message as ToWriter });
    }
    return this.#waiting.length > 0;
  }

  #count(): void {
    this.#store.refresh();
    this.#host.countSeries(this.#store.count('series'));
  }

  #trimEvents(nowMs: number): number {
    const { count, unreadable } = this.#group.trimEvents(nowMs);
    if (unreadable > 0) this.#host.unreadableEvents(unreadable);
    return count;
  }

  #receive(client: Client, message: ToWriter, requests: CommitRequest[]): void {
    switch (message.type) {
      case 'commit':
        requests.push({ client: client.number, ...message });
        return;
      case 'drain':
        client.drains++;
        return;
      case 'log':
        this.#log(client, message.number, message.payload);
        return;
      case 'listen':
        client.listens = true;
        this.#tellPlace(client);
        return;
      case 'heard':
        client.unheard -= message.bytes;
        if (!client.skipped || client.unheard > 0) return;
        client.skipped = false;
        this.#tellPlace(client);
        return;
      case 'acknowledged': {
        const isAll = message.below > message.received && message.received >= client.lastSent;
        client.floor = isAll ? NOTHING_OPEN : message.below;
      }
    }
  }

  #log(client: Client, number: number, payload: Uint8Array): void {
    const change =
      this.#replicated?.log(client.number, payload) ??
      Promise.reject(new CodedError('internal', 'there is no cluster'));
    change.then(
      () => send(client, { type: 'durable', number, seq: 0 }),
      (error: unknown) => {
        const failure = failureOf(error instanceof CodedError ? error : new CodedError('internal', String(error)));
        send(client, { type: 'failed', number, failure });
      },
    );
  }

  #tellPlace(client: Client): void {
    send(client, { type: 'events', first: this.#group.nextEvent, bytes: new Uint8Array(0) });
  }

  /** Before any client hears that they are durable, so that a client that then asks for events already has them. */
  #publish(outcomes: readonly CommitOutcome[]): void {
    const listeners = [...this.#clients.values()].filter(({ listens }) => listens);
    if (listeners.length === 0) return;
    for (const outcome of outcomes) {
      if (outcome.type !== 'durable' || !outcome.request.events) continue;
      const bytes = outcome.request.events;
      for (const client of listeners) {
        client.skipped ||= client.unheard > UNHEARD_MAX;
        if (client.skipped) continue;
        client.unheard += bytes.byteLength;
        send(client, { type: 'events', first: outcome.firstEvent, bytes });
      }
    }
  }

  #tell(outcome: CommitOutcome): void {
    const { request } = outcome;
    const sender = this.#clients.get(request.client);
    if (outcome.type === 'failed') {
      if (sender) send(sender, { type: 'failed', number: request.number, failure: outcome.failure });
      return;
    }
    // Messages first: who asks right after the sender heard "durable" must find them delivered.
    for (const { client: number, bytes } of request.messageBatches) {
      const receiver = this.#clients.get(number);
      if (!receiver) continue;
      if (receiver.floor > outcome.seq) receiver.floor = outcome.seq;
      receiver.lastSent = outcome.seq;
      if (receiver !== sender) send(receiver, { type: 'delivery', seq: outcome.seq, bytes });
    }
    if (sender) send(sender, { type: 'durable', number: request.number, seq: outcome.seq });
  }

  /** No shard needs an entry below it. One that has not been here yet may need any: whose messages they are is not looked at. */
  #acknowledgedBelow(): number {
    let below = this.#group.lastSeq + 1;
    for (let shard = 0; shard < this.#host.shardCount; shard++) below = Math.min(below, this.#floorOf(shard));
    return below;
  }

  /** A shard of before this server led has not been sent what was applied since, and says of nothing that it has it. */
  #floorOf(shard: number): number {
    const hasAttached = this.#replicated?.isCurrent(shard) ?? true;
    return hasAttached ? (this.#clients.get(shard)?.floor ?? 0) : 0;
  }
}

function* buffersOf(requests: readonly CommitRequest[]): Generator<Uint8Array> {
  for (const { writes, messageBatches, events } of requests) {
    yield writes;
    for (const { bytes } of messageBatches) yield bytes;
    if (events) yield events;
  }
}

function bytesOf(message: ToWriter): number {
  if (message.type !== 'commit') return 0;
  let bytes = message.writes.byteLength + (message.events?.byteLength ?? 0);
  for (const messages of message.messageBatches) bytes += messages.bytes.byteLength;
  return bytes;
}

function send({ port }: Client, message: FromWriter): void {
  port.postMessage(message, message.type === 'delivery' ? [message.bytes.buffer as ArrayBuffer] : []);
}
