/**
 * What an actor does, without clocks, sockets, threads or disks: `(state, message, now) → state + effects`. The system
 * carries the effects out. A behaviour may change its state object in place: there is no other reference to it.
 */
import type { Now } from '../../base/clock.ts';
import type { Failure } from '../../base/errors.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { Table } from '../../store/kv/tables.ts';
import type { AnyAddress, AnyMessage } from './address.ts';

export type Write =
  | { readonly table: Table; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly table: Table; readonly key: Uint8Array; readonly value: null };

export interface OutgoingMessage {
  readonly to: AnyAddress;
  readonly message: AnyMessage;
  /** About how many bytes a durable message takes in the journal, where that is more than a few hundred. */
  readonly byteLength?: number;
}

/** A fact for the platform: a log line, a counter, later the event stream. The runtime only passes it on. */
export interface Signal {
  readonly type: string;
}

export interface Step<S> {
  readonly state: S;
  /** Answer to an `ask`; sent when every write of this step, and of earlier steps of this actor, is durable. */
  readonly reply?: unknown;
  /** Coded refusal of an `ask`. */
  readonly refuse?: Failure;
  /** All of a step's writes and deliveries are in one transaction. */
  readonly writes?: readonly Write[];
  /**
   * Durable messages: journaled in the same transaction, handed over (with their sequence number) once it is durable, and
   * again after a crash, until the receiver has `acknowledged` them.
   */
  readonly deliver?: readonly OutgoingMessage[];
  /** Plain messages, sent once the step is durable; lost in a crash. */
  readonly tell?: readonly OutgoingMessage[];
  /**
   * Sets the actor's one timer; null cancels it. It arrives as `{ type: 'timer' }` in the system lane. An actor that has
   * set one also gets `{ type: 'wake' }` after its state was lost, because the timer may have been lost with it.
   */
  readonly timerMs?: number | null;
  /** All deliveries up to this sequence number are in what this step wrote, and need not be replayed. */
  readonly acknowledged?: number;
  readonly signals?: readonly Signal[];
  /** Forget the actor once the step is durable; the next message reads it from the store. */
  readonly stop?: boolean;
}

/** The durable messages of one batch to one actor. */
export interface MessageBatch {
  readonly to: AnyAddress;
  readonly messages: readonly AnyMessage[];
}

/** How a message batch arrives: `seq` orders it, `replayed` says that it may have been acknowledged before. */
export interface Delivery {
  readonly type: 'delivery';
  readonly seq: number;
  readonly replayed: boolean;
  readonly messages: readonly AnyMessage[];
}

export interface Behaviour<S, M extends AnyMessage, Env> {
  readonly kind: string;
  /** The state as the store has it, or that of a new actor. Called before the first message, and after a failure. */
  hydrate(id: string, reader: Reader, now: Now, env: Env): S;
  /** Adds to a message what only the store knows (prices of nodes, say). Runs before `receive`. */
  prepare?(state: S, message: M, reader: Reader, now: Now): M;
  receive(state: S, message: M, now: Now, env: Env): Step<S>;
  /**
   * The common case of a frequent message: changes memory only, has no effects, and gives the reply at once. Undefined
   * where it is not that case; then nothing was changed, and the message goes the usual way.
   */
  fastPath?(state: S, message: M, now: Now, env: Env): unknown;
  /** About how many usual messages (10 µs each) this one costs as much as; 1 where it is not said. A turn is bounded by it. */
  weightOf?(message: M): number;
  /** The state once all that was written for it is in the store: without what it held only until then. */
  stored?(state: S): S;
  /** Called when a state is dropped from memory, for what it shares with others (a tally, say). */
  dismiss?(state: S, env: Env): void;
  /** Milliseconds without a message after which the actor may be forgotten; null keeps it in memory. */
  idleMs(state: S): number | null;
}

// biome-ignore lint/suspicious/noExplicitAny: the system holds behaviours of every state and message type.
export type AnyBehaviour<Env> = Behaviour<any, any, Env>;
