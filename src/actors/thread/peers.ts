/**
 * The way to actors on other shards. It has the interface of the local system; messages of a turn cross as one batch.
 * When a peer's thread ends, every call that waits for it is refused with `overloaded`, and so are later ones until the
 * new thread is connected.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Failure } from '../../base/errors.ts';
import type { AnyAddress, AnyMessage } from '../runtime/address.ts';
import type { Done } from '../runtime/cell.ts';

/** Between two shards, both directions. */
export type PeerItem =
  | {
      readonly type: 'ask';
      readonly seq: number;
      readonly to: AnyAddress;
      readonly message: AnyMessage;
      readonly deadlineMs: number;
    }
  | { readonly type: 'tell'; readonly to: AnyAddress; readonly message: AnyMessage }
  | { readonly type: 'reply'; readonly seq: number; readonly failure: Failure | null; readonly value: unknown };

export interface LocalSystem {
  request(to: AnyAddress, message: AnyMessage, deadlineMs: number, done: Done): void;
  post(to: AnyAddress, message: AnyMessage, done: Done | null, lane: 'user'): boolean;
}

/** Calls that wait for one peer. Overflow policy: refuse (503). */
const PENDING_MAX = 65_536;

export class Peer {
  readonly #port: MessagePort;
  readonly #local: LocalSystem;
  readonly #wake: () => void;
  readonly #pending = new Map<number, Done>();
  #outgoing: PeerItem[] = [];
  #seq = 0;
  #closed = false;

  /** `wake` asks for `flush` at the end of the turn. */
  constructor(port: MessagePort, local: LocalSystem, wake: () => void) {
    this.#port = port;
    this.#local = local;
    this.#wake = wake;
    port.on('message', (items: readonly PeerItem[]) => {
      for (const item of items) this.#take(item);
    });
    port.on('close', () => this.close());
  }

  request(to: AnyAddress, message: AnyMessage, deadlineMs: number, done: Done): void {
    if (this.#closed || this.#pending.size >= PENDING_MAX) {
      done(OVERLOADED, undefined);
      return;
    }
    const seq = ++this.#seq;
    this.#pending.set(seq, done);
    this.#send({ type: 'ask', seq, to, message, deadlineMs });
  }

  tell(to: AnyAddress, message: AnyMessage): boolean {
    if (this.#closed) return false;
    this.#send({ type: 'tell', to, message });
    return true;
  }

  flush(): void {
    if (this.#outgoing.length === 0 || this.#closed) return;
    this.#port.postMessage(this.#outgoing);
    this.#outgoing = [];
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#outgoing = [];
    for (const done of this.#pending.values()) done(OVERLOADED, undefined);
    this.#pending.clear();
    this.#port.close();
  }

  #send(item: PeerItem): void {
    this.#outgoing.push(item);
    if (this.#outgoing.length === 1) this.#wake();
  }

  #take(item: PeerItem): void {
    if (item.type === 'tell') {
      this.#local.post(item.to, item.message, null, 'user');
    } else if (item.type === 'ask') {
      this.#local.request(item.to, item.message, item.deadlineMs, (failure, value) =>
        this.#send({ type: 'reply', seq: item.seq, failure, value }),
      );
    } else {
      const done = this.#pending.get(item.seq);
      this.#pending.delete(item.seq);
      done?.(item.failure, item.value);
    }
  }
}

const OVERLOADED: Failure = { name: 'overloaded' };
