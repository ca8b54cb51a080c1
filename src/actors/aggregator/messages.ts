/**
 * The messages and questions of an aggregator. There are sixteen, each for the objects (queues, nodes, the system total) of its
 * slices (`store/series/series-layout.ts`).
 */
import type { Bucket } from '../../store/series/bucket.ts';
import { partitionOf } from '../../store/series/series-layout.ts';
import { type Address, type AnyMessage, addressOf, type Message } from '../runtime/address.ts';
import type { Delivery } from '../runtime/behaviour.ts';

/** Metric (without `metricDef-`), milliseconds since the epoch, nanoseconds within the millisecond, value. */
export type Sample = readonly [metric: string, timeMs: number, subNs: number, value: number];

/** Arrives inside a delivery: durable before it is folded in. Made by `SampleBatch`, which says what the rows are. */
export interface Samples extends AnyMessage {
  readonly type: 'samples';
  readonly objects: readonly string[];
  readonly metrics: readonly string[];
  readonly rows: Uint8Array;
}

/** What is not yet in the store. A reader adds it where the slice's applied number is below `lastSeq`. */
export interface OpenPart {
  readonly lastSeq: number;
  /** Of the finest level, in order. */
  readonly buckets: readonly Bucket[];
}

/** The open buckets of one series. */
export interface AskOpen extends Message<readonly OpenPart[]> {
  readonly type: 'open';
  readonly objectId: string;
  readonly metric: string;
}

/** Totals of what is open of every queue, over buckets that begin in the range. */
export interface AskTotals extends Message<readonly OpenTotals[]> {
  readonly type: 'totals';
  readonly fromMs: number;
  readonly toMs: number;
}

export interface OpenTotals {
  readonly slice: number;
  readonly lastSeq: number;
  readonly rows: readonly OpenTotal[];
}

export type OpenTotal = readonly [
  objectId: string,
  metric: string,
  count: number,
  newestMs: number,
  sum: readonly number[],
];

/**
 * From now on, what is written of buckets before the time is marked as stale for their rollup; what is open of them is written.
 * The reply comes when that is durable. It may take several asks: each writes a bounded part.
 */
export interface Close extends Message<CloseReply> {
  readonly type: 'close';
  readonly beforeMs: number;
}

export interface CloseReply {
  /** Slices that still hold open buckets before the time. */
  readonly left: number;
}

/** Writes open buckets as blocks. Comes from the actor's own timer. */
export interface Flush extends AnyMessage {
  readonly type: 'timer';
}

/** What was flushed of a slice is durable. Sent by the actor to itself. */
export interface Flushed extends Message {
  readonly type: 'flushed';
  readonly slice: number;
  readonly seq: number;
}

/** Sent by the system after a failure: reading the state, and the deliveries that are not in it, is all there is to do. */
export interface Wake extends AnyMessage {
  readonly type: 'wake';
}

export type AggregatorMessage = AskOpen | AskTotals | Close | Flush | Flushed | Wake | Delivery;

export type AggregatorAddress = Address<AskOpen | AskTotals | Close | Flushed>;

/** The aggregator of an object. */
export function aggregatorAddress(objectId: string): AggregatorAddress {
  return partitionAddress(partitionOf(objectId));
}

/** Partition 0 has the queues and the system total. */
export function partitionAddress(partition: number): AggregatorAddress {
  return addressOf('aggregator', String(partition));
}
