/**
 * An actor system with everything around it that a shard has, in one thread and under the test's hand: the clock moves
 * when told to, a batch becomes durable when told to, and a restart forgets all that is not on disk.
 */
import assert from 'node:assert/strict';
import type { AnyAddress, AnyMessage } from '../../src/actors/runtime/address.ts';
import type { AnyBehaviour, Signal } from '../../src/actors/runtime/behaviour.ts';
import type { SealedBatch } from '../../src/actors/runtime/outbox.ts';
import { ActorSystem } from '../../src/actors/runtime/system.ts';
import { packMessages, unpackMessages } from '../../src/actors/shard/wire/message-codec.ts';
import { ManualClock } from '../../src/base/clock.ts';
import type { Failure } from '../../src/base/errors.ts';
import { GroupCommit, readJournal } from '../../src/store/commit/group-commit.ts';
import { FaultyStore } from './faulty-store.ts';

/** What became of a request. */
export interface Answer {
  acknowledged: boolean;
  failure: Failure | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  reply: any;
}

const TURN_MS = 50;
/** More turns than any test needs; reaching it is a world that never comes to rest. */
const TURNS_MAX = 100_000;

export class ActorWorld<Env> {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 31, 12));
  readonly store: FaultyStore;
  readonly signals: Signal[] = [];
  readonly crashes: { error: unknown; where: AnyAddress }[] = [];
  /** `kind/id type` of each plain message that was sent. */
  readonly outgoing: string[] = [];
  escalations = 0;
  system: ActorSystem<Env>;
  readonly #behaviours: readonly AnyBehaviour<Env>[];
  readonly #env: Env;
  #group: GroupCommit;
  #sealed: SealedBatch[] = [];
  #epoch = 1;
  #received = 0;

  constructor(behaviours: readonly AnyBehaviour<Env>[], env: Env, store = new FaultyStore()) {
    this.#behaviours = behaviours;
    this.#env = env;
    this.store = store;
    this.#group = new GroupCommit(store);
    this.system = this.#start();
  }

  /** A new thread on the same disk: what was not durable is gone. */
  restart(): void {
    this.#sealed = [];
    this.#epoch = 1;
    this.#received = 0;
    this.#group = new GroupCommit(this.store);
    this.system = this.#start();
    for (const { seq, messageBatches } of readJournal(this.store, 0, this.#group.lastSeq)) {
      this.system.deliver(seq, messageBatches.flatMap(unpackMessages), true);
      this.#received = seq;
    }
  }

  ask<M extends AnyMessage>(to: AnyAddress, message: M, deadlineMs = 15_000): Answer {
    const answer: Answer = { acknowledged: false, failure: null, reply: undefined };
    this.system.request(to, message, deadlineMs, (failure, reply) => {
      assert.ok(!answer.acknowledged, 'an asker was answered twice');
      Object.assign(answer, { acknowledged: true, failure, reply });
    });
    return answer;
  }

  /** The reply, with everything carried out that it needs. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  reply<M extends AnyMessage>(to: AnyAddress, message: M): any {
    const answer = this.ask(to, message);
    this.settle();
    assert.ok(answer.acknowledged, `${message.type} was not answered`);
    assert.equal(answer.failure, null);
    return answer.reply;
  }

  get inFlight(): number {
    return this.#sealed.length;
  }

  turn(): void {
    this.system.runTurn();
  }

  /** The disk takes the oldest batch, or fails. False where there is none. */
  commitOne(): boolean {
    const batch = this.#sealed.shift();
    if (!batch) return false;
    const [outcome] = this.#group.commit([
      {
        client: 0,
        epoch: this.#epoch,
        number: batch.number,
        writes: batch.writes,
        messageBatches: packMessages(batch.messageBatches, 1),
      },
    ]);
    if (outcome?.type === 'durable') {
      if (outcome.seq > 0) {
        this.#received = outcome.seq;
        this.system.deliver(outcome.seq, batch.messageBatches, false);
      }
      this.system.batchDurable(batch.number);
    } else {
      this.#sealed = [];
      this.#epoch++;
      this.system.batchFailed(outcome?.failure ?? { name: 'internal' });
    }
    return true;
  }

  /** Turns and commits until nothing is left to do at this time. */
  settle(): void {
    for (let i = 0; i < TURNS_MAX; i++) {
      this.turn();
      if (!this.commitOne() && this.system.waiting === 0 && this.system.unflushed === 0) return;
    }
    assert.fail('the world does not come to rest');
  }

  /** Time passes, with a turn every 50 ms as on a shard. */
  pass(ms: number): void {
    for (let left = ms; left > 0; left -= TURN_MS) {
      this.clock.advance(Math.min(left, TURN_MS));
      this.settle();
    }
  }

  /** Journal entries that nobody needs any more go; the number of the first that is needed. */
  trim(): number {
    const below = this.system.acknowledgedBelow(this.#received);
    this.#group.trim(below);
    return below;
  }

  get signalTypes(): string[] {
    return this.signals.map(({ type }) => type);
  }

  #start(): ActorSystem<Env> {
    return new ActorSystem<Env>({
      clock: this.clock,
      reader: this.store,
      env: this.#env,
      behaviours: this.#behaviours,
      commit: (batch) => this.#sealed.push(batch),
      replay: (to, fromSeq) => this.#replay(to, fromSeq),
      send: ({ to, message }) => {
        this.outgoing.push(`${to.kind}/${to.id} ${message.type}`);
        this.system.post(to, message, null, 'system');
      },
      wake: () => {},
      onSignal: (signal) => this.signals.push(signal),
      onCrash: (error, where) => this.crashes.push({ error, where }),
      onEscalate: () => {
        this.escalations++;
      },
    });
  }

  *#replay(to: AnyAddress, fromSeq: number): Iterable<{ seq: number; messages: readonly AnyMessage[] }> {
    for (const { seq, messageBatches } of readJournal(this.store, fromSeq, this.#received)) {
      for (const messageBatch of messageBatches.flatMap(unpackMessages)) {
        if (messageBatch.to.kind === to.kind && messageBatch.to.id === to.id)
          yield { seq, messages: messageBatch.messages };
      }
    }
  }
}
