/**
 * The actors of one thread. It owns the cells, runs their behaviours in turns, and carries effects out. It knows no node
 * and no job. Everything here happens on one thread; what crosses threads is `actors/thread`'s business.
 *
 * Order: messages of one sender to one actor are handled in the order sent (but for the system lane, which overtakes).
 * A message to an idle actor is handled at once, in place; otherwise it waits in the mailbox for the next turn.
 */
import type { Now } from '../../base/clock.ts';
import { CodedError, errorOf, type Failure, failureOf } from '../../base/errors.ts';
import { RingBuffer } from '../../base/ring-buffer.ts';
import { TimingWheel, type WheelEntry } from '../../base/timing-wheel.ts';
import {
  type ActorRefs,
  type Address,
  type AnyAddress,
  type AnyMessage,
  ASK_DEADLINE_MS,
  type Message,
  type ReplyFor,
} from './address.ts';
import type { Delivery, Letter, Parcel, Step, Write } from './behaviour.ts';
import type { Cell, Done, Envelope } from './cell.ts';
import { Cells } from './cells.ts';
import { type Lane, Mailbox } from './mailbox.ts';
import { Outbox, type Waiter } from './outbox.ts';
import { ACTOR_BUDGET, RestartCounter, SHARD_ACTOR_BUDGET } from './supervision.ts';
import { eventsOf, type SystemCounts, type SystemHost } from './system-host.ts';
import { Unsettled } from './unsettled.ts';

/** Cells that have messages waiting. Overflow policy: refuse user messages (503); system messages always fit. */
const READY_MAX = 65_536;
/** A cell is in the ready queue once, so the cells bound it; this is only a size that is never reached. */
const READY_CAPACITY = 2 ** 24;
/** Messages a turn handles before it lets the event loop breathe: about 5 ms at 10 µs each. */
const TURN_MESSAGES_MAX = 512;
/** Messages of one actor a turn handles before the next actor gets its share. */
const ACTOR_SHARE_MAX = 32;
const TICK_MS = 50;
/** Between a failure of an actor that lives by its timer and its next chance: its budget of failures lasts seconds, not one turn. */
const WAKE_AFTER_MS = 1_000;

export class ActorSystem<Env> implements ActorRefs {
  readonly counts: SystemCounts = { posted: 0, handled: 0, refused: 0, deadLetters: 0, restarts: 0 };
  readonly #host: SystemHost<Env>;
  readonly #cells: Cells<Env>;
  readonly #ready = new RingBuffer<Cell<Env>>(READY_CAPACITY);
  /** A cell stands for its timer: a million actors that live by one need no closure each. */
  readonly #wheel: TimingWheel<Cell<Env> | (() => void)>;
  readonly #readyMax: number;
  readonly #outbox: Outbox;
  readonly #unsettled = new Unsettled<Env>();
  readonly #restarts = new RestartCounter(SHARD_ACTOR_BUDGET);
  #env: Env;
  #awake = false;
  #stopped = false;

  constructor(host: SystemHost<Env>) {
    this.#host = host;
    this.#env = host.env;
    this.#cells = new Cells(host.behaviours);
    this.#wheel = new TimingWheel(host.clock.monotonicMs(), TICK_MS);
    this.#readyMax = host.bounds?.readyMax ?? READY_MAX;
    this.#outbox = new Outbox(host.bounds?.inFlightBytesMax);
  }

  get env(): Env {
    return this.#env;
  }

  /** Behaviours see the new environment from their next message on. */
  setEnv(env: Env): void {
    this.#env = env;
  }

  tell<M extends Message<unknown>>(to: Address<M>, message: M): boolean {
    return this.post(to, message, null, 'user');
  }

  ask<P extends Message<unknown>, T extends P['type']>(
    to: Address<P>,
    message: P & { readonly type: T },
    deadlineMs = ASK_DEADLINE_MS,
  ): Promise<ReplyFor<P, T>> {
    return new Promise((resolve, reject) => {
      this.request(to, message, deadlineMs, (failure, reply) => {
        if (failure) reject(errorOf(failure));
        else resolve(reply as ReplyFor<P, T>);
      });
    });
  }

  /** `ask` with a callback, for callers that count microseconds. `done` may run before this returns. */
  request(to: AnyAddress, message: AnyMessage, deadlineMs: number, done: Done): void {
    let waiting = true;
    let deadline: WheelEntry<unknown> | null = null;
    const once: Done = (failure, reply) => {
      if (!waiting) return;
      waiting = false;
      if (deadline) this.#wheel.cancel(deadline);
      done(failure, reply);
    };
    if (!this.post(to, message, once, 'user', deadlineMs)) once(OVERLOADED, undefined);
    // Most requests are answered by now; only the others pay for a timer.
    if (waiting)
      deadline = this.#wheel.schedule(this.#host.clock.monotonicMs() + deadlineMs, () => once(OVERLOADED, undefined));
  }

