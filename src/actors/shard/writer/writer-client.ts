/** One thread's end of the way to the writer: batches out, outcomes and deliveries in, in order. */
import type { Failure } from '../../../base/errors.ts';
import type { PackedMessages } from '../../../store/commit/group-commit.ts';
import type { PackedWrites } from '../../../store/kv/write-batch.ts';
import type { Port, ThreadPlatform } from '../wire/thread-platform.ts';
import type { FromWriter, ToWriter } from './writer-messages.ts';

export interface WriterEvents {
  attached(through: number): void;
  durable(number: number, seq: number): void;
  /** This batch and every later one of the epoch failed. Returns the number of the first batch that may come next. */
  failed(number: number, failure: Failure): number;
  delivery(seq: number, bytes: Uint8Array): void;
  /** Public events from position `first` on, packed; no bytes: the log stands there. */
  events(first: number, bytes: Uint8Array): void;
}

export class WriterClient {
  readonly #port: Port;
  readonly #platform: Pick<ThreadPlatform, 'receive'>;
  readonly #events: WriterEvents;
  #epoch = 1;
  #epochBegan = 0;
  #drains: (() => void)[] = [];
  #catchingUp = false;

  constructor(port: Port, platform: Pick<ThreadPlatform, 'receive'>, events: WriterEvents) {
    this.#port = port;
    this.#platform = platform;
    this.#events = events;
    port.on('message', (message) => this.#take(message as FromWriter));
  }

  commit(
    number: number,
    writes: PackedWrites,
    messageBatches: readonly PackedMessages[],
    events: Uint8Array | null = null,
  ): void {
    const transfer = [writes.buffer, ...messageBatches.map(({ bytes }) => bytes.buffer)] as ArrayBuffer[];
    if (events) transfer.push(events.buffer as ArrayBuffer);
    const message: ToWriter = { type: 'commit', epoch: this.#epoch, number, writes, messageBatches, events };
    this.#port.postMessage(message, transfer);
  }

  acknowledged(below: number, received: number): void {
    this.#port.postMessage({ type: 'acknowledged', below, received } satisfies ToWriter);
  }

  /** Public events come from now on. */
  listen(): void {
    this.#port.postMessage({ type: 'listen' } satisfies ToWriter);
  }

  /** Resolves when everything committed before it is durable or has failed. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#drains.push(resolve);
      this.#port.postMessage({ type: 'drain' } satisfies ToWriter);
    });
  }

  /** Handles what has arrived now, so that a question asked next finds the deliveries that were sent before it. */
  catchUp(): void {
    // The receiver of a message may send another one in turn: the current message is handled completely first.
    if (this.#catchingUp) return;
    this.#catchingUp = true;
    try {
      for (let received = this.#platform.receive(this.#port); received; received = this.#platform.receive(this.#port))
        this.#take(received.message as FromWriter);
    } finally {
      this.#catchingUp = false;
    }
  }

  close(): void {
    this.#port.close();
  }

  #take(message: FromWriter): void {
    switch (message.type) {
      case 'attached':
        this.#events.attached(message.through);
        return;
      case 'durable':
        this.#events.durable(message.number, message.seq);
        return;
      case 'delivery':
        this.#events.delivery(message.seq, message.bytes);
        return;
      case 'events':
        this.#port.postMessage({ type: 'heard', bytes: message.bytes.byteLength } satisfies ToWriter);
        this.#events.events(message.first, message.bytes);
        return;
      case 'drained':
        this.#drains.shift()?.();
        return;
      case 'failed':
        // Later failures of the same epoch say nothing new: everything of it was given up with the first.
        if (message.number < this.#epochBegan) return;
        this.#epoch++;
        this.#epochBegan = this.#events.failed(message.number, message.failure);
        return;
    }
  }
}
