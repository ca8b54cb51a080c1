/** Three servers' replicators over a played engine, under faults; what was acknowledged is held against what all of them have. */
import assert from 'node:assert/strict';
import { ReplicatedCommit } from '../../../src/actors/shard/writer/replicated-commit.ts';
import { type Random, seededRandom } from '../../../src/base/random.ts';
import { textKey } from '../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../src/store/kv/memory-store.ts';
import { type PackedWrites, WriteBatch } from '../../../src/store/kv/write-batch.ts';
import { History, positionOf } from '../../../src/store/replica/history.ts';
import { MEMBERS_KEY } from '../../../src/store/replica/members.ts';
import { ReplicaView } from '../../../src/store/replica/replica-view.ts';
import { Replicator } from '../../../src/store/replica/replicator.ts';
import { Seal } from '../../../src/store/replica/seal.ts';
import { seederOf, seedOf } from '../../../src/store/replica/whole-database.ts';
import { Agenda } from '../agenda.ts';
import { EngineHandle, PlayedEngine } from './played-engine.ts';

const SERVERS = ['a', 'b', 'c'];
const CLIENT = -1;
const QUIET_MS = 60_000;
const SEALS = { stream: new Seal(null, 'sim', 'stream'), lease: new Seal(null, 'sim', 'lease') };

/** So large that to publish a thousand takes longer than a lease lasts. */
const ROW_BYTES = 1_400;

interface Server {
  readonly id: string;
  readonly store: MemoryStore;
  handle: EngineHandle;
  view: ReplicaView;
  replicator: Replicator;
  commit: ReplicatedCommit;
  restarts: number;
}

export interface Outcome {
  readonly acknowledged: number;
  readonly refused: number;
  readonly takeovers: number;
  readonly republished: number;
  readonly hash: string;
}

export class ReplicaWorld {
  readonly #agenda = new Agenda();
  readonly #random: Random;
  readonly #engine: PlayedEngine;
  readonly #servers: Server[];
  /** Key → sequence number; all that was acknowledged. */
  readonly #acknowledged = new Map<string, number>();
  /** Sequence number → digest of the history up to there, as the first server had it that applied it. */
  readonly #digests = new Map<number, string>();
  /** The highest number whose acknowledgement has been heard. */
  #heardThrough = 0;
  #refused = 0;
  #keys = 0;
  #republished = 0;
  /** Of any server that has run. */
  #takeovers = 0;
  readonly #rows: readonly string[];
  /** Neither writes nor faults any more. */
  #isQuiet = false;
  /** The last news, for who reads a failure. */
  readonly #news: string[] = [];
  readonly #surprises: string[] = [];

  /** `rows`: what the first server has before there is a cluster. */
  constructor(seed: number, rows = 0) {
    this.#random = seededRandom(seed);
    this.#engine = new PlayedEngine(this.#agenda, this.#random);
    this.#rows = Array.from({ length: rows }, (_, i) => `row-${i}`);
    this.#servers = SERVERS.map((id) => this.#boot(id, this.#newStore(id === SERVERS[0] ? this.#rows : [])));
  }

