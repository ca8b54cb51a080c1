/** What an aggregator is told and asked. There is one per metric object: a queue, a node, the system total. */
import type { Bucket } from '../../store/bucket.ts';
import { type Address, type AnyMessage, addressOf, type Message } from '../runtime/address.ts';
import type { Delivery } from '../runtime/behaviour.ts';

/** Metric (without `metricDef-`), milliseconds since the epoch, nanoseconds within the millisecond, value. */
export type Sample = readonly [metric: string, timeMs: number, subNs: number, value: number];

/** Arrives inside a delivery: durable before it is folded in. */
export interface Samples extends AnyMessage {
  readonly type: 'samples';
  readonly samples: readonly Sample[];
}

/** What is not yet in chunks. A reader adds it to a chunk whose `appliedSeq` is below `lastSeq`. */
export interface OpenPart {
  readonly metric: string;
  readonly lastSeq: number;
  /** Of the finest level. */
  readonly buckets: readonly Bucket[];
}

export interface AskOpen extends Message<readonly OpenPart[]> {
  readonly type: 'open';
  /** One metric; every metric where absent. */
  readonly metric?: string;
}

/** Samples that somebody reports directly; the reply comes when they are durable. */
export interface PostSamples extends Message {
  readonly type: 'post';
  readonly samples: readonly Sample[];
  /** Filled in by `prepare`: metrics of the object that have no series yet. */
  readonly newMetrics?: readonly string[];
}

/** Writes the open buckets into chunks. Comes from the actor's own timer. */
export interface Flush extends AnyMessage {
  readonly type: 'timer';
  /** Filled in by `prepare`: the stored chunks that the open buckets touch, by key in hexadecimal. */
  readonly stored?: ReadonlyMap<string, Uint8Array>;
}

/** What was flushed is durable. Sent by the actor to itself. */
export interface Flushed extends Message {
  readonly type: 'flushed';
}

/** Sent by the system after a failure: reading the state, and the deliveries that are not in it, is all there is to do. */
export interface Wake extends AnyMessage {
  readonly type: 'wake';
}

/** A delivery, with what a replay needs to know of what is stored already. */
export interface PreparedDelivery extends Delivery {
  /** Filled in by `prepare` for replays: metric and window start → the chunk's `appliedSeq`. */
  readonly applied?: ReadonlyMap<string, number>;
}

export type AggregatorMessage = AskOpen | PostSamples | Flush | Flushed | Wake | PreparedDelivery;

export function aggregatorAddress(objectId: string): Address<AskOpen | PostSamples | Flushed> {
  return addressOf('aggregator', objectId);
}
