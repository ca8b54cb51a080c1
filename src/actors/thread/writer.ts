/**
 * The one owner of all writes. It takes whatever its clients have sent while the last transaction was being flushed,
 * commits it as one, and tells each client. It runs in a thread of its own (`writer-entry.ts`), because a transaction
 * blocks until the disk has it: a stalled disk must not stall the accepting of connections or a heartbeat.
 */

import { TICK_MS } from '../../base/attentive-clock.ts';
import { type CommitOutcome, type CommitRequest, firstSeqOf, GroupCommit } from '../../store/group-commit.ts';
import type { Store } from '../../store/store.ts';
import type { Port, ThreadRim } from './rim.ts';
import { type FromWriter, MAIN_CLIENT, type ToWriter } from './writer-messages.ts';

interface Client {
  readonly number: number;
  readonly port: Port;
  /** Last delivery sent to it, and the first it may not have settled. */
  lastSent: number;
  floor: number;
  drains: number;
}

/** Requests of one transaction: bounds its length, and so everybody's latency. */
const REQUESTS_MAX = 1_024;
const TRIM_EVERY_MS = 1_000;
/** Floor of a client that has settled every delivery. */
const NOTHING_OPEN = Number.POSITIVE_INFINITY;

export class Writer {
  readonly #store: Store;
  readonly #rim: Pick<ThreadRim, 'every' | 'receive'>;
  readonly #group: GroupCommit;
  readonly #clients = new Map<number, Client>();
  readonly #ends: readonly (() => void)[];
  #draining = false;

  /** `pulse` is called as long as no transaction holds the thread. */
  constructor(store: Store, rim: Pick<ThreadRim, 'every' | 'receive'>, pulse: () => void) {
    this.#store = store;
    this.#rim = rim;
    this.#group = new GroupCommit(store);
    this.#ends = [rim.every(TRIM_EVERY_MS, () => this.#trim()), rim.every(TICK_MS, pulse)];
    pulse();
  }

  attach(number: number, port: Port): void {
    this.#clients.get(number)?.port.close();
    this.#group.begin(number);
    this.#store.refresh();
    const floor = number === MAIN_CLIENT ? NOTHING_OPEN : (firstSeqOf(this.#store) ?? NOTHING_OPEN);
    const client: Client = { number, port, lastSent: this.#group.lastSeq, floor, drains: 0 };
    this.#clients.set(number, client);
    port.on('message', (message) => this.#drainAll(client, message as ToWriter));
    send(client, { type: 'attached', through: this.#group.lastSeq });
  }

  /** Lets go of its clients; what they have sent and was not taken is not committed. */
  close(): void {
    for (const end of this.#ends) end();
    for (const { port } of this.#clients.values()) port.close();
  }

  /** The first message of a burst takes the whole burst with it, of every client. */
  #drainAll(first: Client, message: ToWriter): void {
    const requests: CommitRequest[] = [];
    take(first, message, requests);
    let more = !this.#draining;
    this.#draining = true;
    while (more && requests.length < REQUESTS_MAX) {
      more = false;
      for (const client of this.#clients.values()) {
        const received = this.#rim.receive(client.port);
        if (!received) continue;
        take(client, received.message as ToWriter, requests);
        more = true;
      }
    }
    this.#draining = false;
    if (requests.length > 0) for (const outcome of this.#group.commit(requests)) this.#tell(outcome);
    for (const client of this.#clients.values()) {
      for (; client.drains > 0; client.drains--) send(client, { type: 'drained' });
    }
  }

  #tell(outcome: CommitOutcome): void {
    const { request } = outcome;
    const sender = this.#clients.get(request.client);
    if (outcome.type === 'failed') {
      if (sender) send(sender, { type: 'failed', number: request.number, failure: outcome.failure });
      return;
    }
    // Letters first: who asks right after the sender heard "durable" must find them delivered.
    for (const { client: number, bytes } of request.parcels) {
      const receiver = this.#clients.get(number);
      if (!receiver) continue;
      if (receiver.floor > outcome.seq) receiver.floor = outcome.seq;
      receiver.lastSent = outcome.seq;
      if (receiver !== sender) send(receiver, { type: 'delivery', seq: outcome.seq, bytes });
    }
    if (sender) send(sender, { type: 'durable', number: request.number, seq: outcome.seq });
  }

  #trim(): void {
    if (this.#clients.size === 0) return;
    const floors = [...this.#clients.values()].map(({ floor }) => floor);
    try {
      this.#group.trim(Math.min(...floors, this.#group.lastSeq + 1));
    } catch {
      // The disk is full: the journal stays, and the next commit says so to whom it concerns.
    }
  }
}

function send({ port }: Client, message: FromWriter): void {
  port.postMessage(message, message.type === 'delivery' ? [message.bytes.buffer as ArrayBuffer] : []);
}

function take(client: Client, message: ToWriter, requests: CommitRequest[]): void {
  if (message.type === 'commit') requests.push({ client: client.number, ...message });
  else if (message.type === 'drain') client.drains++;
  else
    client.floor =
      message.below > message.received && message.received >= client.lastSent ? NOTHING_OPEN : message.below;
}
