/**
 * Names that nodes are registering at this moment, on main. The node's actor refuses the instance of another live node by what
 * is on disk; of two registrations of one instance that arrive together, neither is on disk yet, whatever shards they came to.
 * So the first holds the names until it is durable, and the second is refused. See docs/decisions/0108-one-registration-at-a-time.md.
 */
import type { Clock } from '../base/clock.ts';
import { CodedError } from '../base/errors.ts';

/** Longer than a registration may take. A shard that ends meanwhile releases nothing. */
const HELD_MS = 60_000;
/** Overflow policy: refuse (503). */
const NAMES_MAX = 65_536;

interface Held {
  readonly nodeId: string;
  readonly untilMs: number;
  /** Registrations of this node that are in progress. */
  readonly count: number;
}

export class InstanceReservations {
  readonly #clock: Clock;
  readonly #namesMax: number;
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock, namesMax = NAMES_MAX) {
    this.#clock = clock;
    this.#namesMax = namesMax;
  }

  /** Holds all names for the node; false, and none is held, where another node is registering one of them. */
  reserve(nodeId: string, names: readonly string[]): boolean {
    const nowMs = this.#clock.monotonicMs();
    const isOthers = (name: string): boolean => {
      const held = this.#held.get(name);
      return held !== undefined && held.nodeId !== nodeId && held.untilMs > nowMs;
    };
    if (names.some(isOthers)) return false;
    if (this.#held.size + names.length > this.#namesMax) this.#makeRoom(names.length, nowMs);
    for (const name of names) {
      const before = this.#held.get(name);
      const count = before?.nodeId === nodeId ? before.count + 1 : 1;
      this.#held.set(name, { nodeId, untilMs: nowMs + HELD_MS, count });
    }
    return true;
  }

  /** The registration has ended, taken or refused. */
  release(nodeId: string, names: readonly string[]): void {
    for (const name of names) {
      const held = this.#held.get(name);
      if (held?.nodeId !== nodeId) continue;
      if (held.count > 1) this.#held.set(name, { ...held, count: held.count - 1 });
      else this.#held.delete(name);
    }
  }

  get size(): number {
    return this.#held.size;
  }

  #makeRoom(count: number, nowMs: number): void {
    for (const [name, { untilMs }] of this.#held) if (untilMs <= nowMs) this.#held.delete(name);
    if (this.#held.size + count > this.#namesMax) throw new CodedError('overloaded');
  }
}
