/**
 * One process of the server: production's writer, shard hosts and pulses on simulated threads. What production's
 * composition root does with real threads (`server.ts`, `shard-supervisor.ts`, uWebSockets' acceptor) is played here:
 * start, connect, accept, start a crashed shard again.
 *
 *   the writer opens ─► main attaches ─► for each shard: attach, load, replay ─► all are ready: listen     (─► may take long)
 *
 * Fault model. A shard may crash between two tasks; its connections and what waited for it are gone, it is started again.
 * The whole process may be killed; a new one, maybe with another number of shards, finds the disk. A connection is
 * accepted by main and belongs to one shard until that shard ends. While nobody listens, connections are refused.
 */
import { logSignal } from '../../src/actors/node/signal-log.ts';
import type { Signal } from '../../src/actors/runtime/behaviour.ts';
import type { SystemBounds } from '../../src/actors/runtime/system-host.ts';
import { ShardHost } from '../../src/actors/shard/host/shard-host.ts';
import { MainWatchdog } from '../../src/actors/shard/stall/main-watchdog.ts';
import type { SharedState } from '../../src/actors/shard/wire/shared-state.ts';
import { SharedStats } from '../../src/actors/shard/wire/shared-stats.ts';
import { Writer } from '../../src/actors/shard/writer/writer.ts';
import { MAIN_CLIENT } from '../../src/actors/shard/writer/writer-messages.ts';
import type { Logger } from '../../src/base/log.ts';
import type { LogLevel } from '../../src/base/log-level.ts';
import { TICK_MS } from '../../src/base/stall-aware-clock.ts';
import { migrate } from '../../src/store/kv/schema.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';
import type { SimStore } from './sim-store.ts';
import { SimThread, type ThreadWorld } from './sim-thread.ts';

export interface ServerWorld extends ThreadWorld {
  readonly store: SimStore;
  state(): SharedState;
  logged(thread: string, level: LogLevel, fields: object, message: string): void;
  signalled(shard: number, signal: Signal): void;
  /** Promises of production code have to run before virtual time goes on. */
  awaits(promise: Promise<void>, then: () => void): void;
}

export interface SimShard {
  readonly index: number;
  readonly thread: SimThread;
  host: ShardHost | null;
  /** It has read its nodes and takes messages. */
  startedAtMs: number | null;
  isListening: boolean;
  /** Calls that wait for it or in it. */
  readonly calls: Set<Call>;
}

/** Something that came over a connection. */
export interface Call {
  serve(shard: SimShard): void;
  /** What it waited for is gone. */
  dropped(): void;
}

/** A client's connection; it is opened by its first call. */
export interface Connection {
  shard: SimShard | null;
}

const HOP_MS = 0.3;
const RESTART_DELAY_MS = 50;
/** A thread needs so long to load its code, at most. */
const LOAD_MS = 120;

export interface SimServerOptions {
  readonly shardCount: number;
  readonly bounds: SystemBounds;
  /** Plants a bug: main seems to listen whatever holds it. */
  readonly deafToMain: boolean;
  /** Plants a bug: the writer trims the journal by the shards that are there. */
  readonly hastyTrim: boolean;
  /** How long a start stands still between two of its steps, each time. */
  stallMs(): number;
}

export class SimServer {
  readonly stats: SharedStats;
  readonly main: SimThread;
  readonly writer: SimThread;
  readonly shards: SimShard[] = [];
  isListening = false;
  listeningSinceMs = 0;
  onListening: () => void = () => {};
  onShardStarted: (shard: SimShard) => void = () => {};
  readonly #world: ServerWorld;
  readonly #options: SimServerOptions;
  readonly #pulse: MainWatchdog;
  readonly #accepting = new Set<Call>();
  readonly #attached = new Set<number>();
  #writerCode: Writer | null = null;
  #next = 0;
  #killed = false;

