/**
 * One simulated world: production's shards and writer on virtual time (`sim-server.ts`), workers that send (`workload.ts`),
 * faults that a seed chooses (`swarm.ts`, `faults.ts`), the truth (`auditor.ts`) and the checkers that compare. A run has
 * two parts: faults for so many ticks, then calm until everything must have come right. Same seed, same trace.
 */

import type { Signal } from '../../src/actors/runtime/behaviour.ts';
import type { SharedState } from '../../src/actors/shard/wire/shared-state.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { LogLevel } from '../../src/base/log-level.ts';
import { type Random, seededRandom } from '../../src/base/random.ts';
import { StallAwareClock, TICK_MS } from '../../src/base/stall-aware-clock.ts';
import { newConfig } from '../../src/protocol/config/config.ts';
import { NO_IDENTITY } from '../../src/protocol/identity/identity.ts';
import type { Reader } from '../../src/store/kv/store.ts';
import { CONFIG_SEEDS } from '../support/config-seeds.ts';
import { Agenda } from './agenda.ts';
import { Auditor } from './auditor.ts';
import { missingFacts } from './checkers/acknowledged.ts';
import { pendingFaults } from './checkers/settled.ts';
import { Faults, type FaultWorld } from './faults.ts';
import { Network } from './network.ts';
import { type ServerWorld, SimServer } from './sim-server.ts';
import { SimStore } from './sim-store.ts';
import type { SimThread } from './sim-thread.ts';
import { otherTimes, type Swarm, swarmOf } from './swarm.ts';
import { Trace } from './trace.ts';
import { Watch } from './watch.ts';
import { SimJob, SimNode, type WorkloadWorld } from './workload.ts';

/** A bug put into the world on purpose, to see it found. */
export type Plant = 'deaf clock' | 'deaf to main' | 'forgetful disk' | 'hasty trim';

export interface WorldOptions {
  readonly seed: number;
  /** Of 50 ms, with faults. */
  readonly ticks: number;
  readonly plant?: Plant;
  readonly write?: (line: string) => void;
}

export interface Finding {
  readonly checker: string;
  readonly text: string;
  readonly atMs: number;
}

export interface WorldResult {
  readonly hash: string;
  readonly finding: Finding | null;
  readonly events: number;
  readonly swarm: Swarm;
  /** The last lines of the trace. */
  readonly tail: readonly string[];
}

const LOOK_MS = 500;
const WALL_BEGAN_MS = Date.UTC(2026, 0, 31, 12);
/** Everything that time must bring has come this long after two TTLs of calm. */
const CALM_MORE_MS = 8_000;
/** Longer than any hold that was planned. */
const UP_MS = 120_000;
const READY_MAX = 65_536;

/** Runs a world to its end, or to the first finding. */
export async function runWorld(options: WorldOptions): Promise<WorldResult> {
  return new World(options).run();
}

class World implements ServerWorld, WorkloadWorld {
  readonly agenda = new Agenda();
  readonly auditor = new Auditor();
  readonly random: Random;
  readonly swarm: Swarm;
  readonly trace: Trace;
  readonly network: Network;
  store: SimStore;
  readonly #options: WorldOptions;
  readonly #faults: Faults;
  readonly #nodes: SimNode[];
  readonly #jobs: SimJob[];
  readonly #choices: Random;
  readonly #stalls: Random;
  readonly #watch: Watch;
  #server: SimServer;
  #state: SharedState;
  #wallOffsetMs = 0;
  #starting = 0;
  #mayBeAwaited = false;
  #isCalm = false;
  #finding: Finding | null = null;

  constructor(options: WorldOptions) {
    this.#options = options;
    const stream = (of: number): Random => seededRandom(Math.imul(options.seed, 0x9e3779b1) ^ of);
    this.swarm = swarmOf(stream(1));
    this.random = stream(2);
    this.#choices = stream(3);
    this.#stalls = stream(7);
    this.trace = new Trace(options.write ?? null);
    this.network = new Network(this.agenda, stream(4), this.swarm.network);
    const forgetful = options.plant === 'forgetful disk';
    this.store = new SimStore(this.swarm.store, stream(5), () => this.agenda.nowMs, forgetful);
    this.#state = stateOf(this.swarm, 1);
    this.auditor.times.push({ sinceMs: 0, ...this.swarm });
    this.#server = this.#start(this.swarm.shardCount);
    const each = (count: number, of: number): Random[] => Array.from({ length: count }, (_, i) => stream(of + i));
    this.#nodes = each(this.swarm.nodes, 1_000).map((random, i) => new SimNode(`n${i}`, this, random));
    this.#jobs = each(this.swarm.jobs, 2_000).map((random, i) => new SimJob(`j${i}`, this, random));
    const find = (checker: string, text: string): void => this.#find(checker, text);
    this.#watch = new Watch(this, find, READY_MAX);
    this.#faults = new Faults(this.#faultWorld(), stream(6));
    this.#watch.begin();
  }

