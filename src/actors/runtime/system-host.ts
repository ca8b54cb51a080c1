/** What an actor system needs of the thread it lives on, and what it tells about itself. */
import type { Clock, Now } from '../../base/clock.ts';
import type { PublicEvent } from '../../protocol/event.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { AnyAddress, AnyMessage } from './address.ts';
import type { AnyBehaviour, OutgoingMessage, Signal } from './behaviour.ts';
import type { SealedBatch } from './outbox.ts';

export interface SystemHost<Env> {
  readonly clock: Clock;
  readonly bounds?: SystemBounds;
  readonly reader: Reader;
  readonly env: Env;
  readonly behaviours: readonly AnyBehaviour<Env>[];
  /** Hands a sealed batch to the writer; the host calls `batchDurable` or `batchFailed` for each, in order. */
  readonly commit: (batch: SealedBatch) => void;
  /** Durable deliveries to an actor from `fromSeq` on that are not acknowledged: read again when its state was lost. */
  readonly replay: (
    to: AnyAddress,
    fromSeq: number,
  ) => Iterable<{ readonly seq: number; readonly messages: readonly AnyMessage[] }>;
  /** Sends a plain message that a step made; to this system or to another. */
  readonly send: (outgoingMessage: OutgoingMessage) => void;
  /** Asks for `runTurn` soon (the end of this event-loop turn). */
  readonly wake: () => void;
  readonly onSignal: (signal: Signal) => void;
  /** The public event that a signal is; null where it is none. Stored with the step's writes. */
  readonly record?: (signal: Signal, now: Now) => PublicEvent | null;
  readonly onCrash: (error: unknown, where: AnyAddress) => void;
  /** The actors of this thread fail too often to go on; the thread should crash. */
  readonly onEscalate: () => void;
}

/** For each message that was posted exactly one of the next three is counted, once it no longer waits. */
export interface SystemCounts {
  posted: number;
  handled: number;
  refused: number;
  deadLetters: number;
  restarts: number;
}

/** Smaller ones make overflow reachable for tests. */
export interface SystemBounds {
  readonly readyMax: number;
  readonly inFlightBytesMax: number;
}

/** The public events among the signals. */
export function eventsOf<Env>({ record }: SystemHost<Env>, signals: readonly Signal[], now: Now): PublicEvent[] {
  return record ? signals.map((signal) => record(signal, now)).filter((event) => event !== null) : [];
}
