/** How long an actor lives: its own timer, its next chance after a failure, and when it is no longer needed. */
import type { Now } from '../../base/clock.ts';
import type { TimingWheel } from '../../base/timing-wheel.ts';
import type { AnyAddress, AnyMessage } from './address.ts';
import type { Cell } from './cell.ts';
import type { Cells } from './cells.ts';
import type { Outbox } from './outbox.ts';
import type { SystemHost } from './system-host.ts';

/** A cell stands for its timer: a million actors that live by one need no closure each. */
export type Wheel<Env> = TimingWheel<Cell<Env> | (() => void)>;

/** Between a failure of an actor that lives by its timer and its next chance: its budget of failures lasts seconds, not one turn. */
export const WAKE_AFTER_MS = 1_000;

const TIMER: AnyMessage = { type: 'timer' };
const WAKE: AnyMessage = { type: 'wake' };

export interface LifecycleParts<Env> {
  readonly host: SystemHost<Env>;
  readonly cells: Cells<Env>;
  readonly wheel: Wheel<Env>;
  readonly outbox: Outbox;
  readonly env: () => Env;
  /** Posts a message that is never refused for want of room. */
  readonly post: (to: AnyAddress, message: AnyMessage) => void;
}

export class Lifecycle<Env> {
  readonly #parts: LifecycleParts<Env>;

  constructor(parts: LifecycleParts<Env>) {
    this.#parts = parts;
  }

  /** An actor that lives by its timer may have lost it with its state. */
  wakeAfter(cell: Cell<Env>, delayMs: number): void {
    if (!cell.timed || cell.waking) return;
    cell.waking = true;
    this.#parts.wheel.schedule(this.#parts.host.clock.monotonicMs() + delayMs, () => {
      cell.waking = false;
      this.#parts.post({ kind: cell.behaviour.kind, id: cell.id }, WAKE);
    });
  }

  /** Null: none. A new timer takes the place of the one before. */
  setTimer(cell: Cell<Env>, delayMs: number | null, now: Now): void {
    const { wheel } = this.#parts;
    if (cell.timer) wheel.cancel(cell.timer);
    cell.timer = null;
    if (delayMs === null) return;
    cell.timed = true;
    cell.timer = wheel.schedule(now.monotonicMs + delayMs, cell);
  }

  timerFired(cell: Cell<Env>): void {
    cell.timer = null;
    this.#parts.post({ kind: cell.behaviour.kind, id: cell.id }, TIMER);
  }

  /** Forgets an actor that has been idle for a while and holds nothing that the store does not have. */
  watchIdle(cell: Cell<Env>, now: Now): void {
    const idleMs = cell.live ? cell.behaviour.idleMs(cell.state) : 0;
    if (idleMs === null || cell.idleCheck) return;
    const { wheel, host, outbox } = this.#parts;
    cell.idleCheck = wheel.schedule(now.monotonicMs + idleMs, () => {
      cell.idleCheck = null;
      const time = host.clock.now();
      const busy =
        cell.queued ||
        cell.timer !== null ||
        cell.pendingFrom > 0 ||
        cell.lastBatch > outbox.durableThrough ||
        // Forgetting it would forgive it.
        cell.restarts?.isSpent(time.monotonicMs) === true;
      if (!busy && time.monotonicMs - cell.lastUsedMs >= idleMs) this.forget(cell);
      else this.watchIdle(cell, time);
    });
  }

  forget(cell: Cell<Env>): void {
    const { wheel, cells } = this.#parts;
    this.forgetState(cell);
    if (cell.timer) wheel.cancel(cell.timer);
    if (cell.idleCheck) wheel.cancel(cell.idleCheck);
    cells.delete(cell);
  }

  /** The next message reads it from the store. */
  forgetState(cell: Cell<Env>): void {
    if (cell.live) cell.behaviour.dismiss?.(cell.state, this.#parts.env());
    cell.live = false;
    cell.state = undefined;
  }
}