  async run(): Promise<WorldResult> {
    await this.#runUntil(this.#options.ticks * TICK_MS);
    this.#calm();
    const untilUpMs = this.agenda.nowMs + UP_MS;
    await this.#runUntil(this.agenda.nowMs, () => this.#isUp() || this.agenda.nowMs > untilUpMs);
    if (!this.#finding && !this.#isUp()) this.#find('settled', 'the server does not come up');
    await this.#runUntil(this.agenda.nowMs + 2 * this.auditor.now.ttlMs + CALM_MORE_MS);
    // A flush in flight holds answers back; the next moment is as good an end.
    const untilFlushedMs = this.agenda.nowMs + UP_MS;
    await this.#runUntil(this.agenda.nowMs, () => this.#isFlushed() || this.agenda.nowMs > untilFlushedMs);
    if (!this.#finding) this.#atTheEnd();
    this.trace.add(
      this.agenda.nowMs,
      'world',
      'end',
      `${this.agenda.carriedOut} events, ${this.store.commits} commits`,
    );
    const tail = this.trace.tail(60);
    return {
      hash: this.trace.digest(),
      finding: this.#finding,
      events: this.agenda.carriedOut,
      swarm: this.swarm,
      tail,
    };
  }

  server(): SimServer {
    return this.#server;
  }

  state(): SharedState {
    return this.#state;
  }

  wallMs(): number {
    return Math.floor(WALL_BEGAN_MS + this.#wallOffsetMs + this.agenda.nowMs);
  }

  reader(): Reader {
    return this.store;
  }

  clockOf(base: Clock): StallAwareClock | undefined {
    return this.#options.plant === 'deaf clock' ? new DeafClock(base) : undefined;
  }

  threw(thread: SimThread, error: unknown): void {
    this.#find('nothing throws', `${thread.name}: ${error instanceof Error ? error.stack : String(error)}`);
  }

  logged(thread: string, level: LogLevel, fields: object, message: string): void {
    this.trace.add(this.agenda.nowMs, thread, `log ${level}`, message);
    const { kind, error } = fields as { readonly kind?: string; readonly error?: unknown };
    if (kind === 'bug')
      this.#find('nothing throws', `${thread}: ${message}: ${error instanceof Error ? error.stack : String(error)}`);
    if (kind === 'environment') this.auditor.failedMs.set(Number(thread.slice('shard-'.length)), this.agenda.nowMs);
  }

  signalled(shard: number, { type, ...what }: Signal): void {
    this.trace.add(this.agenda.nowMs, `shard-${shard}`, 'signal', `${type} ${JSON.stringify(what, bigIntAsText)}`);
  }

  awaits(promise: Promise<void>, then: () => void): void {
    this.#starting++;
    promise.then(
      () => {
        this.#starting--;
        this.agenda.after(0, then);
      },
      (error: unknown) => this.#find('nothing throws', `a shard does not start: ${String(error)}`),
    );
  }

  mayBeAwaited(): void {
    this.#mayBeAwaited = true;
  }

  async #runUntil(untilMs: number, isEnough: () => boolean = () => true): Promise<void> {
    for (;;) {
      while (!this.#finding && this.agenda.step(untilMs)) {
        this.#watch.verdicts();
        // A start awaits a few promises one after the other; others await the end of a turn.
        if (this.#starting > 0) for (let i = 0; i < 8; i++) await null;
        else if (this.#mayBeAwaited) for (let i = 0; i < 3; i++) await null;
        this.#mayBeAwaited = false;
      }
      if (this.#finding || isEnough()) return;
      untilMs += LOOK_MS;
    }
  }

  #find(checker: string, text: string): void {
    this.trace.add(this.agenda.nowMs, 'FINDING', checker, text);
    this.#finding ??= { checker, text, atMs: this.agenda.nowMs };
  }

  #start(shardCount: number): SimServer {
    const { plant } = this.#options;
    const server = new SimServer(this, {
      shardCount,
      bounds: { readyMax: READY_MAX, inFlightBytesMax: this.swarm.inFlightBytesMax },
      deafToMain: plant === 'deaf to main',
      hastyTrim: plant === 'hasty trim',
      stallMs: () => this.#startStallMs(),
    });
    const holdWriter = this.store.onCommit;
    this.store.onCommit = (tookMs) => {
      const { nowMs } = this.agenda;
      if (tookMs > 500) {
        this.trace.add(nowMs, 'disk', 'STALL', `${tookMs.toFixed(0)} ms`);
        this.auditor.absences.push({ who: 'writer', fromMs: nowMs, toMs: nowMs + tookMs });
      }
      holdWriter(tookMs);
    };
    server.onListening = () => {
      this.trace.add(this.agenda.nowMs, 'main', 'listening', `${shardCount} shards`);
      this.auditor.endAbsences((who) => who === 'start', this.agenda.nowMs);
      for (const fault of missingFacts(this.store, this.auditor)) this.#find('acknowledged', fault);
    };
    server.onShardStarted = ({ thread }) =>
      this.auditor.endAbsences((who) => who === `start of ${thread.name}`, this.agenda.nowMs);
    return server;
  }

  #startStallMs(): number {
    const { stallChance, stallMsMax } = this.swarm.starts;
    if (this.#isCalm || !this.#stalls.chance(stallChance)) return 0;
    const ms = this.#stalls.next() * stallMsMax;
    this.trace.add(this.agenda.nowMs, 'start', 'STALL', `${ms.toFixed(0)} ms`);
    return ms;
  }

  #kill(): void {
    if (this.#server.isKilled) return;
    this.trace.add(this.agenda.nowMs, 'process', 'KILL');
    this.#server.kill();
    this.auditor.endAbsences(() => true, this.agenda.nowMs);
    this.auditor.absences.push({ who: 'start', fromMs: this.agenda.nowMs, toMs: Number.POSITIVE_INFINITY });
    this.agenda.after(this.#choices.between(100, 4_000), () => {
      this.store = this.store.afterKill();
      this.#server = this.#start(this.#choices.chance(0.3) ? 1 + this.#choices.int(3) : this.#server.shardCount);
    });
  }

  #retime(): void {
    const times = otherTimes(this.#choices);
    this.trace.add(this.agenda.nowMs, 'operator', 'retime', `heartbeat ${times.heartbeatMs} ttl ${times.ttlMs}`);
    this.#state = stateOf(times, this.#state.configVersion + 1);
    this.auditor.times.push({ sinceMs: this.agenda.nowMs, ...times });
    this.#server.publish();
  }

  #faultWorld(): FaultWorld {
    return {
      agenda: this.agenda,
      auditor: this.auditor,
      network: this.network,
      trace: this.trace,
      swarm: this.swarm,
      server: () => this.#server,
      store: () => this.store,
      workers: () => [...this.#nodes, ...this.#jobs].map(({ id }) => id),
      kill: () => this.#kill(),
      jumpWall: (ms) => {
        this.trace.add(this.agenda.nowMs, 'clock', 'JUMP', `${ms} ms`);
        this.#wallOffsetMs += ms;
      },
      retime: () => this.#retime(),
    };
  }

  #calm(): void {
    this.trace.add(this.agenda.nowMs, 'world', 'calm');
    this.#faults.end();
    this.#isCalm = true;
    for (const node of this.#nodes) node.settle();
    for (const job of this.#jobs) job.isCalm = true;
  }

  #isUp(): boolean {
    const { isListening, threads, shards } = this.#server;
    return (
      isListening && threads.every(({ isSuspended }) => !isSuspended) && shards.every((shard) => shard.isListening)
    );
  }

  #isFlushed(): boolean {
    return this.#server.shards.every(({ host }) => (host?.system.unflushed ?? 0) === 0);
  }

  #atTheEnd(): void {
    for (const fault of missingFacts(this.store, this.auditor)) this.#find('acknowledged', fault);
    const world = {
      server: this.#server,
      auditor: this.auditor,
      reader: this.store,
      nodes: this.#nodes,
      wallMs: this.wallMs(),
    };
    for (const fault of pendingFaults(world)) this.#find('settled', fault);
  }
}

function stateOf(times: { readonly heartbeatMs: number; readonly ttlMs: number }, configVersion: number): SharedState {
  const config = newConfig(CONFIG_SEEDS);
  const node = { ...config.node, heartbeat: `${times.heartbeatMs}ms`, ttl: `${times.ttlMs}ms` };
  return { config: { ...config, node }, configVersion, definitions: [], orders: new Map(), identity: NO_IDENTITY };
}

/** The stall-aware clock without its point: it counts time in which nobody listened. */
class DeafClock extends StallAwareClock {
  readonly #base: Clock;

  constructor(base: Clock) {
    super(base);
    this.#base = base;
  }

  override monotonicMs(): number {
    return this.#base.monotonicMs();
  }

  override now(): ReturnType<Clock['now']> {
    return this.#base.now();
  }
}

/** Times in signals are nanoseconds, which JSON cannot hold. */
function bigIntAsText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}
