/** The messages and questions of a node actor. */
import type { HeartbeatReply } from '../../protocol/heartbeat.ts';
import type { Interruption, NodeFacts } from '../../protocol/node.ts';
import type { Sample } from '../aggregator/messages.ts';
import { type Address, type AnyMessage, addressOf, type Message } from '../runtime/address.ts';

/** Registers or updates; counts as a heartbeat. The reply comes when it is durable. */
export interface RegisterNode extends Message<HeartbeatReply & { readonly drained?: true }> {
  readonly type: 'register';
  readonly facts: NodeFacts;
  /** Registers with a token that is good for any node; such a one may not take a node that lives. */
  readonly joins?: boolean;
  /** Filled in by `prepare`: another node that lives has the instance. */
  readonly isTaken?: boolean;
}

export interface Beat extends Message<HeartbeatReply> {
  readonly type: 'beat';
  /** What the beat carried; durable before the reply. */
  readonly samples: readonly Sample[];
  /** Filled in by `prepare`: metrics of the node that have no series yet. */
  readonly newMetrics?: readonly string[];
  /** Filled in by `prepare` of a lost node: another one has its instance by now. */
  readonly isTaken?: boolean;
}

/** A beat arrived that the server could not take: the node's TTL starts again all the same. Changes memory only. */
export interface HeardNode extends AnyMessage {
  readonly type: 'heard';
}

export interface DeregisterNode extends Message {
  readonly type: 'deregister';
}

/** Tells the node to take no new job, or to take jobs again. The reply comes when it is durable. */
export interface DrainNode extends Message {
  readonly type: 'drain';
  readonly drained: boolean;
}

/** The cloud takes the machine back. The reply comes when it is durable. */
export interface InterruptNode extends Message {
  readonly type: 'interrupt';
  readonly interruption: Interruption;
}

/** Reads the node from the store after a start: it gets a full TTL. */
export interface WakeNode extends Message {
  readonly type: 'wake';
}

/** TTL or heartbeat interval have changed: the deadline is recalculated. */
export interface RetimeNode extends Message {
  readonly type: 'retime';
}

/** Removes a node that ended before the given time. */
export interface ForgetNode extends Message<{ readonly removed: boolean }> {
  readonly type: 'forget';
  readonly endedBeforeMs: number;
  /** Filled in by `prepare`: the names by which jobs find this node, and no other. */
  readonly oids?: readonly string[];
  /** Filled in likewise: which queues' jobs ran on it. */
  readonly queueRows?: readonly Uint8Array[];
}

export interface NodeTimer extends AnyMessage {
  readonly type: 'timer';
}

export type NodeMessage =
  | RegisterNode
  | Beat
  | HeardNode
  | DeregisterNode
  | DrainNode
  | InterruptNode
  | WakeNode
  | RetimeNode
  | ForgetNode
  | NodeTimer;

export function nodeAddress(
  id: string,
): Address<RegisterNode | Beat | DeregisterNode | DrainNode | InterruptNode | WakeNode | RetimeNode | ForgetNode> {
  return addressOf('node', id);
}
