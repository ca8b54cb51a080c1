/** The clients of a proof: each writes one kind of fact, one call at a time, and knows what was acknowledged. */
import type { Api } from '../support/api.ts';
import { auditEvents } from './facts/events.ts';
import type { Facts } from './facts/fact.ts';
import { JobFacts } from './facts/jobs.ts';
import { LogFacts } from './facts/logs.ts';
import { NodeFacts } from './facts/nodes.ts';
import { SampleFacts } from './facts/samples.ts';
import { SettingFacts } from './facts/settings.ts';
import { BrokenPromise, pause, within } from './machine.ts';

/** Of each kind that there may be several of. */
export const WIDTH = 2;
/** A client whose call broke waits so long. */
const BROKEN_MS = 10;

export interface ClientsOptions {
  /** Kinds of facts beside those that every server keeps. */
  readonly more?: readonly Facts[];
  /** Between two calls of a client; 0 unless given. */
  readonly pauseMs?: number;
  /** How long calls in flight may take once the clients are to rest. */
  readonly restMs: number;
}

export class Clients {
  readonly jobs: readonly JobFacts[];
  readonly #all: readonly Facts[];
  readonly #pauseMs: number;
  readonly #restMs: number;
  #loops: Promise<void>[] = [];
  #isWorking = false;
  /** The first promise that a client saw broken. */
  #broken: BrokenPromise | undefined;

  constructor({ more = [], pauseMs = 0, restMs }: ClientsOptions) {
    const nowMs = Date.now();
    const each = <T>(make: (number: number) => T): T[] => Array.from({ length: WIDTH }, (_, number) => make(number));
    this.#pauseMs = pauseMs;
    this.#restMs = restMs;
    this.jobs = each((number) => new JobFacts(number, nowMs));
    this.#all = [
      ...this.jobs,
      ...each((number) => new SampleFacts(number, nowMs)),
      ...each((number) => new NodeFacts(number)),
      ...each((number) => new LogFacts(number)),
      new SettingFacts(),
      ...more,
    ];
  }

  get acknowledged(): number {
    return this.#all.reduce((sum, facts) => sum + facts.acknowledged, 0);
  }

  async begin(api: Api): Promise<void> {
    for (const facts of this.#all) await facts.begin?.(api);
  }

  /** Each works at the server that `apiOf` gives it by its number, until `rest` is called, or a call breaks and `isOver` says so. */
  work(apiOf: (number: number) => Api, isOver: () => boolean = () => false): void {
    this.#isWorking = true;
    this.#loops = this.#all.map((facts, number) => this.#workOn(facts, apiOf(number), isOver));
  }

  /** Waits until every client has its answer, or knows that there is none. Throws the first promise that one saw broken. */
  async rest(): Promise<void> {
    this.#isWorking = false;
    await within(this.#restMs, 'the answers of all calls in flight', Promise.all(this.#loops));
    this.#loops = [];
    if (this.#broken) throw this.#broken;
  }

  /** As `rest`, whatever they saw. */
  async stop(): Promise<void> {
    this.#isWorking = false;
    await Promise.allSettled(this.#loops);
  }

  /** What the server does not have as it was acknowledged. They must be at rest. */
  async audit(api: Api): Promise<string[]> {
    const faults = await Promise.all(this.#all.map((facts) => facts.audit(api)));
    return [...faults.flat(), ...(await auditEvents(api, this.jobs))];
  }

  async #workOn(facts: Facts, api: Api, isOver: () => boolean): Promise<void> {
    while (this.#isWorking) {
      try {
        await facts.step(api);
        // A client that waits for the audit does nothing in its step.
        if (this.#pauseMs > 0) await pause(this.#pauseMs);
        else await new Promise((resolve) => setImmediate(resolve));
      } catch (error) {
        if (error instanceof BrokenPromise) this.#broken ??= error;
        if (isOver()) return;
        await pause(BROKEN_MS);
      }
    }
  }
}
