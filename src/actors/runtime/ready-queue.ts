/** The actors that have messages waiting, each once, and the fair share that a turn gives to each of them. */
import type { Failure } from '../../base/errors.ts';
import { RingBuffer } from '../../base/ring-buffer.ts';
import type { AnyMessage } from './address.ts';
import type { Cell, Done, Envelope } from './cell.ts';
import type { SystemCounts, SystemHost } from './system-host.ts';

/** A cell is in the queue once, so the cells bound it; this is only a size that is never reached. */
const CAPACITY = 2 ** 24;
/** Messages a turn handles before it lets the event loop breathe, by their weight: about 5 ms at 10 µs each. */
const TURN_WEIGHT_MAX = 512;
/** The same for one actor, before the next one gets its share; an actor with more goes to the end of the queue. */
const ACTOR_SHARE_MAX = 32;

const OVERLOADED: Failure = { name: 'overloaded' };

export class ReadyQueue<Env> {
  readonly #host: Pick<SystemHost<Env>, 'clock' | 'wake'>;
  readonly #counts: SystemCounts;
  readonly #handle: (cell: Cell<Env>, message: AnyMessage, done: Done | null) => void;
  readonly #cells = new RingBuffer<Cell<Env>>(CAPACITY);
  /** Of the turn at hand, and of what is handled in place until the next one. */
  #left = TURN_WEIGHT_MAX;

  constructor(
    host: Pick<SystemHost<Env>, 'clock' | 'wake'>,
    counts: SystemCounts,
    handle: (cell: Cell<Env>, message: AnyMessage, done: Done | null) => void,
  ) {
    this.#host = host;
    this.#counts = counts;
    this.#handle = handle;
  }

  get size(): number {
    return this.#cells.size;
  }

  /**
   * Whether the message may be handled in place. A usual one always: what brings them is bounded itself, and a mailbox is
   * not meant to hold a call's worth of them. One that weighs more waits where enough was handled since the last turn.
   */
  takesInPlace(cell: Cell<Env>, message: AnyMessage): boolean {
    const weight = weightOf(cell, message);
    if (weight > 1 && this.#left <= 0) return false;
    this.#left -= weight;
    return true;
  }

  /** Puts a cell in, and asks for a turn; not one that is in already or that waits for the disk. */
  add(cell: Cell<Env>): void {
    if (cell.queued || cell.blocked) return;
    cell.queued = true;
    this.#cells.push(cell);
    this.#host.wake();
  }

  /** Handles what waits, a bounded amount. */
  drain(): void {
    this.#left = TURN_WEIGHT_MAX;
    while (this.#cells.size > 0 && this.#left > 0) {
      const cell = this.#cells.shift() as Cell<Env>;
      cell.queued = false;
      this.#drainCell(cell);
    }
  }

  #drainCell(cell: Cell<Env>): void {
    let share = ACTOR_SHARE_MAX;
    while (share > 0 && this.#left > 0 && !cell.blocked) {
      const envelope = cell.mailbox?.shift();
      if (!envelope) break;
      const weight = weightOf(cell, envelope.message);
      share -= weight;
      this.#left -= weight;
      if (this.#isPast(envelope.deadlineMs)) this.#giveUp(envelope);
      else this.#handle(cell, envelope.message, envelope.done);
    }
    if (!cell.mailbox) return;
    if (cell.mailbox.size > 0) this.add(cell);
    else cell.mailbox = null;
  }

  #isPast(deadlineMs: number): boolean {
    return deadlineMs !== Number.POSITIVE_INFINITY && deadlineMs < this.#host.clock.monotonicMs();
  }

  /** Nobody waits for it any more. */
  #giveUp({ done }: Envelope): void {
    this.#counts.deadLetters++;
    done?.(OVERLOADED, undefined);
  }
}

function weightOf<Env>({ behaviour }: Cell<Env>, message: AnyMessage): number {
  return behaviour.weightOf?.(message) ?? 1;
}