  constructor(world: ServerWorld, options: SimServerOptions) {
    this.#world = world;
    this.#options = options;
    this.stats = new SharedStats(options.shardCount);
    this.main = new SimThread('main', world);
    this.writer = new SimThread('writer', world);
    this.#pulse = new MainWatchdog(this.stats, options.shardCount, this.main);
    world.store.onCommit = (tookMs) => this.writer.hold(tookMs);
    this.writer.take('io', () => {
      migrate(world.store, MIGRATIONS);
      const attached = this.#attached;
      this.#writerCode = new Writer(world.store, this.writer, {
        get shardCount() {
          return options.hastyTrim ? attached.size : options.shardCount;
        },
        pulse: () => this.stats.beat('writer'),
        countSeries: (count) => this.stats.setSeries(count),
        trimFailed: (what, { name }) => world.logged('writer', 'error', {}, `cannot trim ${what}: ${name}`),
        unreadableEvents: (count) => world.logged('writer', 'error', {}, `removed ${count} unreadable events`),
      });
      this.#after(0, () => this.main.take('io', () => this.#attachMain()));
    });
  }

  get threads(): readonly SimThread[] {
    return [this.main, this.writer, ...this.shards.map(({ thread }) => thread)];
  }

  get shardCount(): number {
    return this.#options.shardCount;
  }

  get isKilled(): boolean {
    return this.#killed;
  }

  /** Hands the call to a shard, at its own time; false where the connection is refused. */
  accept(connection: Connection, call: Call): boolean {
    if (!this.isListening || this.#killed) return false;
    const { shard } = connection;
    if (shard && !shard.thread.isEnded && this.shards[shard.index] === shard) {
      this.#toShard(shard, call);
      return true;
    }
    this.#accepting.add(call);
    this.main.take('io', () => {
      this.#accepting.delete(call);
      const open = this.shards.filter(({ isListening }) => isListening);
      const chosen = open[this.#next++ % Math.max(1, open.length)];
      if (!chosen) {
        call.dropped();
        return;
      }
      connection.shard = chosen;
      this.#world.agenda.after(HOP_MS, () => {
        if (chosen.thread.isEnded) call.dropped();
        else this.#toShard(chosen, call);
      });
    });
    return true;
  }

  /** Every shard is told of a new configuration. */
  publish(): void {
    const state = this.#world.state();
    this.main.take('io', () => {
      for (const shard of this.shards) this.#tell(shard, (host) => host.update(state));
    });
  }

  crash(index: number): void {
    const shard = this.shards[index];
    if (!shard || shard.thread.isEnded) return;
    shard.isListening = false;
    shard.thread.end();
    for (const call of shard.calls) call.dropped();
    shard.calls.clear();
    this.#world.agenda.after(RESTART_DELAY_MS, () => this.main.take('timers', () => this.#spawn(index)));
  }

  kill(): void {
    this.#killed = true;
    this.isListening = false;
    for (const thread of this.threads) thread.end();
    const calls = [...this.#accepting, ...this.shards.flatMap((shard) => [...shard.calls])];
    this.#accepting.clear();
    for (const shard of this.shards) shard.calls.clear();
    for (const call of calls) call.dropped();
  }

  #toShard(shard: SimShard, call: Call): void {
    shard.calls.add(call);
    shard.thread.take('io', () => call.serve(shard));
  }

  #tell(shard: SimShard, run: (host: ShardHost) => void): void {
    this.#world.agenda.after(HOP_MS, () => {
      shard.thread.take('io', () => {
        if (shard.host) run(shard.host);
      });
    });
  }

  /** Main is the writer's first client, before there is any shard. */
  #attachMain(): void {
    const { there } = this.main.connect(this.writer);
    this.#after(HOP_MS, () => this.writer.take('io', () => this.#writerCode?.attach(MAIN_CLIENT, there)));
    this.#after(0, () => this.main.take('timers', () => this.#spawnFrom(0)));
  }

  #spawnFrom(index: number): void {
    if (index === this.#options.shardCount) return;
    this.#spawn(index);
    this.#after(0, () => this.main.take('timers', () => this.#spawnFrom(index + 1)));
  }

  /** A step of a start: later than it would be, now and then. */
  #after(ms: number, run: () => void): void {
    this.#world.agenda.after(ms + this.#options.stallMs(), () => {
      if (!this.#killed) run();
    });
  }

  #spawn(index: number): void {
    const { random } = this.#world;
    const thread = new SimThread(`shard-${index}`, this.#world);
    const shard: SimShard = { index, thread, host: null, startedAtMs: null, isListening: false, calls: new Set() };
    this.shards[index] = shard;
    const { here, there } = thread.connect(this.writer);
    this.#after(HOP_MS, () =>
      this.writer.take('io', () => {
        // Main sends them in order: one of a thread that has crashed meanwhile never comes after its successor's.
        if (this.shards[index] !== shard) return;
        this.#writerCode?.attach(index, there);
        this.#attached.add(index);
      }),
    );
    this.#after(random.next() * LOAD_MS, () => {
      thread.take('io', () => {
        shard.host = new ShardHost(
          {
            index,
            shardCount: this.#options.shardCount,
            databaseFolder: '',
            writerPort: here,
            stats: this.stats.buffer,
            state: this.#world.state(),
            bounds: this.#options.bounds,
          },
          this.#logger(thread.name),
          { onSignal: (signal) => this.#signalled(shard, signal) },
          thread,
        );
        this.#world.awaits(shard.host.start(), () => this.#started(shard));
        this.main.take('io', () => this.#connect(shard));
      });
    });
  }

  #signalled(shard: SimShard, signal: Signal): void {
    logSignal(this.#logger(shard.thread.name), signal, this.#world.state().config.node.ttl);
    this.#world.signalled(shard.index, signal);
  }

  #connect(shard: SimShard): void {
    for (const other of this.shards) {
      if (other === shard || !other.host || other.thread.isEnded || shard.thread.isEnded) continue;
      const { here, there } = shard.thread.connect(other.thread);
      this.#tell(shard, (host) => host.connectPeer(other.index, here));
      this.#tell(other, (host) => host.connectPeer(shard.index, there));
    }
  }

  #started(shard: SimShard): void {
    if (shard.thread.isEnded) return;
    shard.startedAtMs = this.#world.agenda.nowMs;
    this.onShardStarted(shard);
    this.#world.agenda.after(2 * HOP_MS, () => {
      this.main.take('io', () => {
        if (shard.thread.isEnded) return;
        this.#tell(shard, (host) => host.update(this.#world.state()));
        shard.isListening = true;
        if (!this.isListening && this.#isComplete()) this.#listen();
      });
    });
  }

  #isComplete(): boolean {
    return this.shards.length === this.#options.shardCount && this.shards.every(({ isListening }) => isListening);
  }

  #listen(): void {
    this.isListening = true;
    this.listeningSinceMs = this.#world.agenda.nowMs;
    this.#pulse.start();
    if (this.#options.deafToMain) this.#beatForMain();
    this.onListening();
  }

  #beatForMain(): void {
    if (this.#killed) return;
    this.stats.beat('main');
    this.#world.agenda.after(TICK_MS, () => this.#beatForMain());
  }

  #logger(thread: string): Logger {
    const write = (level: LogLevel) => (fields: object, message: string) =>
      this.#world.logged(thread, level, fields, message);
    const logger: Logger = {
      trace: write('trace'),
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      fatal: write('fatal'),
      child: () => logger,
      setLevel: () => {},
    };
    return logger;
  }
}
