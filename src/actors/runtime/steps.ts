/**
 * One message to one actor: its state is read where it is not in memory, its behaviour makes a step, and the step's effects
 * are carried out, those that others see only when the writes before them are durable.
 */
import type { Now } from '../../base/clock.ts';
import { CodedError, type Failure, failureOf } from '../../base/errors.ts';
import type { AnyMessage } from './address.ts';
import type { Delivery, Step } from './behaviour.ts';
import type { Cell, Done } from './cell.ts';
import type { Lifecycle } from './lifecycle.ts';
import { WAKE_AFTER_MS } from './lifecycle.ts';
import type { Outbox } from './outbox.ts';
import type { PendingDeliveries } from './pending-deliveries.ts';
import type { ReadyQueue } from './ready-queue.ts';
import { ACTOR_BUDGET, RestartCounter, SHARD_ACTOR_BUDGET } from './supervision.ts';
import { eventsOf, type SystemCounts, type SystemHost } from './system-host.ts';

const INTERNAL: Failure = { name: 'internal' };

export interface StepsParts<Env> {
  readonly host: SystemHost<Env>;
  readonly counts: SystemCounts;
  readonly outbox: Outbox;
  readonly pendingDeliveries: PendingDeliveries<Env>;
  readonly lifecycle: Lifecycle<Env>;
  readonly env: () => Env;
  readonly ready: ReadyQueue<Env>;
}

export class Steps<Env> {
  readonly #parts: StepsParts<Env>;
  readonly #host: SystemHost<Env>;
  readonly #outbox: Outbox;
  readonly #lifecycle: Lifecycle<Env>;
  readonly #restarts = new RestartCounter(SHARD_ACTOR_BUDGET);

  constructor(parts: StepsParts<Env>) {
    this.#parts = parts;
    this.#host = parts.host;
    this.#outbox = parts.outbox;
    this.#lifecycle = parts.lifecycle;
  }

  /** Handles the message to the end of its step; a failure of the behaviour is answered, never thrown. */
  handle(cell: Cell<Env>, message: AnyMessage, done: Done | null, now: Now): void {
    this.#parts.counts.handled++;
    cell.lastUsedMs = Math.floor(now.monotonicMs);
    try {
      const step = this.#step(cell, message, now);
      this.#apply(cell, step, done, now);
    } catch (error) {
      this.#crashed(cell, error, done, now);
    }
  }

  /** An actor that failed too often answers nothing until its budget allows another try. */
  refuse(cell: Cell<Env>, done: Done | null): void {
    this.#parts.counts.refused++;
    this.#lifecycle.wakeAfter(cell, WAKE_AFTER_MS);
    done?.(INTERNAL, undefined);
  }

  #step(cell: Cell<Env>, message: AnyMessage, now: Now): Step<unknown> {
    if (!cell.live) this.#hydrate(cell, now);
    if (message.type === 'delivery') {
      const { seq } = message as Delivery;
      if (seq <= cell.lastDelivery) return { state: cell.state };
      cell.lastDelivery = seq;
    }
    return this.#receive(cell, message, now);
  }

  #receive({ behaviour, state }: Cell<Env>, message: AnyMessage, now: Now): Step<unknown> {
    const prepared = behaviour.prepare ? behaviour.prepare(state, message, this.#host.reader, now) : message;
    return behaviour.receive(state, prepared, now, this.#parts.env());
  }

  /** Reads the state, and again the deliveries that only the lost state knew. */
  #hydrate(cell: Cell<Env>, now: Now): void {
    const { behaviour, id } = cell;
    this.#host.reader.refresh();
    cell.state = behaviour.hydrate(id, this.#host.reader, now, this.#parts.env());
    cell.live = true;
    cell.lastDelivery = 0;
    if (cell.pendingFrom === 0) return;
    // Read to the end first: what the behaviour looks up on the way may move the reader to another snapshot.
    for (const { seq, messages } of [...this.#host.replay({ kind: behaviour.kind, id }, cell.pendingFrom)]) {
      const delivery: Delivery = { type: 'delivery', seq, replayed: true, messages };
      this.#apply(cell, this.#receive(cell, delivery, now), null, now);
      cell.lastDelivery = seq;
    }
  }

  #apply(cell: Cell<Env>, step: Step<unknown>, done: Done | null, now: Now): void {
    cell.state = step.state;
    if ((step.writes && step.writes.length > 0) || (step.deliver && step.deliver.length > 0)) {
      if (done) done.hasWritten = true;
      this.#outbox.add(step.writes ?? [], step.deliver ?? []);
      cell.lastBatch = this.#outbox.currentNumber;
    }
    // An event without writes tells of what is only in memory: it goes with the next batch, and the actor does not wait.
    if (step.signals) this.#outbox.addEvents(eventsOf(this.#host, step.signals, now));
    if (step.timerMs !== undefined) this.#lifecycle.setTimer(cell, step.timerMs, now);
    const { signals, tell, acknowledged } = step;
    if (cell.lastBatch <= this.#outbox.durableThrough) {
      this.#carryOut(cell, step);
      done?.(step.refuse ?? null, step.reply);
    } else if (done || signals || tell || acknowledged !== undefined || step.stop) {
      this.#outbox.wait(cell.lastBatch, (failure) => {
        if (!failure) this.#carryOut(cell, step);
        this.#stored(cell);
        done?.(failure ?? step.refuse ?? null, step.reply);
      });
    }
    this.#lifecycle.watchIdle(cell, now);
  }

  #stored(cell: Cell<Env>): void {
    const { stored } = cell.behaviour;
    if (stored && cell.live && cell.lastBatch <= this.#outbox.durableThrough) cell.state = stored(cell.state);
  }

  /** The effects that wait for durability. */
  #carryOut(cell: Cell<Env>, step: Step<unknown>): void {
    if (step.acknowledged !== undefined) this.#parts.pendingDeliveries.acknowledge(cell, step.acknowledged);
    if (step.signals) for (const signal of step.signals) this.#host.onSignal(signal);
    if (step.tell) for (const outgoingMessage of step.tell) this.#host.send(outgoingMessage);
    if (step.stop && !cell.queued && cell.pendingFrom === 0 && cell.lastBatch <= this.#outbox.durableThrough)
      this.#lifecycle.forget(cell);
  }

  #crashed(cell: Cell<Env>, error: unknown, done: Done | null, now: Now): void {
    if (error instanceof CodedError && error.name !== 'internal') {
      done?.(failureOf(error), undefined);
      return;
    }
    this.#parts.counts.restarts++;
    this.#host.onCrash(error, { kind: cell.behaviour.kind, id: cell.id });
    this.#lifecycle.forgetState(cell);
    this.#block(cell);
    this.#lifecycle.wakeAfter(cell, WAKE_AFTER_MS);
    cell.restarts ??= new RestartCounter(ACTOR_BUDGET);
    cell.restarts.record(now.monotonicMs);
    done?.(INTERNAL, undefined);
    if (!this.#restarts.record(now.monotonicMs)) this.#host.onEscalate();
  }

  /** What the actor wrote before it failed is on its way to the disk: it is read again when it is there, or is not. */
  #block(cell: Cell<Env>): void {
    if (cell.blocked || cell.lastBatch <= this.#outbox.durableThrough) return;
    cell.blocked = true;
    this.#outbox.wait(cell.lastBatch, () => {
      cell.blocked = false;
      if (cell.mailbox) this.#parts.ready.add(cell);
    });
  }
}
