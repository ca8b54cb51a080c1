/** What passes between the writer thread and its clients (the shards and main), both directions in one place. */
import type { MessagePort } from 'node:worker_threads';
import type { Failure } from '../../../base/errors.ts';
import type { PackedMessages } from '../../../store/commit/group-commit.ts';
import type { PackedWrites } from '../../../store/kv/write-batch.ts';
import type { ReplicaOptions, ReplicaPeer, ReplicaStatus } from '../../../store/replica/status.ts';

/** Main's number among the writer's clients; shards count from 0. */
export const MAIN_CLIENT = -1;

export type ToWriter =
  | {
      readonly type: 'commit';
      readonly epoch: number;
      readonly number: number;
      readonly writes: PackedWrites;
      readonly messageBatches: readonly PackedMessages[];
      readonly events?: Uint8Array | null;
    }
  /** A change to a file of node logs, where this server is one of a cluster; the answer is as to a commit. */
  | { readonly type: 'log'; readonly number: number; readonly payload: Uint8Array }
  /** Send public events as they become durable, from now on. */
  | { readonly type: 'listen' }
  /** Bytes of events that were taken, so that those in flight have a bound. */
  | { readonly type: 'heard'; readonly bytes: number }
  /** Deliveries below `below` are acknowledged; the last one received was `received`. */
  | { readonly type: 'acknowledged'; readonly below: number; readonly received: number }
  /** Everything sent before it is durable or has failed when `drained` comes back. */
  | { readonly type: 'drain' };

export type FromWriter =
  /** `through` is the last sequence number in the store: replay up to there, the rest arrives here. */
  | { readonly type: 'attached'; readonly through: number }
  | { readonly type: 'durable'; readonly number: number; readonly seq: number }
  | { readonly type: 'failed'; readonly number: number; readonly failure: Failure }
  | { readonly type: 'delivery'; readonly seq: number; readonly bytes: Uint8Array }
  /**
   * Events from position `first` on, packed. Sent before anybody hears that they are durable. Without bytes it only says
   * where the log stands: as the answer to `listen`, and after events were left out because the listener was too slow.
   */
  | { readonly type: 'events'; readonly first: number; readonly bytes: Uint8Array }
  | { readonly type: 'drained' };

/** On the writer's own port, from main. */
export type WriterControl =
  /** The answer is `passed` or `notPassed`. */
  | { readonly type: 'barrier'; readonly number: number; readonly timeoutMs: number }
  | { readonly type: 'register'; readonly self: ReplicaPeer }
  | { readonly type: 'attach'; readonly client: number; readonly port: MessagePort }
  | { readonly type: 'stop' };

/** From the writer to main on the same port. */
export type WriterReport =
  | { readonly type: 'open' }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'trimFailed'; readonly what: string; readonly failure: Failure }
  | { readonly type: 'unreadableEvents'; readonly count: number }
  | { readonly type: 'replica'; readonly status: ReplicaStatus }
  | { readonly type: 'replicaNews'; readonly level: 'info' | 'warn'; readonly text: string }
  | { readonly type: 'passed' | 'notPassed'; readonly number: number }
  | { readonly type: 'stopped' };

export interface WriterData {
  readonly folder: string;
  readonly stats: SharedArrayBuffer;
  readonly commitTimes: SharedArrayBuffer;
  readonly shardCount: number;
  /** Absent where this server stands alone. */
  readonly replica?: ReplicaOptions;
}
