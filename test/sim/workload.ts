/** Workers that register, beat, fall silent and come back, and jobs that report: they only send, the auditor keeps the truth. */

import { jobAddress } from '../../src/actors/job/messages.ts';
import { EXCUSE_MS } from '../../src/actors/node/liveness-clock.ts';
import { nodeAddress } from '../../src/actors/node/messages.ts';
import { ASK_DEADLINE_MS } from '../../src/actors/runtime/address.ts';
import type { Failure } from '../../src/base/errors.ts';
import type { Random } from '../../src/base/random.ts';
import { factsOf } from '../../src/protocol/node.ts';
import { formatTimestampMs } from '../../src/protocol/timestamp.ts';
import type { Agenda } from './agenda.ts';
import type { Auditor, NodeTruth } from './auditor.ts';
import type { Network } from './network.ts';
import type { Call, Connection, SimServer, SimShard } from './sim-server.ts';
import type { Swarm } from './swarm.ts';
import type { Trace } from './trace.ts';

export interface WorkloadWorld {
  readonly agenda: Agenda;
  readonly auditor: Auditor;
  readonly network: Network;
  readonly trace: Trace;
  readonly swarm: Swarm;
  server(): SimServer;
  wallMs(): number;
}

type Reply = (failure: Failure | null, value: unknown) => void;

interface Request {
  readonly what: string;
  /** A sign of life of this node. */
  readonly sign: NodeTruth | null;
  serve(shard: SimShard, reply: Reply): void;
  /** Told by the server, whether the sender hears it or not. */
  handled(failure: Failure | null, value: unknown): void;
  heard(failure: Failure | null, value: unknown): void;
}

const REFUSED: Failure = { name: 'overloaded', detail: 'connection refused' };
const NOT_FOUND: Failure = { name: 'notFound' };
const METRIC = 'cpuPercent';

/** Sends a request; every copy that arrives is a call of its own. */
function send(world: WorkloadWorld, who: string, connection: Connection, request: Request): void {
  const { network, trace, agenda } = world;
  network.carry(who, () => {
    const call = new ArrivedCall(world, who, request);
    if (world.server().accept(connection, call)) call.arrived();
    else network.carry(who, () => request.heard(REFUSED, undefined));
  });
  trace.add(agenda.nowMs, who, `send`, request.what);
}

class ArrivedCall implements Call {
  readonly #world: WorkloadWorld;
  readonly #who: string;
  readonly #request: Request;
  #isOver = false;

  constructor(world: WorkloadWorld, who: string, request: Request) {
    this.#world = world;
    this.#who = who;
    this.#request = request;
  }

  arrived(): void {
    if (!this.#isOver) this.#request.sign?.waiting.set(this, this.#world.agenda.nowMs);
  }

  serve(shard: SimShard): void {
    const { network, trace, agenda } = this.#world;
    trace.add(agenda.nowMs, shard.thread.name, 'serve', `${this.#who} ${this.#request.what}`);
    this.#request.serve(shard, (failure, value) => {
      shard.calls.delete(this);
      if (this.#isOver) return;
      this.#end(failure === null);
      if (failure && failure.name !== 'notFound') this.#excuse();
      trace.add(agenda.nowMs, shard.thread.name, 'reply', `${this.#who} ${failure ? failure.name : 'ok'}`);
      this.#request.handled(failure, value);
      network.carry(this.#who, () => this.#request.heard(failure, value));
    });
  }

  /** What was refused is no sign of life, but the time of refusals counts for nobody. */
  #excuse(): void {
    const { agenda, auditor } = this.#world;
    if (this.#request.sign && this.#request.what.startsWith('beat'))
      auditor.absences.push({ who: 'refusal', fromMs: agenda.nowMs, toMs: agenda.nowMs + EXCUSE_MS });
  }

  dropped(): void {
    if (!this.#isOver) this.#end(false);
  }

  #end(counts: boolean): void {
    this.#isOver = true;
    const { sign } = this.#request;
    if (!sign) return;
    const arrivedMs = sign.waiting.get(this);
    sign.waiting.delete(this);
    sign.perhapsHandledMs = this.#world.agenda.nowMs;
    if (counts && arrivedMs !== undefined) sign.arrivedMs = Math.max(sign.arrivedMs, arrivedMs);
  }
}

/** How long a worker waits before it tries again what must be acknowledged, and a beat that was refused. */
const AGAIN_MS = 700;

export class SimNode {
  readonly id: string;
  readonly #world: WorkloadWorld;
  readonly #random: Random;
  readonly #truth: NodeTruth;
  #connection: Connection = { shard: null };
  #told: number;
  #knows = false;
  #plan = 0;
  mode: 'beating' | 'silent' | 'leaving' | 'gone' = 'beating';
  isCalm = false;

  constructor(id: string, world: WorkloadWorld, random: Random) {
    this.id = id;
    this.#world = world;
    this.#random = random;
    this.#truth = world.auditor.node(id);
    this.#told = world.swarm.heartbeatMs;
    this.#after(random.next() * 2_000, () => this.#act());
  }

  /** Faults are over: who is silent or gone stays so, the others beat on. */
  settle(): void {
    this.isCalm = true;
    if (this.mode === 'silent' || this.mode === 'gone') this.#plan++;
  }