  async run(ms: number): Promise<Outcome> {
    this.#write();
    this.#fault();
    await this.#pass(ms);
    this.#heal();
    await this.#pass(QUIET_MS);
    this.#judge();
    const position = positionOf((this.#servers[0] as Server).store);
    return {
      acknowledged: this.#acknowledged.size,
      refused: this.#refused,
      takeovers: this.#takeovers,
      republished: this.#republished,
      hash: Buffer.from(position.digest).toString('hex').slice(0, 16),
    };
  }

  #newStore(rows: readonly string[]): MemoryStore {
    const store = new MemoryStore();
    store.commit(rows.map(rowOf));
    return store;
  }

  #boot(id: string, store: MemoryStore): Server {
    const handle = new EngineHandle(this.#engine);
    const history = new History(store);
    const now = (): number => this.#agenda.nowMs;
    const view = new ReplicaView({ id, url: `http://${id}`, fingerprint: null }, now());
    const commit = new ReplicatedCommit(store, {
      propose: (kind, payload) => replicator.propose(kind, payload),
      isOpen: () => replicator.isOpen,
    });
    const replicator: Replicator = new Replicator(
      {
        history,
        reader: store,
        view,
        seals: SEALS,
        monotonicMs: now,
        wallMs: now,
        after: (ms, run) => handle.later(run, ms),
        soon: (run) => void handle.later(run, 0),
        apply: async (group) => {
          history.commit(group);
          this.#noteDigest(id, history);
        },
        hasData: () => history.position.sequence === 0 && store.count('node') > 0,
        isEmptied: () => false,
        lead: () => {
          this.#takeovers++;
          commit.lead();
          commit.begin(CLIENT);
        },
        leadNoMore: () => commit.leadNoMore(),
        seed: () => seedOf(store, noLogs(), view.self),
        seeder: () => seederOf(store),
        restart: async (reason) => {
          this.#surprises.push(`${id} begins again at ${now()}: ${reason}`);
        },
        warn: (text) => {
          if (text.includes('published again')) this.#republished++;
          this.#note(id, text);
        },
        info: (text) => this.#note(id, text),
        memberRow: (ids) => {
          const batch = new WriteBatch();
          batch.put('meta', MEMBERS_KEY, textKey(JSON.stringify(ids)));
          return batch.seal();
        },
      },
      handle,
    );
    replicator.start();
    return { id, store, handle, view, replicator, commit, restarts: 0 };
  }

  /** Every server is asked to write, now and then a lot at once; those that do not lead refuse. */
  #write(): void {
    if (this.#isQuiet) return;
    for (const server of this.#servers) {
      if (!server.view.isLeading || server.commit.isFull) continue;
      for (let i = this.#random.int(4); i > 0; i--) this.#put(server);
    }
    this.#agenda.after(this.#random.between(5, 120), () => this.#write());
  }

  #put({ commit, store, restarts, id }: Server): void {
    const key = `key-${++this.#keys}`;
    const batch = new WriteBatch();
    const size = this.#random.chance(0.05) ? 7_000 : this.#random.int(200);
    batch.put('definition', textKey(key), new Uint8Array(size).fill(this.#keys % 251));
    const before = this.#heardThrough;
    const request = { client: CLIENT, epoch: this.#keys, number: this.#keys, writes: batch.seal(), messageBatches: [] };
    commit.commit([request], ([outcome]) => {
      if (outcome?.type !== 'durable') {
        this.#refused++;
        return;
      }
      const position = positionOf(store);
      assert.ok(position.sequence > before, `${id}.${restarts}: ${key} is before one that was acknowledged earlier`);
      assert.ok(store.get('definition', textKey(key)), `${id}: ${key} was acknowledged before it was applied`);
      this.#acknowledged.set(key, position.sequence);
      this.#heardThrough = Math.max(this.#heardThrough, position.sequence);
    });
  }

  #fault(): void {
    if (this.#isQuiet) return;
    const random = this.#random;
    const server = random.pick(this.#servers);
    const ms = random.between(200, 15_000);
    const kind = random.int(7);
    this.#note('-', `fault ${kind} ${server.id} ${Math.round(ms)}; the stream has ${this.#engine.last}`);
    if (kind === 0) this.#kill(server);
    else if (kind === 1) server.handle.pausedUntilMs = this.#agenda.nowMs + ms;
    else if (kind === 2) this.#part(server.handle, ms);
    else if (kind === 3) this.#engine.awayUntilMs = this.#agenda.nowMs + Math.min(ms, 9_000);
    else if (kind === 4) this.#lose(random.between(0, 0.2), ms);
    else if (kind === 5) this.#cutPower(random.int(8));
    // After a power cut the servers wait 15 s for each other, and no longer.
    const restMs = kind === 5 ? 25_000 : 500;
    this.#agenda.after(random.between(restMs, restMs + 11_500), () => this.#fault());
  }

  #kill(server: Server): void {
    server.handle.stop();
    const index = this.#servers.indexOf(server);
    const next = this.#boot(server.id, server.store);
    next.restarts = server.restarts + 1;
    this.#servers[index] = next;
  }

  #part(handle: EngineHandle, ms: number): void {
    handle.isParted = true;
    this.#agenda.after(ms, () => {
      handle.isParted = false;
    });
  }

  #lose(rate: number, ms: number): void {
    this.#engine.lossRate = rate;
    this.#agenda.after(ms, () => {
      this.#engine.lossRate = 0;
    });
  }

  /** All stop or those that lead, the engine loses its end, they start: what one of them has applied must come back. */
  #cutPower(count: number): void {
    const isOfAll = this.#random.chance(0.5);
    for (const server of [...this.#servers]) if (isOfAll || server.view.isLeading) this.#kill(server);
    this.#engine.loseTail(count);
  }

  #heal(): void {
    this.#engine.lossRate = 0;
    this.#engine.awayUntilMs = 0;
    this.#isQuiet = true;
    for (const { handle } of this.#servers) {
      handle.isParted = false;
      handle.pausedUntilMs = 0;
    }
  }

  async #pass(ms: number): Promise<void> {
    const untilMs = this.#agenda.nowMs + ms;
    while (this.#agenda.step(untilMs)) await settled();
  }

  #note(id: string, text: string): void {
    this.#news.push(`${Math.round(this.#agenda.nowMs)} ${id} ${text}`);
    if (this.#news.length > 40) this.#news.shift();
  }

  #noteDigest(id: string, { position: { sequence, digest } }: History): void {
    const hex = Buffer.from(digest).toString('hex');
    const known = this.#digests.get(sequence);
    if (known === undefined) this.#digests.set(sequence, hex);
    else assert.equal(hex, known, `${id} has another history at ${sequence}`);
  }

  #judge(): void {
    assert.deepEqual(this.#surprises, [], this.#news.join('\n'));
    for (const { id, view } of this.#servers) {
      const status = view.status(this.#agenda.nowMs);
      assert.notEqual(
        status.role,
        'catching-up',
        `${id} follows again: ${JSON.stringify(status)}\n${this.#news.join('\n')}`,
      );
      assert.equal(status.applied, this.#engine.last, `${id} has applied all of the stream`);
    }
    assert.equal(this.#servers.filter(({ view }) => view.isLeading).length, 1, 'one of them leads');
    for (const { id, store } of this.#servers) {
      const lacking = this.#rows.filter((row) => !store.get('node', textKey(row)));
      assert.deepEqual(lacking, [], `${id} has all that the cluster began with\n${this.#news.join('\n')}`);
      const missing = [...this.#acknowledged.keys()].filter((key) => !store.get('definition', textKey(key)));
      assert.deepEqual(missing, [], `${id} has all that was acknowledged`);
    }
  }
}

function rowOf(key: string): PackedWrites {
  const batch = new WriteBatch();
  batch.put('node', textKey(key), new Uint8Array(ROW_BYTES));
  return batch.seal();
}

async function* noLogs(): AsyncIterable<never> {}

/** Whatever follows from the last event without time passing has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
