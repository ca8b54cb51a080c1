/** A model of the engine: one stream and one bucket, reached over a network that delays, loses, repeats and parts. */
import type { Random } from '../../../src/base/random.ts';
import {
  type Engine,
  EngineError,
  type Following,
  type LeaseEntry,
  type StreamBounds,
} from '../../../src/store/replica/engine.ts';
import type { Agenda } from '../agenda.ts';

const ANSWER_MS = 2_000;
const PAYLOAD_MAX = 2_048;

export class PlayedEngine {
  readonly agenda: Agenda;
  readonly random: Random;
  /** Message `i` has the sequence number `i + 1`; trimmed ones are null. */
  messages: (Uint8Array | null)[] = [];
  readonly #entries = new Map<string, LeaseEntry>();
  readonly handles = new Set<EngineHandle>();
  /** It elects a leader of its own until then, and answers nobody. */
  awayUntilMs = 0;
  lossRate = 0;
  #revision = 0;

  constructor(agenda: Agenda, random: Random) {
    this.agenda = agenda;
    this.random = random;
  }

  get last(): number {
    return this.messages.length;
  }

  /** A power cut: what was not synced is gone, at most so many messages. */
  loseTail(count: number): void {
    this.messages.length = Math.max(0, this.messages.length - count);
  }

  append(bytes: Uint8Array, expectedLast: number): number {
    if (expectedLast !== this.last) throw new EngineError('superseded', `the last is ${this.last}`);
    this.messages.push(Uint8Array.from(bytes));
    for (const handle of this.handles) handle.grown();
    return this.last;
  }

  entry(key: string): LeaseEntry | null {
    return this.#entries.get(key) ?? null;
  }

  swap(key: string, value: Uint8Array, revision: number): number | null {
    if ((this.#entries.get(key)?.revision ?? 0) !== revision) return null;
    this.#entries.set(key, { value: Uint8Array.from(value), revision: ++this.#revision });
    return this.#revision;
  }
}

interface Reading {
  next: number;
  isBusy: boolean;
  readonly take: (sequence: number, bytes: Uint8Array) => Promise<void>;
  readonly end: () => void;
}

/** One server's connection. */
export class EngineHandle implements Engine {
  readonly #engine: PlayedEngine;
  #heard: (bytes: Uint8Array) => void = () => {};
  #answer: (() => Promise<number>) | null = null;
  #reading: Reading | null = null;
  /** Parted from the engine. */
  isParted = false;
  /** The process has stopped for good: nothing of it runs any more. */
  isDead = false;
  /** It has been stopped until then: what is for it comes later. */
  pausedUntilMs = 0;

  constructor(engine: PlayedEngine) {
    this.#engine = engine;
    engine.handles.add(this);
  }

  payloadMax(): number {
    return PAYLOAD_MAX;
  }

  publish(bytes: Uint8Array, expectedLast: number): Promise<number> {
    return this.#ask(() => this.#engine.append(bytes, expectedLast));
  }

  bounds(): Promise<StreamBounds> {
    return this.#ask(() => {
      const kept = this.#engine.messages.findIndex((message) => message !== null);
      return { first: kept === -1 ? this.#engine.last + 1 : kept + 1, last: this.#engine.last, bytes: 0 };
    });
  }

  read(sequence: number): Promise<Uint8Array | null> {
    return this.#ask(() => this.#engine.messages[sequence - 1] ?? null);
  }

  async follow(from: number, take: Reading['take']): Promise<Following> {
    await this.#ask(() => null);
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const reading: Reading = { next: from, isBusy: false, take, end };
    this.#reading = reading;
    this.grown();
    const stop = (): void => {
      if (this.#reading === reading) this.#reading = null;
      if (!reading.isBusy) end();
    };
    return { ended, stop };
  }

  trim(): Promise<void> {
    return Promise.resolve();
  }

  get(key: string): Promise<LeaseEntry | null> {
    return this.#ask(() => this.#engine.entry(key));
  }

  swap(key: string, value: Uint8Array, revision: number): Promise<number | null> {
    return this.#ask(() => this.#engine.swap(key, value, revision));
  }

  async askBarrier(): Promise<number> {
    const leader = [...this.#engine.handles].find((handle) => handle.#answer && handle.#isReached());
    const answer = leader && this.#isReached() ? leader.#answer : null;
    if (!answer) throw new EngineError('unavailable', 'nobody answers');
    return await answer();
  }

  answerBarriers(answer: () => Promise<number>): () => void {
    this.#answer = answer;
    return () => {
      this.#answer = null;
    };
  }

  announce(bytes: Uint8Array): void {
    if (!this.#isReached()) return;
    for (const handle of this.#engine.handles) {
      if (handle.#isReached()) handle.later(() => handle.#heard(bytes));
    }
  }

  hear(heard: (bytes: Uint8Array) => void): void {
    this.#heard = heard;
  }

  async close(): Promise<void> {
    this.stop();
  }

  stop(): void {
    this.isDead = true;
    this.#engine.handles.delete(this);
  }

  /** Runs it in this process's time: never in a dead one, later in a stopped one. */
  later(run: () => void, delayMs = this.#engine.random.between(0.2, 12)): () => void {
    const { agenda } = this.#engine;
    const attempt = (): void => {
      if (this.isDead || entry.run === null) return;
      if (agenda.nowMs >= this.pausedUntilMs) run();
      else entry = agenda.at(this.pausedUntilMs, attempt);
    };
    let entry = agenda.after(delayMs, attempt);
    let isEnded = false;
    return () => {
      if (!isEnded) entry.run = null;
      isEnded = true;
    };
  }

  /** The stream may have more for this reader. */
  grown(): void {
    const reading = this.#reading;
    if (!reading || reading.isBusy) return;
    if (reading.next > this.#engine.last) return;
    reading.isBusy = true;
    this.later(() => {
      const bytes = this.#engine.messages[reading.next - 1];
      if (this.#reading !== reading || !this.#isReached() || !bytes) {
        reading.isBusy = false;
        if (this.#reading === reading) this.#reading = null;
        reading.end();
        return;
      }
      reading.take(reading.next, bytes).then(
        () => {
          reading.isBusy = false;
          reading.next++;
          if (this.#reading === reading) this.grown();
          else reading.end();
        },
        () => {
          reading.isBusy = false;
          if (this.#reading === reading) this.#reading = null;
          reading.end();
        },
      );
    });
  }

  #isReached(): boolean {
    return !this.isDead && !this.isParted && this.#engine.agenda.nowMs >= this.#engine.awayUntilMs;
  }

  /** A question goes there, is carried out, perhaps twice, and its answer comes back; each way may fail. */
  #ask<T>(act: () => T): Promise<T> {
    const { random } = this.#engine;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = this.later(() => {
        isOver = true;
        reject(new EngineError('unavailable', 'no answer'));
      }, ANSWER_MS);
      this.#engine.agenda.after(random.between(0.1, 6), () => {
        if (!this.#isReached() || random.chance(this.#engine.lossRate)) return;
        let answer: () => void;
        try {
          const value = act();
          answer = () => resolve(value);
        } catch (error) {
          answer = () => reject(error);
        }
        if (random.chance(this.#engine.lossRate)) repeat(act);
        if (random.chance(this.#engine.lossRate)) return;
        this.later(() => {
          if (isOver || !this.#isReached()) return;
          end();
          answer();
        });
      });
    });
  }
}

function repeat(act: () => unknown): void {
  try {
    act();
  } catch {
    // The second one is refused, as it should be; nobody hears of it.
  }
}
