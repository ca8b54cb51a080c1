/**
 * The load generator: many raw connections, messages that were made beforehand, answers that are only scanned for their end.
 *
 * Closed loop: a connection sends its next message when an answer frees a place. Open loop: messages have intended send
 * times and latency counts from those, whether or not a connection was free; a message that waits too long is given up and
 * counted. What is due is looked at every millisecond, and how late that look was is reported beside the latencies, so that
 * a generator that cannot keep up is not taken for a slow server.
 */
import { type Connection, openConnection } from './connection.ts';
import { Latencies } from './latencies.ts';
import type { LoadPlan, LoadResult, Phase, Tally } from './load-plan.ts';
import { BIN_MS } from './load-plan.ts';
import { type Messages, messagesOf } from './traffic.ts';

/** After the last intended time, answers may take so long before they count as failed. */
const DRAIN_MS = 15_000;
const GIVE_UP_MS = 1_000;
const TICK_MS = 1;

class Counter {
  answered = 0;
  refused = 0;
  retryAfter = 0;
  failed = 0;
  givenUp = 0;
  readonly latencies = new Latencies();

  take(status: number, retryAfter: boolean, latencyMs: number): void {
    if (status === 200) {
      this.answered++;
      this.latencies.record(latencyMs * 1000);
    } else if (status === 503) {
      this.refused++;
      if (retryAfter) this.retryAfter++;
    } else this.failed++;
  }

  get tally(): Tally {
    const { answered, refused, retryAfter, failed, givenUp, latencies } = this;
    return { answered, refused, retryAfter, failed, givenUp, counts: [...latencies.counts] };
  }
}