  /**
   * The reply to a message whose actor is idle and has a quick way for it (see `Behaviour.quick`); undefined where it must
   * be sent the usual way. A state that waits for the disk has no quick way: its reply may say nothing that is not durable.
   */
  quick(kind: string, id: string, message: AnyMessage, now: Now): unknown {
    const cell = this.#cells.find(kind, id);
    if (!cell || cell.queued || cell.lastBatch > this.#outbox.durableThrough) return undefined;
    return this.#quick(cell, message, now);
  }

  /** As `quick`, for a message whose reply says nothing: it need not wait for what was written before it. */
  note(kind: string, id: string, message: AnyMessage): void {
    const cell = this.#cells.find(kind, id);
    if (cell) this.#quick(cell, message, this.#host.clock.now());
  }

  #quick(cell: Cell<Env>, message: AnyMessage, now: Now): unknown {
    if (!cell.live || cell.blocked || this.#stopped) return undefined;
    const reply = cell.behaviour.quick?.(cell.state, message, now, this.#env);
    if (reply !== undefined) {
      this.counts.posted++;
      this.counts.handled++;
    }
    return reply;
  }

  /** Takes a message from this thread or another. False where it was refused; then `done` was not called. */
  post(
    to: AnyAddress,
    message: AnyMessage,
    done: Done | null,
    lane: Lane,
    deadlineMs = Number.POSITIVE_INFINITY,
  ): boolean {
    this.counts.posted++;
    if (this.#stopped || (lane === 'user' && (this.#outbox.isFull || this.#ready.size >= this.#readyMax)))
      return this.#refuse();
    const cell = this.#cellOf(to);
    if (!cell) {
      this.counts.deadLetters++;
      return false;
    }
    if (!cell.queued && !cell.blocked && !this.#awake) {
      this.#handle(cell, message, done);
      if (!this.#outbox.isEmpty) this.#host.wake();
      return true;
    }
    const deadline = deadlineMs === Number.POSITIVE_INFINITY ? deadlineMs : this.#host.clock.monotonicMs() + deadlineMs;
    const envelope: Envelope = { message, done, deadlineMs: deadline };
    cell.mailbox ??= new Mailbox<Envelope>();
    if (!cell.mailbox.push(lane, envelope)) return this.#refuse();
    this.#enqueue(cell);
    return true;
  }

  /** Deliveries that are durable under `seq`, in order of seq. Never refused: they were acknowledged to somebody. */
  deliver(seq: number, parcels: readonly Parcel[], replayed: boolean): void {
    for (const { to, messages } of parcels) {
      const cell = this.#cellOf(to);
      if (!cell) {
        this.counts.posted++;
        this.counts.deadLetters++;
        continue;
      }
      this.#unsettled.arrived(cell, seq);
      this.post(to, { type: 'delivery', seq, replayed, messages } as AnyMessage, null, 'system');
    }
  }

  /** Every delivery below the answer is settled; `latest` where nothing is outstanding. */
  settledBelow(latest: number): number {
    return this.#unsettled.settledBelow(latest);
  }

  /** Fires timers and handles what waits, a bounded amount. The host calls it when woken, and at least every 50 ms. */
  runTurn(): void {
    this.#awake = true;
    this.#wheel.advance(this.#host.clock.monotonicMs(), (due) => {
      if (typeof due === 'function') due();
      else this.#timerFired(due);
    });
    let left = TURN_MESSAGES_MAX;
    for (let cells = this.#ready.size; cells > 0 && left > 0; cells--) {
      const cell = this.#ready.shift() as Cell<Env>;
      cell.queued = false;
      left -= this.#drain(cell, Math.min(left, ACTOR_SHARE_MAX));
    }
    this.#awake = false;
    this.#flush();
    if (this.#ready.size > 0) this.#host.wake();
  }

  /** Writes and durable letters of the host's own, in order with the actors'. False: too much is under way, nothing was taken. */
  persist(writes: readonly Write[], letters: readonly Letter[] = [], done?: Waiter): boolean {
    if (letters.length > 0 && (this.#stopped || this.#outbox.isFull)) {
      this.counts.posted++;
      return this.#refuse();
    }
    if (writes.length + letters.length === 0) return true;
    this.#outbox.add(writes, letters);
    if (done) this.#outbox.wait(this.#outbox.currentNumber, done);
    this.#host.wake();
    return true;
  }

  /** So much waits for the disk that user messages are refused. */
  get isFull(): boolean {
    return this.#outbox.isFull;
  }

  /** Number that the next sealed batch will have. */
  get nextBatch(): number {
    return this.#outbox.currentNumber;
  }

  batchDurable(number: number): void {
    this.#outbox.durable(number);
  }

  /** Nothing of this batch or a later one is on disk: the states that wrote are forgotten, their askers are told. */
  batchFailed(failure: Failure): void {
    const durable = this.#outbox.durableThrough;
    for (const cell of this.#cells.all()) {
      if (cell.lastBatch <= durable) continue;
      this.#forgetState(cell);
      cell.lastBatch = 0;
      this.#wakeAfter(cell, 0);
    }
    this.#outbox.fail(failure);
  }

  /** Live states of a kind, for readers on this thread; do not keep or change them. */
  inspect<S>(kind: string): Iterable<readonly [string, S]> {
    return this.#cells.live<S>(kind);
  }

  inspectOne<S>(kind: string, id: string): S | undefined {
    const cell = this.#cells.find(kind, id);
    return cell?.live ? (cell.state as S) : undefined;
  }

  has(kind: string, id: string): boolean {
    return this.#cells.find(kind, id) !== undefined;
  }

  countOf(kind: string): number {
    return this.#cells.countOf(kind);
  }

  get waiting(): number {
    return this.#ready.size;
  }

  /** Messages that were taken and not handled yet. */
  get queued(): number {
    let queued = 0;
    for (const cell of this.#cells.all()) queued += cell.mailbox?.size ?? 0;
    return queued;
  }

  /** Bytes sealed or being collected that are not durable yet. */
  get unflushedBytes(): number {
    return this.#outbox.byteLength;
  }

  get unflushed(): number {
    return this.#outbox.inFlightCount + (this.#outbox.isEmpty ? 0 : 1);
  }

  /** Takes no more messages; what was taken is still handled by further turns. */
  stop(): void {
    this.#stopped = true;
  }

  #cellOf(to: AnyAddress): Cell<Env> | undefined {
    return this.#cells.open(to, this.#host.clock);
  }

  #enqueue(cell: Cell<Env>): void {
    if (cell.queued || cell.blocked) return;
    cell.queued = true;
    this.#ready.push(cell);
    this.#host.wake();
  }

  #drain(cell: Cell<Env>, share: number): number {
    let handled = 0;
    while (handled < share && !cell.blocked) {
      const envelope = cell.mailbox?.shift();
      if (!envelope) break;
      if (this.#isPast(envelope.deadlineMs)) this.#giveUp(envelope);
      else this.#handle(cell, envelope.message, envelope.done);
      handled++;
    }
    if (cell.mailbox) {
      if (cell.mailbox.size > 0) this.#enqueue(cell);
      else cell.mailbox = null;
    }
    return handled;
  }

  #isPast(deadlineMs: number): boolean {
    return deadlineMs !== Number.POSITIVE_INFINITY && deadlineMs < this.#host.clock.monotonicMs();
  }

  /** Nobody waits for it any more. */
  #giveUp({ done }: Envelope): void {
    this.counts.deadLetters++;
    done?.(OVERLOADED, undefined);
  }

  #handle(cell: Cell<Env>, message: AnyMessage, done: Done | null): void {
    const now = this.#host.clock.now();
    if (cell.restarts?.isSpent(now.monotonicMs)) {
      this.counts.refused++;
      this.#wakeAfter(cell, WAKE_AFTER_MS);
      done?.(INTERNAL, undefined);
      return;
    }
    this.counts.handled++;
    cell.lastUsedMs = now.monotonicMs;
    const before = this.#awake;
    this.#awake = true;
    try {
      const step = this.#step(cell, message, now);
      this.#apply(cell, step, done, now);
    } catch (error) {
      this.#crashed(cell, error, done, now);
    } finally {
      this.#awake = before;
    }
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
    return behaviour.receive(state, prepared, now, this.#env);
  }

  /** Reads the state, and again the deliveries that only the lost state knew. */
  #hydrate(cell: Cell<Env>, now: Now): void {
    const { behaviour, id } = cell;
    this.#host.reader.refresh();
    cell.state = behaviour.hydrate(id, this.#host.reader, now, this.#env);
    cell.live = true;
    cell.lastDelivery = 0;
    if (cell.unsettledFrom === 0) return;
    // Read to the end first: what the behaviour looks up on the way may move the reader to another snapshot.
    for (const { seq, messages } of [...this.#host.replay({ kind: behaviour.kind, id }, cell.unsettledFrom)]) {
      const delivery: Delivery = { type: 'delivery', seq, replayed: true, messages };
      this.#apply(cell, this.#receive(cell, delivery, now), null, now);
      cell.lastDelivery = seq;
    }
  }

  #apply(cell: Cell<Env>, step: Step<unknown>, done: Done | null, now: Now): void {
    cell.state = step.state;
    if ((step.writes && step.writes.length > 0) || (step.deliver && step.deliver.length > 0)) {
      this.#outbox.add(step.writes ?? [], step.deliver ?? []);
      cell.lastBatch = this.#outbox.currentNumber;
    }
    // An event without writes tells of what is only in memory: it goes with the next batch, and the actor does not wait.
    if (step.signals) this.#outbox.addEvents(eventsOf(this.#host, step.signals, now));
    if (step.timerMs !== undefined) this.#setTimer(cell, step.timerMs, now);
    const { signals, tell, settled } = step;
    if (cell.lastBatch <= this.#outbox.durableThrough) {
      this.#carryOut(cell, step);
      done?.(step.refuse ?? null, step.reply);
    } else if (done || signals || tell || settled !== undefined || step.stop) {
      this.#outbox.wait(cell.lastBatch, (failure) => {
        if (!failure) this.#carryOut(cell, step);
        done?.(failure ?? step.refuse ?? null, step.reply);
      });
    }
    this.#watchIdle(cell, now);
  }

  /** The effects that wait for durability. */
  #carryOut(cell: Cell<Env>, step: Step<unknown>): void {
    if (step.settled !== undefined) this.#unsettled.settle(cell, step.settled);
    if (step.signals) for (const signal of step.signals) this.#host.onSignal(signal);
    if (step.tell) for (const letter of step.tell) this.#host.send(letter);
    if (step.stop && !cell.queued && cell.unsettledFrom === 0 && cell.lastBatch <= this.#outbox.durableThrough)
      this.#forget(cell);
  }

  #crashed(cell: Cell<Env>, error: unknown, done: Done | null, now: Now): void {
    if (error instanceof CodedError && error.name !== 'internal') {
      done?.(failureOf(error), undefined);
      return;
    }
    this.counts.restarts++;
    this.#host.onCrash(error, { kind: cell.behaviour.kind, id: cell.id });
    this.#forgetState(cell);
    this.#block(cell);
    this.#wakeAfter(cell, WAKE_AFTER_MS);
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
      if (cell.mailbox) this.#enqueue(cell);
    });
  }

  /** An actor that lives by its timer may have lost it with its state. */
  #wakeAfter(cell: Cell<Env>, delayMs: number): void {
    if (!cell.timed || cell.waking) return;
    cell.waking = true;
    this.#wheel.schedule(this.#host.clock.monotonicMs() + delayMs, () => {
      cell.waking = false;
      this.post({ kind: cell.behaviour.kind, id: cell.id }, WAKE, null, 'system');
    });
  }

  #setTimer(cell: Cell<Env>, delayMs: number | null, now: Now): void {
    if (cell.timer) this.#wheel.cancel(cell.timer);
    cell.timer = null;
    if (delayMs === null) return;
    cell.timed = true;
    cell.timer = this.#wheel.schedule(now.monotonicMs + delayMs, cell);
  }

  #timerFired(cell: Cell<Env>): void {
    cell.timer = null;
    this.post({ kind: cell.behaviour.kind, id: cell.id }, TIMER, null, 'system');
  }

  /** Forgets an actor that nobody has needed for a while and that holds nothing the store does not have. */
  #watchIdle(cell: Cell<Env>, now: Now): void {
    const idleMs = cell.live ? cell.behaviour.idleMs(cell.state) : 0;
    if (idleMs === null || cell.idleCheck) return;
    cell.idleCheck = this.#wheel.schedule(now.monotonicMs + idleMs, () => {
      cell.idleCheck = null;
      const time = this.#host.clock.now();
      const busy =
        cell.queued ||
        cell.timer !== null ||
        cell.unsettledFrom > 0 ||
        cell.lastBatch > this.#outbox.durableThrough ||
        // Forgetting it would forgive it.
        cell.restarts?.isSpent(time.monotonicMs) === true;
      if (!busy && time.monotonicMs - cell.lastUsedMs >= idleMs) this.#forget(cell);
      else this.#watchIdle(cell, time);
    });
  }

  #forget(cell: Cell<Env>): void {
    this.#forgetState(cell);
    if (cell.timer) this.#wheel.cancel(cell.timer);
    if (cell.idleCheck) this.#wheel.cancel(cell.idleCheck);
    this.#cells.delete(cell);
  }

  #forgetState(cell: Cell<Env>): void {
    if (cell.live) cell.behaviour.dismiss?.(cell.state, this.#env);
    cell.live = false;
    cell.state = undefined;
  }

  #flush(): void {
    const sealed = this.#outbox.seal();
    if (sealed) this.#host.commit(sealed);
  }

  #refuse(): false {
    this.counts.refused++;
    return false;
  }
}

const OVERLOADED: Failure = { name: 'overloaded' };
const INTERNAL: Failure = { name: 'internal' };
const TIMER: AnyMessage = { type: 'timer' };
const WAKE: AnyMessage = { type: 'wake' };
