/** The actors that have messages waiting, each once, and the fair share that a turn gives to each of them. */
import type { Failure } from '../../base/errors.ts';
import { RingBuffer } from '../../base/ring-buffer.ts';
import type { AnyMessage } from './address.ts';
import type { Cell, Done, Envelope } from './cell.ts';
import type { SystemCounts, SystemHost } from './system-host.ts';

/** A cell is in the queue once, so the cells bound it; this is only a size that is never reached. */
const CAPACITY = 2 ** 24;
/** Messages a turn handles before it lets the event loop breathe: about 5 ms at 10 µs each. */
const TURN_MESSAGES_MAX = 512;
/** Messages of one actor a turn handles before the next actor gets its share. */
const ACTOR_SHARE_MAX = 32;

const OVERLOADED: Failure = { name: 'overloaded' };

export class ReadyQueue<Env> {
  readonly #host: Pick<SystemHost<Env>, 'clock' | 'wake'>;
  readonly #counts: SystemCounts;
  readonly #handle: (cell: Cell<Env>, message: AnyMessage, done: Done | null) => void;
  readonly #cells = new RingBuffer<Cell<Env>>(CAPACITY);

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

  /** Puts a cell in, and asks for a turn; not one that is in already or that waits for the disk. */
  add(cell: Cell<Env>): void {
    if (cell.queued || cell.blocked) return;
    cell.queued = true;
    this.#cells.push(cell);
    this.#host.wake();
  }

  /** Handles what waits, a bounded amount. */
  drain(): void {
    let left = TURN_MESSAGES_MAX;
    for (let cells = this.#cells.size; cells > 0 && left > 0; cells--) {
      const cell = this.#cells.shift() as Cell<Env>;
      cell.queued = false;
      left -= this.#drainCell(cell, Math.min(left, ACTOR_SHARE_MAX));
    }
  }

  #drainCell(cell: Cell<Env>, share: number): number {
    let handled = 0;
    while (handled < share && !cell.blocked) {
      const envelope = cell.mailbox?.shift();
      if (!envelope) break;
      if (this.#isPast(envelope.deadlineMs)) this.#giveUp(envelope);
      else this.#handle(cell, envelope.message, envelope.done);
      handled++;
    }
    if (cell.mailbox) {
      if (cell.mailbox.size > 0) this.add(cell);
      else cell.mailbox = null;
    }
    return handled;
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
