/**
 * Collects what the steps of a turn write, so that a turn is one batch, and keeps what must wait until the batch is
 * durable: replies, plain messages, signals.
 *
 *   steps of a turn ──► current batch ──seal──► in flight ──durable──► waiting replies go out, in order
 *                                                  │
 *                                                  └──failed──► every waiting reply of this and all later batches fails
 *
 * One failed batch fails all later ones: they were computed from states that will never be on disk.
 */
import { assert } from '../../base/assert.ts';
import type { Failure } from '../../base/errors.ts';
import type { PublicEvent } from '../../protocol/event.ts';
import { type PackedWrites, WriteBatch } from '../../store/kv/write-batch.ts';
import type { AnyAddress, AnyMessage } from './address.ts';
import type { MessageBatch, OutgoingMessage, Write } from './behaviour.ts';

export interface SealedBatch {
  readonly number: number;
  readonly writes: PackedWrites;
  readonly messageBatches: readonly MessageBatch[];
  /** For the event log. */
  readonly events: readonly PublicEvent[];
}

/** Runs when its batch is durable (null) or has failed. */
export type Waiter = (failure: Failure | null) => void;

interface InFlight {
  readonly number: number;
  readonly byteLength: number;
  readonly waiters: Waiter[];
}

/** Bytes sealed and not yet durable. Overflow policy: the system refuses user messages (503) until some are. */
export const IN_FLIGHT_BYTES_MAX = 64 * 1024 * 1024;
/** Of a message that does not say its size. */
const MESSAGE_BYTES = 256;

export class Outbox {
  #batch = new WriteBatch();
  /** By kind and id: an actor gets at most one message batch of a batch, so that a sequence number is enough to order them. */
  #messageBatches = new Map<string, { to: AnyAddress; messages: AnyMessage[] }>();
  #waiters: Waiter[] = [];
  #events: PublicEvent[] = [];
  #number = 1;
  #durable = 0;
  #inFlight: InFlight[] = [];
  #inFlightBytes = 0;
  /** Of the messages that are being collected, about. */
  #messageBytes = 0;
  readonly #bytesMax: number;

  constructor(bytesMax = IN_FLIGHT_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Number that writes of the step at hand will have. */
  get currentNumber(): number {
    return this.#number;
  }

  get durableThrough(): number {
    return this.#durable;
  }

  get isFull(): boolean {
    return this.byteLength > this.#bytesMax;
  }

  get byteLength(): number {
    return this.#inFlightBytes + this.#batch.byteLength + this.#messageBytes;
  }

  get isEmpty(): boolean {
    return this.#batch.count === 0 && this.#messageBatches.size === 0 && this.#events.length === 0;
  }

  get inFlightCount(): number {
    return this.#inFlight.length;
  }

  add(writes: readonly Write[], outgoing: readonly OutgoingMessage[]): void {
    for (const write of writes) {
      if (write.value === null) this.#batch.remove(write.table, write.key);
      else this.#batch.put(write.table, write.key, write.value);
    }
    for (const { to, message, byteLength = MESSAGE_BYTES } of outgoing) {
      this.#messageBytes += byteLength;
      const key = `${to.kind}/${to.id}`;
      const messageBatch = this.#messageBatches.get(key);
      if (messageBatch) messageBatch.messages.push(message);
      else this.#messageBatches.set(key, { to, messages: [message] });
    }
  }

  /** Public events that tell of this batch's writes, or of what is only in memory. */
  addEvents(events: readonly PublicEvent[]): void {
    for (const event of events) this.#events.push(event);
  }

  /** Runs the waiter once batch `number` is durable or failed. */
  wait(number: number, waiter: Waiter): void {
    assert(number > this.#durable, 'waiting for a batch that is durable already');
    if (number === this.#number) {
      this.#waiters.push(waiter);
      return;
    }
    const batch = this.#inFlight.find((candidate) => candidate.number === number);
    assert(batch !== undefined, 'waiting for a batch that was never sealed');
    batch.waiters.push(waiter);
  }

  seal(): SealedBatch | undefined {
    if (this.isEmpty) return undefined;
    const messageBatches = [...this.#messageBatches.values()];
    const sealed = { number: this.#number, writes: this.#batch.seal(), messageBatches, events: this.#events };
    const byteLength = sealed.writes.byteLength + this.#messageBytes;
    this.#inFlight.push({ number: this.#number, byteLength, waiters: this.#waiters });
    this.#inFlightBytes += byteLength;
    this.#messageBytes = 0;
    this.#number++;
    this.#messageBatches = new Map();
    this.#waiters = [];
    this.#events = [];
    return sealed;
  }

  /** Batches become durable in the order they were sealed. */
  durable(number: number): void {
    const batch = this.#inFlight.shift();
    assert(batch?.number === number, 'a batch became durable out of order');
    this.#inFlightBytes -= batch.byteLength;
    this.#durable = number;
    for (const waiter of batch.waiters) waiter(null);
  }

  /** Fails everything that is not durable, also what is being collected. */
  fail(failure: Failure): void {
    const waiters = [...this.#inFlight.flatMap((batch) => batch.waiters), ...this.#waiters];
    this.#inFlight = [];
    this.#inFlightBytes = 0;
    this.#messageBytes = 0;
    this.#batch = new WriteBatch();
    this.#messageBatches = new Map();
    this.#waiters = [];
    this.#events = [];
    this.#durable = this.#number;
    this.#number++;
    for (const waiter of waiters) waiter(failure);
  }
}
