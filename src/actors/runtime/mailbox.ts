/**
 * A bounded mailbox of two lanes. System messages (timers, deliveries, control) overtake user messages, so that an actor
 * under load still hears its deadlines. Overflow policy of both lanes: reject.
 */
import { RingBuffer } from '../../base/ring-buffer.ts';

export type Lane = 'system' | 'user';

/** One actor's share of a burst: 1,000 updates of one job in a call, and some. More is a sender that does not listen. */
export const USER_LANE_MAX = 2_048;
/**
 * Deliveries are bounded where they are made (the outbox), and must not be refused after they were acknowledged; this
 * bound only catches a bug of ours.
 */
export const SYSTEM_LANE_MAX = 1_048_576;

export class Mailbox<T> {
  readonly #user: RingBuffer<T>;
  readonly #system: RingBuffer<T>;

  constructor(userMax = USER_LANE_MAX, systemMax = SYSTEM_LANE_MAX) {
    this.#user = new RingBuffer(userMax);
    this.#system = new RingBuffer(systemMax);
  }

  get size(): number {
    return this.#user.size + this.#system.size;
  }

  push(lane: Lane, item: T): boolean {
    return lane === 'system' ? this.#system.push(item) : this.#user.push(item);
  }

  shift(): T | undefined {
    return this.#system.shift() ?? this.#user.shift();
  }
}
