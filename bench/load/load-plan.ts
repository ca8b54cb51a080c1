/**
 * What a load process is told and what it tells: plain data, because both cross a process boundary.
 *
 * A plan names its bytes (small sets) or describes them (`Traffic`), so that a million beats are made where they are sent.
 */
import type { Traffic } from './traffic.ts';

export type Dialect =
  | { readonly kind: 'http' }
  | { readonly kind: 'websocket'; readonly path: string; readonly subprotocol: 'cairn.json' | 'cairn.msgpack' }
  | { readonly kind: 'redis' };

/** A stretch of open-loop load at one rate. */
export interface Phase {
  readonly name: string;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly connections: number;
  /** Closed loop: messages in all. With `phases` it counts for nothing. */
  readonly requests: number;
  /** Complete messages, cycled through; connection `i` takes from lane `i % lanes` where there are `lanes`. */
  readonly bytes: readonly Uint8Array[] | Traffic;
  readonly lanes?: readonly Traffic[];
  /** HTTP where absent. */
  readonly dialect?: Dialect;
  /** Messages in flight on one connection at most; 1 where absent. HTTP allows no more. */
  readonly inFlight?: number;
  /** Open loop: messages have intended send times, and latency counts from those, so that a stall is not hidden. */
  readonly phases?: readonly Phase[];
  /**
   * Open loop: `sent` where a connection stands for a client that waits for its answer before it sends again. Its latencies
   * and its phase then count from the moment of sending; what it could not send is given up.
   */
  readonly latencyFrom?: 'due' | 'sent';
  /** Open loop: a message that found no free connection for so long is given up; 1,000 where absent. */
  readonly giveUpMs?: number;
}

/** Outcomes of messages by what the server said. Latencies (histogram counts) are those of `answered` only. */
export interface Tally {
  readonly answered: number;
  /** Answered 503. */
  readonly refused: number;
  /** Of the refused, those that came with Retry-After. */
  readonly retryAfter: number;
  /** Every other answer, broken connections, and batches in which a node was not known. */
  readonly failed: number;
  /** Open loop: given up because no connection became free. */
  readonly givenUp: number;
  readonly counts: readonly number[];
}

/** A tenth of a second of intended send times. */
export interface Bin {
  readonly answered: number;
  readonly refused: number;
  readonly lost: number;
  readonly p99Ms: number;
}

export interface LoadResult extends Tally {
  readonly seconds: number;
  readonly phases: readonly Tally[];
  readonly bins: readonly Bin[];
  /** Open loop: how late the generator itself looked at a due message. */
  readonly lagCounts: readonly number[];
}

/** From the load process. Each `phase` is sent when that phase begins, so that the CPU can be read there. */
export type FromLoad =
  | { readonly type: 'connected' }
  | { readonly type: 'phase'; readonly index: number }
  | { readonly type: 'done'; readonly result: LoadResult }
  | { readonly type: 'failed'; readonly message: string };

export const BIN_MS = 100;
