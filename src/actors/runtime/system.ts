/**
 * The actors of one thread. It owns the cells, runs their behaviours in turns, and carries effects out. It knows no node
 * and no job. Everything here happens on one thread; what crosses threads is `actors/shard`'s business.
 *
 * Order: messages of one sender to one actor are handled in the order sent (but for the system lane, which overtakes).
 * A message to an idle actor is handled at once, in place, unless it is a heavy one and enough was handled since the last turn; otherwise it waits
 * in the mailbox for the next turn.
 */
import type { Now } from '../../base/clock.ts';
import { errorOf, type Failure } from '../../base/errors.ts';
import { TimingWheel } from '../../base/timing-wheel.ts';
import {
  type ActorRefs,
  type Address,
  type AnyAddress,
  type AnyMessage,
  ASK_DEADLINE_MS,
  type Message,
  type ReplyFor,
} from './address.ts';
import { Asked } from './asked.ts';
import type { MessageBatch, OutgoingMessage, Write } from './behaviour.ts';
import type { Cell, Done, Envelope } from './cell.ts';
import { Cells } from './cells.ts';
import { Lifecycle, type Wheel } from './lifecycle.ts';
import { type Lane, Mailbox } from './mailbox.ts';
import { Outbox, type Waiter } from './outbox.ts';
import { PendingDeliveries } from './pending-deliveries.ts';
import { ReadyQueue } from './ready-queue.ts';
import { Steps } from './steps.ts';
import type { SystemCounts, SystemHost } from './system-host.ts';
import { SystemView } from './system-view.ts';

/** Cells that have messages waiting. Overflow policy: refuse user messages (503); system messages always fit. */
const READY_MAX = 65_536;
const TICK_MS = 50;

export class ActorSystem<Env> extends SystemView<Env> implements ActorRefs {
  readonly counts: SystemCounts = { posted: 0, handled: 0, refused: 0, deadLetters: 0, restarts: 0 };
  readonly #host: SystemHost<Env>;
  readonly #ready: ReadyQueue<Env>;
  readonly #wheel: Wheel<Env>;
  readonly #readyMax: number;
  readonly #outbox: Outbox;
  readonly #pendingDeliveries = new PendingDeliveries<Env>();
  readonly #lifecycle: Lifecycle<Env>;
  readonly #steps: Steps<Env>;
  #env: Env;
  #awake = false;
  #stopped = false;

