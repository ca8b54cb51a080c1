/** One living actor: its state and what the system must remember about it. All fields are set at once: one hidden class. */

import type { Failure } from '../../base/errors.ts';
import type { WheelEntry } from '../../base/timing-wheel.ts';
import type { AnyMessage } from './address.ts';
import type { AnyBehaviour } from './behaviour.ts';
import type { Mailbox } from './mailbox.ts';
import type { RestartCounter } from './supervision.ts';

/** Called once: with a failure, or with null and the reply. */
export interface Done {
  (failure: Failure | null, reply: unknown): void;
  /** The message was handled, and what it writes is on its way to the disk. */
  hasWritten?: boolean;
}

export interface Envelope {
  readonly message: AnyMessage;
  readonly done: Done | null;
  /** Monotonic milliseconds after which no caller waits for it any more. */
  readonly deadlineMs: number;
}

export class Cell<Env> {
  readonly behaviour: AnyBehaviour<Env>;
  readonly id: string;
  state: unknown = undefined;
  /** Whether `state` is set; if not, the next message reads it from the store. */
  live = false;
  /** Made when a message has to wait; most actors never need one. */
  mailbox: Mailbox<Envelope> | null = null;
  /** In the ready queue. */
  queued = false;
  /** It failed while writes of it were on their way: nothing is handled until the store shows what it is. */
  blocked = false;
  /** Number of the last batch that holds writes of this actor; 0 where there is none. */
  lastBatch = 0;
  /** Whole milliseconds, which need no box: there may be a million cells. */
  lastUsedMs: number;
  timer: WheelEntry<unknown> | null = null;
  /** Lives by its timer; where its state is lost, it must be woken. */
  timed = false;
  waking = false;
  idleCheck: WheelEntry<unknown> | null = null;
  restarts: RestartCounter | null = null;
  /** First delivery that the actor has not acknowledged; 0 where there is none. */
  pendingFrom = 0;
  /** Last delivery that has arrived; it may still wait in the mailbox. */
  lastArrived = 0;
  /** Last delivery that was handed to the state; an older one is a repetition. */
  lastDelivery = 0;

  constructor(behaviour: AnyBehaviour<Env>, id: string, nowMs: number) {
    this.behaviour = behaviour;
    this.id = id;
    this.lastUsedMs = Math.floor(nowMs);
  }
}
