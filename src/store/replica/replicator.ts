/**
 * Follows the stream or leads it, by turns, as long as the process lives:
 *
 *   look at the history ─► follow ─► the lease is free, and all of the stream is applied ─► publish the term ─► lead
 *          ▲                                                                                              │
 *          └────────────── another server has published, or the engine has not answered for too long ◄────┘
 *
 * The engine decides nothing but the order of messages: the server that publishes behind the last one leads.
 */
import { CodedError } from '../../base/errors.ts';
import type { Reader } from '../kv/store.ts';
import { compareHistory } from './compare-history.ts';
import { type Engine, EngineError } from './engine.ts';
import type { FrameKind } from './frame.ts';
import type { Group, History } from './history.ts';
import { DivergedError, Intake } from './intake.ts';
import { Lease, type LeaseValue } from './lease.ts';
import { ANNOUNCE_EVERY_MS, Members } from './members.ts';
import { Publisher, UNANSWERED_MS } from './publisher.ts';
import { CUT_OFF_MS, type ReplicaView } from './replica-view.ts';
import type { Seal } from './seal.ts';
import type { ReplicaPeer } from './status.ts';
import { StreamFollower } from './stream-follower.ts';
import type { Slice } from './whole-database.ts';

const POLL_MS = 500;
const RENEW_EVERY_MS = 1_000;
/** Applying what has arrived lets timers and clients have their turn after so long. */
const TURN_MS = 20;
const LEASE_LOST = 'another server has the lease';
const PART_ONLY = 'all of its data yet; if it has stopped, start it again';

export interface ReplicatorHost {
  readonly history: History;
  readonly reader: Reader;
  readonly view: ReplicaView;
  readonly seals: { readonly stream: Seal; readonly lease: Seal };
  /** See ReplicaOptions. */
  readonly gatheringMs?: number | undefined;
  monotonicMs(): number;
  wallMs(): number;
  after(ms: number, run: () => void): () => void;
  soon(run: () => void): void;
  /** Makes the group durable here. Throws where the disk does. */
  apply(group: Group): Promise<void>;
  /** The database before it was one of a cluster's: it holds jobs or nodes. */
  hasData(): boolean;
  /** The database was emptied, and not filled to its end. */
  isEmptied(): boolean;
  /** This server leads from now on; what it commits goes through `propose`. */
  lead(): void;
  /** It does not any more; what is in flight has failed. */
  leadNoMore(): void;
  /** What the cluster begins with: payloads of `writes` and `log`, for the first leader of an empty stream. */
  seed(): AsyncIterable<Slice>;
  /** The server that is publishing what the cluster begins with, and has not ended: only it may lead. Null: there is none. */
  seeder(): ReplicaPeer | null;
  /** Empties the database, and fills it from the newest snapshot if there is one. */
  restart(reason: string): Promise<void>;
  warn(text: string): void;
  info(text: string): void;
  /** Writes that note the members of the cluster. */
  memberRow(ids: readonly string[]): Uint8Array;
}

export class Replicator {
  readonly #host: ReplicatorHost;
  readonly #engine: Engine;
  readonly #lease: Lease;
  readonly #members: Members;
  readonly #pause: Pause;
  #publisher: Publisher | null = null;
  #hasSeenLeader = false;
  #isClosed = false;
  #ended: Promise<void> = Promise.resolve();
  #endAnnouncing: () => void = () => {};
  #hasWarned = false;
  #turnBegan = 0;

  constructor(host: ReplicatorHost, engine: Engine) {
    this.#host = host;
    this.#engine = engine;
    const { seals, reader, view, monotonicMs, gatheringMs } = host;
    this.#pause = new Pause(host.after);
    this.#lease = new Lease(engine, seals.lease, monotonicMs);
    this.#members = new Members(view.self.id, engine, seals.lease, reader, monotonicMs, gatheringMs);
  }

  start(): void {
    this.#announce();
    this.#ended = this.#run();
  }

