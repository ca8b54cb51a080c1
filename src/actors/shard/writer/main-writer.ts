/** Main's own writes (configuration history, metric definitions): each batch stands for itself, none waits on another. */
import type { MessagePort } from 'node:worker_threads';
import { CodedError, errorOf } from '../../../base/errors.ts';
import type { PublicEvent } from '../../../protocol/event.ts';
import { packEvents } from '../../../store/commit/event-log.ts';
import { type PackedWrites, WriteBatch } from '../../../store/kv/write-batch.ts';
import type { Write } from '../../runtime/behaviour.ts';
import type { FromWriter, ToWriter } from './writer-messages.ts';

interface Pending {
  readonly resolve: () => void;
  readonly reject: (error: CodedError) => void;
}

export class MainWriter {
  readonly #port: MessagePort;
  readonly #pending = new Map<number, Pending>();
  #number = 0;
  #stopped = false;
  #drains: (() => void)[] = [];

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: FromWriter) => this.#take(message));
    port.on('close', () => {
      this.#stopped = true;
      for (const { reject } of this.#pending.values()) reject(stopped());
      this.#pending.clear();
      for (const drained of this.#drains.splice(0)) drained();
    });
  }

  /**
   * Resolves when the writes and the events are on disk, all of them; rejects with a CodedError when none
   * is. `packed` comes first.
   */
  commit(writes: readonly Write[], packedBefore?: PackedWrites, events: readonly PublicEvent[] = []): Promise<void> {
    if (this.#stopped) return Promise.reject(stopped());
    const batch = new WriteBatch();
    if (packedBefore) batch.addPacked(packedBefore, 1);
    for (const write of writes) {
      if (write.value === null) batch.remove(write.table, write.key);
      else batch.put(write.table, write.key, write.value);
    }
    const packed = batch.seal();
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve, reject });
      // Every batch is an epoch of its own, so that a failed one does not fail the next.
      const message: ToWriter = {
        type: 'commit',
        epoch: number,
        number,
        writes: packed,
        messageBatches: [],
        events: packEvents(events),
      };
      this.#port.postMessage(message, [packed.buffer as ArrayBuffer]);
    });
  }

  /** Has every server of the cluster change a file of node logs; resolves when it is changed here, and safe. */
  log(payload: Uint8Array): Promise<void> {
    if (this.#stopped) return Promise.reject(stopped());
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve, reject });
      this.#port.postMessage({ type: 'log', number, payload } satisfies ToWriter);
    });
  }

  /** Resolves when everything committed before it is on disk or has failed. */
  drain(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drains.push(resolve);
      this.#port.postMessage({ type: 'drain' } satisfies ToWriter);
    });
  }

  #take(message: FromWriter): void {
    if (message.type === 'drained') this.#drains.shift()?.();
    if (message.type !== 'durable' && message.type !== 'failed') return;
    const pending = this.#pending.get(message.number);
    this.#pending.delete(message.number);
    if (message.type === 'durable') pending?.resolve();
    else pending?.reject(errorOf(message.failure));
  }
}

function stopped(): CodedError {
  return new CodedError('internal', 'the writer has stopped');
}
