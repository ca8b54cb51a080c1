/** The messages and questions of a job actor. Plain data: messages may cross threads. */
import type { ClaimReply } from '../../protocol/claim.ts';
import type { JobUpdate } from '../../protocol/job.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import type { EventRow } from '../../store/records/job-event-row.ts';
import type { NodePrice } from '../../store/records/node-record.ts';
import { type Address, addressOf, type Message } from '../runtime/address.ts';

/** Merges an update into the job; the reply comes when it is durable. */
export interface UpdateJob extends Message<JobUpdated> {
  readonly type: 'update';
  readonly update: JobUpdate;
  /** Id of the node whose token the call carries. */
  readonly from?: string;
  /** Filled in by `prepare` where it matters: a live node holds the job's claim. */
  readonly isSuspended?: boolean;
  /** Filled in by `prepare` of an update with a higher epoch: the node that claims the job with it. */
  readonly claimant?: string;
  /** Filled in by `prepare` from the store: prices of the nodes that the job's events place it on. */
  readonly prices?: ReadonlyMap<string, NodePrice>;
  /** Filled in by `prepare`: whether the queue has no series yet. */
  readonly newQueue?: boolean;
  /** Filled in by `prepare`: the events that count, in the order of their times. */
  readonly arriving?: readonly TimedEvent[];
  /** Filled in by `prepare` where they are needed: the sealed events. */
  readonly rows?: readonly EventRow[];
}

export interface JobUpdated {
  /** Events that were new. */
  readonly events: number;
}

/** Claims the job for a node; the reply comes when the claim is durable. */
export interface ClaimJob extends Message<ClaimReply> {
  readonly type: 'claim';
  readonly nodeId: string;
  readonly minEpoch?: number;
  /** Makes the job if there is none. */
  readonly queueName?: string;
  /** Filled in by `prepare`: a live node holds the claim. */
  readonly isSuspended?: boolean;
  /** Filled in by `prepare`: the node is registered. */
  readonly isRegistered?: boolean;
}

/** Removes the job if it is terminal and was last updated before the given time of its status. */
export interface ExpireJob extends Message<{ readonly removed: boolean }> {
  readonly type: 'expire';
  readonly succeededBeforeMs: number;
  readonly failedBeforeMs: number;
  /** Filled in by `prepare`: numbers of the rows with sealed events. */
  readonly rows?: readonly number[];
}

export type JobMessage = UpdateJob | ClaimJob | ExpireJob;

export function jobAddress(id: string): Address<JobMessage> {
  return addressOf('job', id);
}