  /** See Publisher.propose. Only a leader that can reach the engine takes it. */
  propose(kind: FrameKind, payload: Uint8Array): Promise<number> {
    if (!this.#publisher || !this.isOpen) return Promise.reject(new CodedError('notLeader'));
    return this.#publisher.propose(kind, payload);
  }

  get isOpen(): boolean {
    const { view, monotonicMs } = this.#host;
    return view.isLeading && view.silentMs(monotonicMs()) < CUT_OFF_MS;
  }

  /** Number of a message that the leader publishes after this call. */
  barrier(): Promise<number> {
    if (this.#host.view.isLeading) return this.propose('barrier', new Uint8Array(0));
    return this.#engine.askBarrier().catch(() => Promise.reject(new CodedError('notLeader')));
  }

  /** Lets go of the lease, so that another server need not wait for its end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endAnnouncing();
    this.#pause.end();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        this.#host.view.looksAgain(this.#host.history.position.sequence);
        await compareHistory(this.#engine, this.#host, (last) => this.#hears(last));
        if (await this.#follow()) await this.#lead();
      } catch (error) {
        await this.#meet(error);
      }
    }
  }

  async #meet(error: unknown): Promise<void> {
    if (error instanceof DivergedError) {
      this.#host.warn(`${error.message}; its database is put aside, and made again from the cluster’s`);
      await this.#host.restart(error.message).catch((fault: unknown) => this.#host.warn(String(fault)));
    } else {
      const text = error instanceof Error ? error.message : String(error);
      // Over and over while the engine is away, and with one text or another: told once.
      this.#warnOnce(`cannot follow the cluster: ${text}; it is tried again`);
    }
    await this.#pause.for(POLL_MS);
  }

  #warnOnce(text: string): void {
    if (!this.#hasWarned) this.#host.warn(text);
    this.#hasWarned = true;
  }

  /** True when this server has the lease and all of the stream. */
  async #follow(): Promise<boolean> {
    const { history, seals } = this.#host;
    const intake = new Intake(seals.stream, history.position);
    const following = new StreamFollower(this.#engine, intake, {
      heard: (last) => this.#hears(last),
      apply: (group) => this.#apply(group),
    });
    try {
      while (!this.#isClosed) {
        await following.keep();
        if (await this.#mayLead(intake)) {
          await following.stop();
          const { sequence, digest, unfinished } = intake;
          if (await this.#take({ sequence, digest, unfinished })) return true;
        }
        await this.#pause.for(POLL_MS);
      }
      return false;
    } finally {
      await following.stop().catch(() => {});
    }
  }

  /** Reads the lease, and whether it is for this server to take. */
  async #mayLead(intake: Intake): Promise<boolean> {
    const { view, history, monotonicMs } = this.#host;
    if (await this.#lease.look()) this.#hasSeenLeader ||= this.#lease.value?.isReleased === false;
    this.#heard();
    const { value } = this.#lease;
    const isFree = this.#lease.isFree(view.self.id);
    view.hasLeader(isFree ? null : value);
    if (value) view.knowsLast(value.last, monotonicMs());
    if (!isFree) {
      view.hasApplied(history.position.sequence, monotonicMs());
      return false;
    }
    const { last } = await this.#engine.bounds();
    view.knowsLast(last, monotonicMs());
    if (intake.sequence > last) throw new EngineError('superseded', 'the stream has lost its end');
    if (intake.sequence < last) return false;
    const seeder = this.#host.seeder();
    // Nobody else leads over a part of what the cluster begins with.
    const isPart = seeder !== null && seeder.id !== view.self.id;
    if (isPart) this.#warnOnce(`the cluster waits for ${seeder.url}, which has not published ${PART_ONLY}`);
    return !isPart && this.#members.mayLead(last, this.#host.hasData(), this.#hasSeenLeader);
  }

  #take(from: ConstructorParameters<typeof Publisher>[2]): Promise<boolean> {
    const { history, view } = this.#host;
    const term = Math.max(history.position.term, this.#lease.value?.term ?? 0) + 1;
    this.#publisher = new Publisher(this.#publisherHost(), term, from);
    return this.#lease.write({ peer: view.self, term, last: from.sequence, isReleased: false });
  }

  #publisherHost(): ConstructorParameters<typeof Publisher>[0] {
    const { seals, view, monotonicMs, wallMs, after, warn } = this.#host;
    return {
      engine: this.#engine,
      seal: seals.stream,
      monotonicMs,
      wallMs,
      after,
      apply: async (group) => {
        this.#heard();
        await this.#apply(group);
      },
      counted: (what) => view.count(what),
      ended: (reason) => {
        if (view.isLeading) {
          warn(`this server does not lead any more: ${reason}`);
          view.leads(null);
          this.#host.leadNoMore();
        }
        this.#pause.end();
      },
    };
  }