  constructor(host: SystemHost<Env>) {
    super(new Cells(host.behaviours));
    this.#host = host;
    this.#env = host.env;
    this.#wheel = new TimingWheel(host.clock.monotonicMs(), TICK_MS);
    this.#readyMax = host.bounds?.readyMax ?? READY_MAX;
    this.#outbox = new Outbox(host.bounds?.inFlightBytesMax);
    this.#ready = new ReadyQueue(host, this.counts, (cell, message, done) => this.#handle(cell, message, done));
    const shared = { host, counts: this.counts, outbox: this.#outbox, env: () => this.#env };
    const post = (to: AnyAddress, message: AnyMessage): boolean => this.post(to, message, null, 'system');
    this.#lifecycle = new Lifecycle({ ...shared, cells: this.cells, wheel: this.#wheel, post });
    this.#steps = new Steps({
      ...shared,
      pendingDeliveries: this.#pendingDeliveries,
      lifecycle: this.#lifecycle,
      ready: this.#ready,
    });
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
    const asked = new Asked(this.#wheel, done);
    if (!this.post(to, message, asked.done, 'user', deadlineMs)) asked.done(OVERLOADED, undefined);
    asked.endBy(this.#host.clock.monotonicMs() + deadlineMs);
  }

  /**
   * What `answer` says of the actor now, when all that the actor has written for it is durable: at once where it waits for
   * nothing. Where that fails, `answer` is asked again, of what is stored.
   */
  answerFlushed({ kind, id }: AnyAddress, deadlineMs: number, answer: () => unknown, done: Done): void {
    const reply = answer();
    const cell = this.cells.find(kind, id);
    if (!cell || cell.lastBatch <= this.#outbox.durableThrough) {
      done(null, reply);
      return;
    }
    const asked = new Asked(this.#wheel, done);
    this.#outbox.wait(cell.lastBatch, (failure) => asked.done(null, failure ? answer() : reply));
    asked.endBy(this.#host.clock.monotonicMs() + deadlineMs);
  }

  /**
   * The reply to a message whose actor is idle and has a fast path for it (see `Behaviour.fastPath`); undefined where it must
   * be sent the usual way. A state that waits for the disk has no fast path: its reply may say nothing that is not durable.
   */
  fastPath(kind: string, id: string, message: AnyMessage, now: Now): unknown {
    const cell = this.cells.find(kind, id);
    if (!cell || cell.queued || cell.lastBatch > this.#outbox.durableThrough) return undefined;
    return this.#fastPath(cell, message, now);
  }

  /** As `fastPath`, for a message whose reply says nothing: it need not wait for what was written before it. */
  note(kind: string, id: string, message: AnyMessage): void {
    const cell = this.cells.find(kind, id);
    if (cell) this.#fastPath(cell, message, this.#host.clock.now());
  }

  #fastPath(cell: Cell<Env>, message: AnyMessage, now: Now): unknown {
    if (!cell.live || cell.blocked || this.#stopped) return undefined;
    const reply = cell.behaviour.fastPath?.(cell.state, message, now, this.#env);
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
    const cell = this.cells.open(to, this.#host.clock);
    if (!cell) {
      this.counts.deadLetters++;
      return false;
    }
    if (!cell.queued && !cell.blocked && !this.#awake && this.#ready.takesInPlace(cell, message)) {
      this.#handle(cell, message, done);
      if (!this.#outbox.isEmpty) this.#host.wake();
      return true;
    }
    const deadline = deadlineMs === Number.POSITIVE_INFINITY ? deadlineMs : this.#host.clock.monotonicMs() + deadlineMs;
    const envelope: Envelope = { message, done, deadlineMs: deadline };
    cell.mailbox ??= new Mailbox<Envelope>();
    if (!cell.mailbox.push(lane, envelope)) return this.#refuse();
    this.#ready.add(cell);
    return true;
  }

  /** Deliveries that are durable under `seq`, in order of seq. Never refused: they were acknowledged to somebody. */
  deliver(seq: number, messageBatches: readonly MessageBatch[], replayed: boolean): void {
    for (const { to, messages } of messageBatches) {
      const cell = this.cells.open(to, this.#host.clock);
      if (!cell) {
        this.counts.posted++;
        this.counts.deadLetters++;
        continue;
      }
      this.#pendingDeliveries.arrived(cell, seq);
      this.post(to, { type: 'delivery', seq, replayed, messages } as AnyMessage, null, 'system');
    }
  }

  /** Every delivery below the answer is acknowledged; `latest` where nothing is outstanding. */
  acknowledgedBelow(latest: number): number {
    return this.#pendingDeliveries.acknowledgedBelow(latest);
  }

  /** Fires timers and handles what waits, a bounded amount. The host calls it when woken, and at least every 50 ms. */
  runTurn(): void {
    this.#awake = true;
    this.#wheel.advance(this.#host.clock.monotonicMs(), (due) => {
      if (typeof due === 'function') due();
      else this.#lifecycle.timerFired(due);
    });
    this.#ready.drain();
    this.#awake = false;
    const sealed = this.#outbox.seal();
    if (sealed) this.#host.commit(sealed);
    if (this.#ready.size > 0) this.#host.wake();
  }

  /** Writes and durable messages of the host's own, in order with the actors'. False: too much is in flight, nothing was taken. */
  persist(writes: readonly Write[], outgoing: readonly OutgoingMessage[] = [], done?: Waiter): boolean {
    if (outgoing.length > 0 && (this.#stopped || this.#outbox.isFull)) {
      this.counts.posted++;
      return this.#refuse();
    }
    if (writes.length + outgoing.length === 0) return true;
    this.#outbox.add(writes, outgoing);
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

  /** Nothing of this batch or a later one is on disk: the states that wrote are forgotten, and their callers get the failure. */
  batchFailed(failure: Failure): void {
    const durable = this.#outbox.durableThrough;
    for (const cell of this.cells.all()) {
      if (cell.lastBatch <= durable) continue;
      this.#lifecycle.forgetState(cell);
      cell.lastBatch = 0;
      this.#lifecycle.wakeAfter(cell, 0);
    }
    this.#outbox.fail(failure);
  }

  get waiting(): number {
    return this.#ready.size;
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

  /** Handles it now. A message that the step sends to an actor of this thread waits for the next turn. */
  #handle(cell: Cell<Env>, message: AnyMessage, done: Done | null): void {
    const now = this.#host.clock.now();
    if (cell.restarts?.isSpent(now.monotonicMs)) {
      this.#steps.refuse(cell, done);
      return;
    }
    const before = this.#awake;
    this.#awake = true;
    try {
      this.#steps.handle(cell, message, done, now);
    } finally {
      this.#awake = before;
    }
  }

  #refuse(): false {
    this.counts.refused++;
    return false;
  }
}

const OVERLOADED: Failure = { name: 'overloaded' };