  #after(ms: number, run: () => void): void {
    const plan = ++this.#plan;
    this.#world.agenda.after(ms, () => {
      if (plan === this.#plan) run();
    });
  }

  #act(): void {
    const { swarm } = this.#world;
    if (this.mode === 'gone') return;
    if (this.mode === 'leaving') {
      this.#leave();
      return;
    }
    this.mode = 'beating';
    const seconds = this.#told / 1_000;
    if (!this.isCalm && this.#random.chance(swarm.silence * seconds)) {
      this.mode = 'silent';
      this.#after(this.#random.next() * 4 * swarm.ttlMs, () => this.#act());
      return;
    }
    if (!this.isCalm && this.#knows && this.#random.chance(swarm.farewell * seconds)) {
      this.mode = 'leaving';
      this.#leave();
      return;
    }
    if (this.#random.chance(swarm.reconnects)) this.#connection = { shard: null };
    if (this.#knows) {
      this.#after(this.#told, () => this.#act());
      this.#beat();
    } else {
      this.#after(AGAIN_MS, () => this.#act());
      this.#register();
    }
  }

  #register(): void {
    const truth = this.#truth;
    const version = ++truth.versionSent;
    const facts = factsOf(this.id, { cores: version });
    send(this.#world, this.id, this.#connection, {
      what: `register ${version}`,
      sign: truth,
      serve: ({ host }, reply) => {
        // Also where nobody hears of it: a copy that was late may undo a goodbye.
        truth.isGone = false;
        host?.request(nodeAddress(this.id), { type: 'register', facts } as never, ASK_DEADLINE_MS, reply);
      },
      handled: (failure, value) => {
        if (failure) return;
        truth.isRegistered = true;
        truth.isGone = false;
        truth.versionAcknowledged = Math.max(truth.versionAcknowledged, version);
        truth.toldMs = (value as { nextBeatMs: number }).nextBeatMs;
      },
      heard: (failure, value) => {
        if (failure || this.mode !== 'beating') return;
        this.#knows = true;
        this.#told = (value as { nextBeatMs: number }).nextBeatMs;
        this.#after(this.#told, () => this.#act());
      },
    });
  }

  #beat(): void {
    const truth = this.#truth;
    const carries = this.#random.chance(this.#world.swarm.beatsWithMetrics);
    const batched = this.#random.chance(0.2);
    const samples = carries ? [[METRIC, Math.floor(this.#world.wallMs()), 0, 1] as const] : [];
    send(this.#world, this.id, this.#connection, {
      what: carries ? 'beat with metrics' : 'beat',
      sign: truth,
      serve: ({ host }, reply) => {
        if (carries) truth.samplesServed++;
        // Alone, or as a batch as a relay sends it, with a stranger in it.
        if (!batched) host?.beats.one(this.id, samples, reply);
        else
          host?.beats.many(
            [
              { id: 'stranger', samples: [] },
              { id: this.id, samples },
            ],
            (failure, taken) => reply(failure ?? (taken.accepted === 1 ? null : NOT_FOUND), taken.nextBeatMs),
          );
      },
      handled: (failure, value) => {
        if (failure) return;
        truth.toldMs = value as number;
        if (carries) truth.samplesAcknowledged++;
      },
      heard: (failure, value) => {
        if (failure?.name === 'notFound') this.#knows = false;
        else if (!failure) this.#told = value as number;
        else if (this.mode === 'beating') this.#after(Math.min(this.#told, AGAIN_MS), () => this.#act());
      },
    });
  }

  #leave(): void {
    const truth = this.#truth;
    this.#after(AGAIN_MS, () => this.#act());
    const version = truth.versionSent;
    send(this.#world, this.id, this.#connection, {
      what: 'deregister',
      sign: null,
      serve: ({ host }, reply) =>
        host?.request(nodeAddress(this.id), { type: 'deregister' } as never, ASK_DEADLINE_MS, reply),
      handled: (failure) => {
        // A registration that is still on its way may undo it.
        truth.isGone = !failure && truth.versionAcknowledged === version && truth.versionSent === version;
      },
      heard: (failure) => {
        if (this.mode !== 'leaving' || (failure && failure.name !== 'notFound')) return;
        this.mode = 'gone';
        this.#knows = false;
        if (this.#random.chance(0.5))
          this.#after(this.#random.next() * 10_000, () => {
            this.mode = 'beating';
            this.#act();
          });
      },
    });
  }
}

/** A job's life: events one after the other, each repeated until it is acknowledged. */
export class SimJob {
  readonly id: string;
  readonly #world: WorkloadWorld;
  readonly #random: Random;
  readonly #connection: Connection = { shard: null };
  readonly #beganWallMs: number;
  #next = 0;
  isCalm = false;

  constructor(id: string, world: WorkloadWorld, random: Random) {
    this.id = id;
    this.#world = world;
    this.#random = random;
    this.#beganWallMs = world.wallMs();
    world.agenda.after(random.next() * 3_000, () => this.#act());
  }

  #act(): void {
    const events = ['Job-Creating', 'Job-Running', 'Job-Checkpointing', 'Job-CheckpointSucceeded', 'Job-Succeeded'];
    const eventType = events[this.#next % events.length] as string;
    const timestamp = formatTimestampMs(this.#beganWallMs + this.#next * 1_000);
    const truth = this.#world.auditor.job(this.id);
    truth.sent.add(timestamp);
    let again = true;
    send(this.#world, this.id, this.#connection, {
      what: `event ${this.#next}`,
      sign: null,
      serve: ({ host }, reply) => {
        truth.begun(timestamp);
        host?.request(
          jobAddress(this.id),
          { type: 'update', update: { id: this.id, queueName: 'q', events: [{ timestamp, eventType }] } } as never,
          ASK_DEADLINE_MS,
          reply,
        );
      },
      handled: (failure) => {
        if (!failure) truth.acknowledged.add(timestamp);
        if (failure?.name === 'overloaded') truth.refused(timestamp);
      },
      heard: (failure) => {
        if (failure || !again) return;
        again = false;
        this.#next++;
      },
    });
    if (!this.isCalm) this.#world.agenda.after(AGAIN_MS + this.#random.next() * 2_000, () => this.#act());
  }
}