  async #lead(): Promise<void> {
    const { view, info } = this.#host;
    const publisher = this.#publisher as Publisher;
    const value = this.#lease.value as LeaseValue;
    const begins = publisher.sequence === 0 || this.#host.seeder()?.id === view.self.id;
    let endBarriers = (): void => {};
    let reason = LEASE_LOST;
    try {
      if (begins) await this.#seed(publisher, value);
      await publisher.propose('term', Buffer.from(JSON.stringify(view.self)));
      this.#hasSeenLeader = true;
      view.leads(value);
      this.#host.lead();
      info(`this server leads the cluster, term ${value.term}`);
      endBarriers = this.#engine.answerBarriers(() => this.barrier());
      while (view.isLeading && !this.#isClosed && (await this.#renew(value))) {
        const ids = this.#members.toNote();
        if (ids) await publisher.propose('writes', this.#host.memberRow(ids));
        await this.#pause.for(RENEW_EVERY_MS);
      }
      if (this.#isClosed) reason = 'it stops';
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    } finally {
      endBarriers();
      const wasLeading = view.isLeading;
      await publisher.end(reason);
      this.#publisher = null;
      if (this.#isClosed && wasLeading)
        await this.#lease
          .write({ ...value, last: this.#host.history.position.sequence, isReleased: true })
          .catch(() => {});
    }
  }

  /** It takes minutes where there is much: the lease is kept meanwhile. Begun again from the front, it does no harm. */
  async #seed(publisher: Publisher, value: LeaseValue): Promise<void> {
    for await (const { kind, payload } of this.#host.seed()) {
      await publisher.propose(kind, payload);
      if (this.#isClosed) throw new Error('it stops');
      if (this.#lease.ageMs >= RENEW_EVERY_MS && !(await this.#renew(value))) throw new Error(LEASE_LOST);
    }
  }

  /** False where another server has the lease, or the engine has not answered for too long. */
  async #renew(value: LeaseValue): Promise<boolean> {
    const { view, monotonicMs } = this.#host;
    try {
      const renewed = { ...value, peer: view.self, last: this.#host.history.position.sequence };
      let isHeld = await this.#lease.write(renewed);
      // An answer that was lost leaves another revision: the next one is written from there.
      if (!isHeld) {
        await this.#lease.look();
        isHeld = this.#lease.value?.peer.id === view.self.id;
      }
      this.#heard();
      return isHeld;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      return view.silentMs(monotonicMs()) < UNANSWERED_MS;
    }
  }

  async #apply(group: Group): Promise<void> {
    const { view, monotonicMs, soon } = this.#host;
    await this.#host.apply(group);
    this.#hasWarned = false;
    view.hasApplied(group.frames.at(-1)?.sequence ?? 0, monotonicMs());
    view.count('appliedGroups');
    if (monotonicMs() - this.#turnBegan < TURN_MS) return;
    await new Promise<void>((resolve) => soon(resolve));
    this.#turnBegan = monotonicMs();
  }

  #announce(): void {
    if (this.#isClosed) return;
    this.#members.announce(this.#engine, this.#host.history.position.sequence, this.#host.hasData());
    this.#endAnnouncing = this.#host.after(ANNOUNCE_EVERY_MS, () => this.#announce());
  }

  #hears(last: number): void {
    this.#heard();
    this.#host.view.knowsLast(last, this.#host.monotonicMs());
  }

  #heard(): void {
    this.#host.view.engineAnswered(this.#host.monotonicMs());
  }
}

/** A pause that ends early when this server stops, or does not lead any more. */
class Pause {
  readonly #after: ReplicatorHost['after'];
  #end: () => void = () => {};

  constructor(after: ReplicatorHost['after']) {
    this.#after = after;
  }

  for(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const endTimer = this.#after(ms, resolve);
      this.#end = () => {
        endTimer();
        resolve();
      };
    });
  }

  end(): void {
    this.#end();
  }
}
