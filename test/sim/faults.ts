/** Makes the faults of a swarm happen: each at its own rate, at moments and on parts that the seed chooses. */
import type { Random } from '../../src/base/random.ts';
import type { Agenda } from './agenda.ts';
import type { Auditor } from './auditor.ts';
import type { Network } from './network.ts';
import type { SimServer } from './sim-server.ts';
import type { SimStore } from './sim-store.ts';
import type { SimThread } from './sim-thread.ts';
import type { FaultRates, Swarm } from './swarm.ts';
import type { Trace } from './trace.ts';

export interface FaultWorld {
  readonly agenda: Agenda;
  readonly auditor: Auditor;
  readonly network: Network;
  readonly trace: Trace;
  readonly swarm: Swarm;
  server(): SimServer;
  store(): SimStore;
  workers(): readonly string[];
  kill(): void;
  jumpWall(ms: number): void;
  retime(): void;
}

const ROUND_MS = 500;

export class Faults {
  readonly #world: FaultWorld;
  readonly #random: Random;
  #isOver = false;

  constructor(world: FaultWorld, random: Random) {
    this.#world = world;
    this.#random = random;
    this.#plan();
  }

  end(): void {
    this.#isOver = true;
    this.#world.store().isFull = false;
    this.#world.store().isCalm = true;
    this.#world.network.heal();
  }

  /** Whether a kill that falls due at a commit falls on this one. */
  get isOver(): boolean {
    return this.#isOver;
  }

  #plan(): void {
    this.#world.agenda.after(ROUND_MS, () => {
      if (this.#isOver) return;
      this.#round(this.#world.swarm.rates);
      this.#plan();
    });
  }

  #round(rates: FaultRates): void {
    const { server, kill, jumpWall, retime, swarm } = this.#world;
    if (this.#due(rates.stall)) {
      const thread = this.#random.pick(server().threads);
      this.#hold([thread], thread.name, this.#random.between(100, rates.stallMsMax));
    }
    if (this.#due(rates.stop)) this.#hold(server().threads, 'process', this.#random.between(1_000, rates.stopMsMax));
    if (this.#due(rates.shardCrash)) this.#crash(this.#random.int(swarm.shardCount));
    if (this.#due(rates.kill)) {
      if (this.#random.chance(rates.killAtCommit)) this.#killAtCommit();
      else kill();
    }
    if (this.#due(rates.partition)) this.#partition();
    if (this.#due(rates.diskFull)) this.#fillDisk();
    if (this.#due(rates.wallJump)) jumpWall(Math.floor(this.#random.between(-3_600_000, 3_600_000)));
    if (this.#due(rates.retime)) retime();
  }

  #due(rate: number): boolean {
    return rate > 0 && this.#random.chance((rate * ROUND_MS) / 1_000);
  }

  #hold(threads: readonly SimThread[], who: string, ms: number): void {
    const { agenda, auditor, trace, server } = this.#world;
    if (server().isKilled || threads.every(({ isEnded }) => isEnded)) return;
    trace.add(agenda.nowMs, who, 'HOLD', `${ms.toFixed(0)} ms`);
    auditor.absences.push({ who, fromMs: agenda.nowMs, toMs: agenda.nowMs + ms });
    for (const thread of threads) thread.hold(ms);
  }

  #crash(index: number): void {
    const { agenda, auditor, trace, server } = this.#world;
    const shard = server().shards[index];
    if (server().isKilled || !shard || shard.thread.isEnded) return;
    trace.add(agenda.nowMs, shard.thread.name, 'CRASH');
    auditor.endAbsences((who) => who === shard.thread.name, agenda.nowMs);
    auditor.absences.push({
      who: `start of ${shard.thread.name}`,
      fromMs: agenda.nowMs,
      toMs: Number.POSITIVE_INFINITY,
    });
    server().crash(index);
  }

  /** The process ends after the disk has a batch and before anybody hears of it. */
  #killAtCommit(): void {
    const { store, kill, agenda } = this.#world;
    const disk = store();
    const usual = disk.onCommit;
    disk.onCommit = (tookMs) => {
      disk.onCommit = usual;
      usual(tookMs);
      agenda.after(this.#random.next() * tookMs, kill);
    };
  }

  #partition(): void {
    const { network, swarm, trace, agenda, workers } = this.#world;
    const share = this.#random.pick([0.3, 0.7, 1]);
    const ms = this.#random.between(0.5, 3) * swarm.ttlMs;
    trace.add(agenda.nowMs, 'network', 'PARTITION', `${share} of the workers for ${ms.toFixed(0)} ms`);
    for (const worker of workers()) if (this.#random.chance(share)) network.cutOff(worker, ms);
  }

  #fillDisk(): void {
    const { store, trace, agenda } = this.#world;
    trace.add(agenda.nowMs, 'disk', 'FULL');
    store().isFull = true;
    agenda.after(this.#random.between(300, 4_000), () => {
      trace.add(agenda.nowMs, 'disk', 'FREE');
      store().isFull = false;
    });
  }
}
