/**
 * The way to actors on other shards. It has the interface of the local system; messages of a turn cross as one batch.
 * When a peer's thread ends, every call that was sent to it fails with `outcomeUnknown`; those that were not sent yet, and
 * later ones until the new thread is connected, are refused with `overloaded`.
 */
import { type Failure, OUTCOME_UNKNOWN } from '../../../base/errors.ts';
import type { Sample } from '../../aggregator/messages.ts';
import type { AnyAddress, AnyMessage } from '../../runtime/address.ts';
import type { Done } from '../../runtime/cell.ts';
import { type BeatDone, resultOf } from './heartbeat-result.ts';
import type { Port } from './thread-platform.ts';

/** Between two shards, both directions. */
export type PeerItem =
  | {
      readonly type: 'ask';
      readonly seq: number;
      readonly to: AnyAddress;
      readonly message: AnyMessage;
      readonly deadlineMs: number;
    }
  /** The beats of a turn; one result each, see `beats.ts`. */
  | {
      readonly type: 'beats';
      readonly seq: number;
      readonly ids: readonly string[];
      /** Null where none of them carries any. */
      readonly samples: readonly (readonly Sample[])[] | null;
    }
  | { readonly type: 'beaten'; readonly seq: number; readonly results: Int32Array }
  /** Answered when everything that came with it was handled. */
  | { readonly type: 'catchUp'; readonly seq: number }
  | { readonly type: 'tell'; readonly to: AnyAddress; readonly message: AnyMessage }
  | { readonly type: 'reply'; readonly seq: number; readonly failure: Failure | null; readonly value: unknown };

export interface LocalSystem {
  request(to: AnyAddress, message: AnyMessage, deadlineMs: number, done: Done): void;
  post(to: AnyAddress, message: AnyMessage, done: Done | null, lane: 'user'): boolean;
  beats(
    ids: readonly string[],
    samples: readonly (readonly Sample[])[] | null,
    reply: (results: Int32Array) => void,
  ): void;
}

/** Calls that wait for one peer. Overflow policy: refuse (503). */
const PENDING_MAX = 65_536;
/** Beats that do: those of every batch that is in work at once, and some. */
const PENDING_BEATS_MAX = 262_144;

export class Peer {
  readonly #port: Port;
  readonly #local: LocalSystem;
  readonly #wake: () => void;
  readonly #pending = new Map<number, Done>();
  readonly #pendingBeats = new Map<number, readonly BeatDone[]>();
  #beatsWaiting = 0;
  #outgoing: PeerItem[] = [];
  #beatIds: string[] = [];
  #beatSamples: (readonly Sample[])[] = [];
  #beatDones: BeatDone[] = [];
  #seq = 0;
  /** Calls up to this one have been sent. */
  #sentSeq = 0;
  #closed = false;

  /** `wake` asks for `flush` at the end of the turn. */
  constructor(port: Port, local: LocalSystem, wake: () => void) {
    this.#port = port;
    this.#local = local;
    this.#wake = wake;
    port.on('message', (items) => {
      for (const item of items as readonly PeerItem[]) this.#take(item);
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

  beat(id: string, samples: readonly Sample[], done: BeatDone): void {
    if (this.#closed || this.#beatsWaiting >= PENDING_BEATS_MAX) {
      done(OVERLOADED, 0);
      return;
    }
    this.#beatsWaiting++;
    this.#beatIds.push(id);
    this.#beatSamples.push(samples);
    this.#beatDones.push(done);
    if (this.#beatIds.length === 1 && this.#outgoing.length === 0) this.#wake();
  }

  /** `done` hears when the peer has handled the beats that were sent to it, durable or not; or that it is gone. */
  heard(done: () => void): void {
    if (this.#closed) {
      done();
      return;
    }
    const seq = ++this.#seq;
    this.#pending.set(seq, done);
    // It crosses in one message with them, and is answered after all of that.
    this.#send({ type: 'catchUp', seq });
  }

  flush(): void {
    if (this.#beatIds.length > 0) this.#gatherBeats();
    if (this.#outgoing.length === 0 || this.#closed) return;
    this.#port.postMessage(this.#outgoing);
    this.#sentSeq = this.#seq;
    this.#outgoing = [];
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#outgoing = [];
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const [seq, done] of pending) done(this.#failureOf(seq), undefined);
    const beats: (readonly [Failure, readonly BeatDone[]])[] = [
      ...[...this.#pendingBeats].map(([seq, dones]) => [this.#failureOf(seq), dones] as const),
      [OVERLOADED, this.#beatDones],
    ];
    this.#pendingBeats.clear();
    this.#beatIds = [];
    this.#beatSamples = [];
    this.#beatDones = [];
    for (const [failure, dones] of beats) for (const done of dones) done(failure, 0);
    this.#port.close();
  }

  /** What was sent may have been done before the other thread ended. */
  #failureOf(seq: number): Failure {
    return seq <= this.#sentSeq ? OUTCOME_UNKNOWN : OVERLOADED;
  }

  #gatherBeats(): void {
    const seq = ++this.#seq;
    const samples = this.#beatSamples.some((some) => some.length > 0) ? this.#beatSamples : null;
    this.#outgoing.push({ type: 'beats', seq, ids: this.#beatIds, samples });
    this.#pendingBeats.set(seq, this.#beatDones);
    this.#beatIds = [];
    this.#beatSamples = [];
    this.#beatDones = [];
  }

  #beaten(seq: number, results: Int32Array): void {
    const dones = this.#pendingBeats.get(seq);
    if (!dones) return;
    this.#pendingBeats.delete(seq);
    this.#beatsWaiting -= dones.length;
    for (let i = 0; i < dones.length; i++) {
      const result = results[i] as number;
      (dones[i] as BeatDone)(resultOf(result), result);
    }
  }

  #send(item: PeerItem): void {
    // Replies of actors that were asked before the peer ended: no caller takes them, and no flush would drop them.
    if (this.#closed) return;
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
    } else if (item.type === 'beats') {
      this.#local.beats(item.ids, item.samples, (results) => this.#send({ type: 'beaten', seq: item.seq, results }));
    } else if (item.type === 'catchUp') {
      this.#send({ type: 'reply', seq: item.seq, failure: null, value: null });
    } else if (item.type === 'beaten') {
      this.#beaten(item.seq, item.results);
    } else {
      const done = this.#pending.get(item.seq);
      this.#pending.delete(item.seq);
      done?.(item.failure, item.value);
    }
  }
}

const OVERLOADED: Failure = { name: 'overloaded' };