export class Load {
  readonly #plan: LoadPlan;
  readonly #lanes: readonly Messages[];
  /** First seq of each lane. */
  readonly #seqFrom: readonly number[];
  readonly #next: number[];
  readonly #carriesSeq: boolean;
  readonly #connections: Connection[] = [];
  /** Places for messages: a connection stands here once for each that it can take. */
  #free: Connection[] = [];
  #freeAt = 0;
  readonly #total = new Counter();
  readonly #lag = new Latencies();
  #onAnswer: (status: number, retryAfter: boolean, dueMs: number) => void = () => {};
  #inFlight = 0;
  #brokenReason = '';

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    let seq = 0;
    const seqFrom: number[] = [];
    this.#lanes = (plan.lanes ?? [plan.bytes]).map((traffic) => {
      seqFrom.push(seq);
      const messages = messagesOf(traffic, plan.host, seq);
      if (messages.count === 0) throw new Error('the plan has a lane without messages');
      seq += messages.count;
      return messages;
    });
    this.#seqFrom = seqFrom;
    this.#next = this.#lanes.map(() => 0);
    this.#carriesSeq = plan.dialect?.kind === 'websocket';
    const places = plan.connections * (plan.inFlight ?? 1);
    if (this.#carriesSeq && seq < places)
      throw new Error(`${seq} messages for ${places} places: a seq would be in flight twice`);
  }

  /** One after the other, so that a server that hands out connections in turn does so in our order. */
  async connect(): Promise<void> {
    for (let i = 0; i < this.#plan.connections; i++) {
      const lane = i % this.#lanes.length;
      const { answersEach } = this.#lanes[lane] as Messages;
      const connection = await openConnection(this.#plan, lane, answersEach, {
        onAnswer: (from, status, retryAfter, dueMs) => {
          this.#inFlight--;
          if (from.isOpen) this.#free.push(from);
          this.#total.take(status, retryAfter, performance.now() - dueMs);
          this.#onAnswer(status, retryAfter, dueMs);
        },
        onEnd: (_, unanswered, reason) => this.#lose(unanswered, reason),
      });
      this.#connections.push(connection);
    }
    for (let place = 0; place < (this.#plan.inFlight ?? 1); place++) this.#free.push(...this.#connections);
  }

  async run(onPhase: (index: number) => void): Promise<LoadResult> {
    const begun = performance.now();
    const { phases } = this.#plan;
    const parts = phases ? await this.#openLoop(phases, onPhase) : await this.#closedLoop(onPhase);
    const seconds = (performance.now() - begun) / 1000;
    for (const connection of this.#connections) connection.end('');
    return { ...this.#total.tally, ...parts, seconds, lagCounts: [...this.#lag.counts] };
  }

  #closedLoop(onPhase: (index: number) => void): Promise<Pick<LoadResult, 'phases' | 'bins'>> {
    onPhase(0);
    let toSend = this.#plan.requests;
    return new Promise((resolve, reject) => {
      const fill = (): void => {
        const now = performance.now();
        while (toSend > 0 && this.#sendOne(now)) toSend--;
        if (this.#inFlight > 0) return;
        if (toSend > 0) reject(new Error(`every connection ended: ${this.#brokenReason}`));
        else resolve({ phases: [this.#total.tally], bins: [] });
      };
      let isAwake = false;
      // Answers that one read brought are all taken before the next messages leave together.
      this.#onAnswer = () => {
        if (isAwake) return;
        isAwake = true;
        queueMicrotask(() => {
          isAwake = false;
          fill();
        });
      };
      fill();
    });
  }

  async #openLoop(
    phases: readonly Phase[],
    onPhase: (index: number) => void,
  ): Promise<Pick<LoadResult, 'phases' | 'bins'>> {
    const start = performance.now();
    const ends: number[] = [];
    for (const { seconds } of phases) ends.push((ends.at(-1) ?? start) + seconds * 1000);
    const counters = phases.map(() => new Counter());
    const bins = Array.from({ length: Math.ceil(((ends.at(-1) as number) - start) / BIN_MS) }, () => new Counter());
    const countersAt = (dueMs: number): Counter[] => {
      const phase = ends.findIndex((end) => dueMs < end);
      const bin = Math.min(bins.length - 1, Math.floor((dueMs - start) / BIN_MS));
      return [counters[phase < 0 ? counters.length - 1 : phase] as Counter, bins[bin] as Counter];
    };
    this.#onAnswer = (status, retryAfter, dueMs) => {
      const latency = performance.now() - dueMs;
      for (const counter of countersAt(dueMs)) counter.take(status, retryAfter, latency);
    };
    const giveUp = (dueMs: number): void => {
      for (const counter of [this.#total, ...countersAt(dueMs)]) counter.givenUp++;
    };
    await this.#pace(phases, start, giveUp, onPhase);
    await this.#drain();
    return {
      phases: counters.map(({ tally }) => tally),
      bins: bins.map(({ answered, refused, failed, givenUp, latencies }) => ({
        answered,
        refused,
        lost: failed + givenUp,
        p99Ms: latencies.quantile(0.99),
      })),
    };
  }

  /** Looks every millisecond at what has become due, oldest first; the backlog is bounded by giving up. */
  #pace(
    phases: readonly Phase[],
    start: number,
    giveUp: (dueMs: number) => void,
    onPhase: (index: number) => void,
  ): Promise<void> {
    const giveUpMs = this.#plan.giveUpMs ?? GIVE_UP_MS;
    const schedule = dueTimes(phases, start, onPhase);
    let due = schedule.next();
    let seenTo = start;
    return new Promise((resolve) => {
      const tick = (): void => {
        const now = performance.now();
        while (!due.done && due.value <= now) {
          if (due.value > seenTo) this.#lag.record((now - due.value) * 1000);
          if (now - due.value > giveUpMs) giveUp(due.value);
          else if (!this.#sendOne(due.value)) break;
          due = schedule.next();
        }
        seenTo = now;
        if (due.done) resolve();
        else setTimeout(tick, TICK_MS);
      };
      tick();
    });
  }

  async #drain(): Promise<void> {
    const deadline = performance.now() + DRAIN_MS;
    while (this.#inFlight > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const connection of this.#connections) connection.end('it did not answer in time');
  }

  /** False when no connection has a place. */
  #sendOne(dueMs: number): boolean {
    const connection = this.#takeFree();
    if (!connection) return false;
    const { lane } = connection;
    const messages = this.#lanes[lane] as Messages;
    const at = this.#next[lane] as number;
    this.#next[lane] = (at + 1) % messages.count;
    this.#inFlight++;
    const fromMs = this.#plan.latencyFrom === 'sent' ? performance.now() : dueMs;
    connection.send(messages.at(at), fromMs, this.#carriesSeq ? (this.#seqFrom[lane] as number) + at : -1);
    return true;
  }

  #takeFree(): Connection | undefined {
    while (this.#freeAt < this.#free.length) {
      const connection = this.#free[this.#freeAt++] as Connection;
      if (this.#freeAt > 4096 && this.#freeAt * 2 > this.#free.length) {
        this.#free = this.#free.slice(this.#freeAt);
        this.#freeAt = 0;
      }
      if (connection.isOpen) return connection;
    }
    return undefined;
  }

  #lose(unanswered: number, reason: string): void {
    if (reason !== '') this.#brokenReason = reason;
    this.#inFlight -= unanswered;
    this.#total.failed += unanswered;
    for (let i = 0; i < unanswered; i++) this.#onAnswer(0, false, performance.now());
  }
}

function* dueTimes(phases: readonly Phase[], start: number, onPhase: (index: number) => void): Generator<number> {
  let phaseStart = start;
  for (const [index, { perSecond, seconds }] of phases.entries()) {
    onPhase(index);
    const count = Math.round(perSecond * seconds);
    for (let i = 0; i < count; i++) yield phaseStart + (i * 1000) / perSecond;
    phaseStart += seconds * 1000;
  }
}
