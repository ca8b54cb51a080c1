/**
 * Composition root of the server: builds the parts in the order in which they need each other, and stops them in reverse.
 *
 *   folder claim ─ configuration ─ logs ─ writer ─ settings, catalogue ─ pool ─ shards ─ listener ─ housekeeping
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { MessagePort, Worker } from 'node:worker_threads';
import { aggregatorAddress, type CloseReply, type OpenPart } from './actors/aggregator/messages.ts';
import { AuditLog } from './actors/audit/audit-log.ts';
import { Catalogue } from './actors/catalogue/catalogue.ts';
import { DefinitionKeeper } from './actors/housekeeping/definition-keeper.ts';
import { Housekeeping, type HousekeepingHost } from './actors/housekeeping/housekeeping.ts';
import { SeriesKeeper } from './actors/housekeeping/series-keeper.ts';
import type { Write } from './actors/runtime/behaviour.ts';
import { type GivenSeeds, loadConfig } from './actors/settings/load-config.ts';
import { LogPart } from './actors/settings/log-part.ts';
import { Settings, type SettingsHost } from './actors/settings/settings.ts';
import { sendFeed } from './actors/thread/log-feed-port.ts';
import { MainPulse } from './actors/thread/main-pulse.ts';
import { MainWriter } from './actors/thread/main-writer.ts';
import { shardOf } from './actors/thread/placement.ts';
import { threadRim } from './actors/thread/rim.ts';
import { Transferred } from './actors/thread/rpc.ts';
import { ShardSupervisor } from './actors/thread/shard-supervisor.ts';
import type { SharedState } from './actors/thread/shared-state.ts';
import { SharedStats } from './actors/thread/shared-stats.ts';
import { systemClock } from './base/clock.ts';
import { CodedError } from './base/errors.ts';
import { watchEventLoop } from './base/event-loop-watch.ts';
import type { Logger } from './base/log.ts';
import { MetricRegistry, mergeSnapshots, renderPrometheus } from './base/metrics.ts';
import { SharedBudget } from './base/shared-budget.ts';
import { Identity } from './gateway/identity/identity.ts';
import { Listener, withPort } from './gateway/listener.ts';
import { ListenerPart } from './gateway/listener-part.ts';
import type { LogName, MainServices, PairFiles, Readiness, ShardControl, TlsFiles } from './gateway/services.ts';
import { uwsVersion } from './gateway/uws.ts';
import { type Config, settingsOf } from './protocol/config.ts';
import type { AuditEntry } from './store/audit-record.ts';
import { ConfigFile } from './store/config-file.ts';
import { closeSecretFiles } from './store/file-modes.ts';
import { type ControlAnswer, type ControlCommand, FolderClaim } from './store/folder-claim.ts';
import { makeFolders } from './store/folders.ts';
import { openLmdbReader } from './store/lmdb-store.ts';
import { logBaseTable } from './store/log-bases.ts';
import type { LogSource } from './store/log-feed.ts';
import { LogRoots } from './store/log-roots.ts';
import { NodeLogFiles } from './store/node-log-files.ts';
import type { Reader } from './store/store.ts';
import { Pool } from './workers/pool.ts';

export interface ServerOptions {
  readonly dataFolder: string;
  readonly logFolder: string;
  /** Seeds a new configuration; a stored one wins. */
  readonly addr: string;
  /** Whether somebody asked for this address, and should hear that another one is used. */
  readonly given: GivenSeeds;
  /** Folders beside the log folder in which `log.file` may be. */
  readonly logRoots: readonly string[];
  readonly staticFolder: string;
  readonly shards: number;
  readonly workers: number;
  /** The process cannot go on; the caller ends it. */
  readonly onGiveUp: () => void;
}

const STOP_MS = 10_000;

export class Server {
  readonly log: Logger;
  readonly #options: ServerOptions;
  readonly #claim: FolderClaim;
  readonly #logs: LogPart;
  readonly #writerThread: Worker;
  readonly #reader: Reader;
  readonly #stats: SharedStats;
  readonly #pulse: MainPulse;
  readonly #metrics = new MetricRegistry();
  readonly #pool: Pool;
  readonly #nodeLogs: NodeLogFiles;
  readonly #catalogue: Catalogue;
  readonly #identity: Identity;
  readonly #settings: Settings;
  readonly #listener: Listener;
  readonly #listenerPart: ListenerPart;
  readonly #housekeeping: Housekeeping;
  #shards: ShardSupervisor<ShardControl> | undefined;

  /** Resolves when the server answers. Throws a sentence for the operator. */
  static async start(options: ServerOptions): Promise<Server> {
    await makeFolders(join(options.dataFolder, 'db'), 0o700);
    await makeFolders(join(options.logFolder, 'nodes'), 0o750);
    const modeWarnings = await closeSecretFiles(options.dataFolder);
    const claim = await FolderClaim.take(options.dataFolder);
    try {
      return await Server.#build(options, claim, modeWarnings);
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  static async #build(options: ServerOptions, claim: FolderClaim, modeWarnings: readonly string[]): Promise<Server> {
    const file = new ConfigFile(options.dataFolder);
    const selfMade = selfMadeFiles(options.dataFolder);
    const seeds = {
      addr: await withPort(options.addr),
      staticFolder: options.staticFolder,
      logFile: join(options.logFolder, 'cairn.log'),
      ...selfMade,
    };
    const loaded = await loadConfig(file, seeds, options.given);
    const roots = new LogRoots(options.logFolder, options.logRoots);
    const logFault = await roots.faultOf(loaded.config.log.file);
    const logs = new LogPart(loaded.config, roots);
    const databaseFolder = join(options.dataFolder, 'db');
    const stats = new SharedStats(options.shards);
    const writerThread = await ShardSupervisor.openWriter(databaseFolder, stats.buffer, options.shards);
    const server = await Server.#assemble(options, claim, file, loaded.config, logs, writerThread, stats);
    logs.log.info(
      { version: process.version, uWebSockets: uwsVersion, dataFolder: options.dataFolder, isNew: loaded.isNew },
      'starting',
    );
    for (const warning of [...modeWarnings, ...loaded.warnings]) logs.log.warn({}, warning);
    if (logFault !== undefined)
      logs.log.warn(
        { file: loaded.config.log.file },
        `log.file ${logFault}; it stays in use, and a change to another such file is refused`,
      );
    await server.#run();
    return server;
  }

  static async #assemble(
    options: ServerOptions,
    claim: FolderClaim,
    file: ConfigFile,
    config: Config,
    logs: LogPart,
    writerThread: Worker,
    stats: SharedStats,
  ): Promise<Server> {
    const writer = new MainWriter(ShardSupervisor.attachMain(writerThread));
    const reader = openLmdbReader(join(options.dataFolder, 'db'));
    const audit = new AuditLog({
      reader,
      clock: systemClock,
      log: logs.log,
      commit: (writes, events) => writer.commit(writes, undefined, events),
    });
    const commit = (writes: readonly Write[], entry?: AuditEntry): Promise<void> =>
      entry ? audit.commit(entry, writes) : writer.commit(writes);
    // Both tell the shards of a change, and are told to by the server that is being made here.
    const publisher: { publish: () => Promise<void> } = { publish: async () => {} };
    const host: SettingsHost = {
      file,
      reader,
      clock: systemClock,
      log: logs.log,
      commit: (writes, events, entry) =>
        entry ? audit.commit(entry, writes, events) : writer.commit(writes, undefined, events),
      publish: () => publisher.publish(),
    };
    const settings = await Settings.open(host, config);
    const catalogue = new Catalogue({
      reader,
      commit,
      nowMs: () => systemClock.wallMs(),
      publish: () => publisher.publish(),
    });
    const identity = await Identity.open({
      dataFolder: options.dataFolder,
      reader,
      clock: systemClock,
      log: logs.log,
      env: process.env,
      config: () => settings.config,
      commit: (entry, writes) => audit.commit(entry, writes),
      publish: () => publisher.publish(),
    });
    const server = new Server(options, claim, logs, writerThread, stats, writer, reader, settings, catalogue, identity);
    publisher.publish = () => server.#publish();
    return server;
  }

  private constructor(
    options: ServerOptions,
    claim: FolderClaim,
    logs: LogPart,
    writerThread: Worker,
    stats: SharedStats,
    writer: MainWriter,
    reader: Reader,
    settings: Settings,
    catalogue: Catalogue,
    identity: Identity,
  ) {
    this.#identity = identity;
    this.#options = options;
    this.#claim = claim;
    this.#logs = logs;
    this.log = logs.log;
    this.#writerThread = writerThread;
    this.#reader = reader;
    this.#settings = settings;
    this.#catalogue = catalogue;
    this.#stats = stats;
    this.#pulse = new MainPulse(stats, options.shards, threadRim);
    this.#pool = new Pool({ databaseFolder: join(options.dataFolder, 'db') }, options.workers);
    this.#nodeLogs = new NodeLogFiles(
      options.logFolder,
      logBaseTable(reader, (writes) => writer.commit(writes as readonly Write[])),
    );
    this.#listener = new Listener({
      open: (generation, tls) => this.#openOnShards(generation, tls),
      retire: async (generation) => {
        await Promise.all(this.#liveShards().map(([, control]) => control.retire(generation).catch(() => {})));
      },
    });
    this.#listenerPart = new ListenerPart(this.#listener, selfMadeFiles(options.dataFolder), this.log);
    this.#housekeeping = new Housekeeping({
      clock: systemClock,
      log: this.log,
      pool: this.#pool,
      config: () => settings.config,
      ask: (kind, id, message) => this.#ask(kind, id, message),
      keepSeries: this.#keepSeries(writer),
      removeNodeLogs: (nodeId) => this.#nodeLogs.removeNode(nodeId),
      sweepNodeLogs: (onFailure) => {
        const { perLogBytesMax, nodeLogBytesMax } = settingsOf(settings.config);
        return this.#nodeLogs.sweep(perLogBytesMax, nodeLogBytesMax, onFailure);
      },
    });
    settings.addPart(this.#logs);
    settings.addPart(this.#listenerPart);
    settings.addPart({ prepare: async () => ({ commit: () => this.#housekeeping.retime(), rollback: () => {} }) });
  }

  #keepSeries(writer: MainWriter): HousekeepingHost['keepSeries'] {
    const keeper = new SeriesKeeper({
      reader: this.#reader,
      nowMs: () => systemClock.wallMs(),
      answer: (task) => this.#pool.answer(task),
      close: async (partition, message) => (await this.#ask('aggregator', String(partition), message)) as CloseReply,
      open: async (message) => {
        const { kind, id } = aggregatorAddress(message.objectId);
        return (await this.#ask(kind, id, message)) as readonly OpenPart[];
      },
      commit: writer.commit.bind(writer),
    });
    const definitions = new DefinitionKeeper({
      catalogue: this.#catalogue,
      clock: systemClock,
      answer: (task) => this.#pool.answer(task),
      log: this.log,
    });
    return async (stopped, skip) => {
      try {
        await keeper.run(stopped, skip);
      } finally {
        await definitions.run(stopped);
      }
    };
  }

  get address(): string {
    return this.#listener.address ?? this.#settings.config.addr;
  }

  async #run(): Promise<void> {
    watchEventLoop(this.#metrics, 'main');
    this.#shards = await ShardSupervisor.start<ShardControl>(
      {
        shardCount: this.#options.shards,
        entry: new URL('./shard.js', import.meta.url),
        databaseFolder: join(this.#options.dataFolder, 'db'),
        stats: this.#stats.buffer,
        state: () => this.#sharedState(),
        services: (shard) => this.#servicesFor(shard),
        extraData: {
          logFolder: this.#options.logFolder,
          limits: { buffer: SharedBudget.newBuffer(), salt: randomUUID() },
        },
        clock: systemClock,
        log: this.log,
        onRestarted: (shard, control) => this.#shardIsBack(shard, control),
        onGiveUp: this.#options.onGiveUp,
      },
      this.#writerThread,
    );
    await this.#listenerPart.start(this.#settings.config);
    this.#pulse.start();
    this.#claim.onCommand((command) => this.#control(command));
    this.#housekeeping.start();
    this.log.info({ addr: this.address, shards: this.#options.shards, workers: this.#options.workers }, 'ready');
  }

  /** Stops listening, finishes what is in flight (10 s at most), flushes. */
  async stop(): Promise<void> {
    this.log.info({}, 'stopping');
    this.#pulse.stop();
    this.#housekeeping.stop();
    this.#identity.stop();
    this.#listenerPart.stop();
    this.#listener.close();
    await this.#shards?.stop([
      (control) => control.stopIntake(),
      (control) => control.drain(STOP_MS),
      (control) => control.stop(),
    ]);
    await this.#pool.close();
    await this.#reader.close();
    this.log.info({}, 'stopped');
    await this.#logs.close();
    await this.#claim.release();
  }

  async crashShard(shard: number): Promise<void> {
    await this.#shards?.control(shard).crash();
  }

  #liveShards(): (readonly [shard: number, control: ShardControl])[] {
    return this.#shards?.controls() ?? [];
  }

  #sharedState(): SharedState {
    const { config, version: configVersion } = this.#settings;
    return { config, configVersion, definitions: this.#catalogue.list, identity: this.#identity.state };
  }

  async #publish(): Promise<void> {
    const state = this.#sharedState();
    // A shard that is restarting gets the state when it is up.
    await Promise.all(this.#liveShards().map(([, control]) => control.update(state).catch(() => {})));
  }

  async #openOnShards(generation: number, tls: TlsFiles | null): Promise<ReadonlyMap<number, number>> {
    const opened = await Promise.all(
      this.#liveShards().map(async ([shard, control]) => [shard, await control.open(generation, tls)] as const),
    );
    return new Map(opened);
  }

  async #shardIsBack(shard: number, control: ShardControl): Promise<void> {
    await control.update(this.#sharedState());
    await this.#listener.addShard(shard, (generation, tls) => control.open(generation, tls));
    this.log.info({ shard }, 'the shard is back');
  }

  #ask(kind: string, id: string, message: { readonly type: string }): Promise<unknown> {
    const shard = shardOf({ kind, id }, this.#options.shards);
    return this.#shards?.control(shard).ask(kind, id, message) ?? Promise.reject(new CodedError('overloaded'));
  }

  #servicesFor(shard: number): MainServices {
    return {
      changeConfig: (form, entries, author) => this.#settings.change(form, entries, author),
      enableIdp: async (idp, author) => {
        await this.#settings.changeIdp(await this.#identity.checked(idp), author);
      },
      disableIdp: (author) =>
        this.#settings.changeIdp({ ...this.#settings.config.security.idp, enabled: false }, author),
      seekIdpKey: (kid) => this.#identity.seekIdpKey(kid),
      makeNodeToken: (request, author) => this.#identity.makeNodeToken(request, author),
      ownNodeToken: (nodeId) => this.#identity.ownNodeToken(nodeId),
      revokeNodeTokens: (nodeId, author) => this.#identity.revokeNodeTokens(nodeId, author),
      rotateNodeKey: (revokeOld, author) => this.#identity.rotateNodeKey(revokeOld, author),
      define: (definition, onlyNew, author) => this.#catalogue.define(definition, onlyNew, author),
      appendNodeLog: (nodeId, path, offset, bytes) => {
        const { perLogBytesMax, nodeLogBytesMax } = settingsOf(this.#settings.config);
        return this.#nodeLogs.append({ nodeId, path }, offset, bytes, perLogBytesMax, nodeLogBytesMax);
      },
      locateLog: async (log, position) => this.#logSource(log).locate(position),
      followLog: async (log, port) => sendFeed(this.#logSource(log).feed, port),
      answer: async (task) => handedOver(await this.#pool.answer(task)),
      stream: (task, port: MessagePort) => this.#pool.stream(task, port),
      metricsText: () => this.#metricsText(),
      readiness: async () => this.#readiness(),
      writeLog: async (lines) => this.#logs.writeServer(lines),
      writeAccessLog: async (lines) => this.#logs.writeAccess(lines),
      dying: async (lock) => {
        this.#listener.removeShard(shard);
        Atomics.store(lock, 0, 1);
        Atomics.notify(lock, 0);
      },
    };
  }

  #logSource({ file, node }: LogName): LogSource {
    const source = node ? this.#nodeLogs.source(node) : this.#logs.source(file);
    if (!source) throw new CodedError('notFound');
    return source;
  }

  async #metricsText(): Promise<string> {
    const parts = await Promise.all(this.#liveShards().map(([, control]) => control.metrics()));
    this.#metrics.gauge('cairn_series', 'Metric series that exist').set(this.#stats.seriesCount);
    this.#metrics.gauge('cairn_pool_waiting', 'Tasks that wait for a pool thread').set(this.#pool.waiting);
    this.#metrics.counter('cairn_shard_restarts_total', 'Shard threads started again after a crash').value =
      this.#shards?.restarts ?? 0;
    const lost = 'Records at the beginning of the event log that could not be read, and were removed';
    this.#metrics.counter('cairn_event_records_lost_total', lost).value = this.#shards?.unreadableEvents ?? 0;
    return renderPrometheus(mergeSnapshots([this.#metrics.snapshot(), ...parts]));
  }

  #readiness(): Readiness {
    const reasons: string[] = [];
    const live = this.#liveShards().length;
    if (live < this.#options.shards)
      reasons.push(`${this.#options.shards - live} of ${this.#options.shards} shards restart`);
    const { held, running } = this.#stats.totals();
    if (held > 0) {
      reasons.push(
        `${held} of ${running} nodes fell silent at once: the fault may be on this side, so they are not declared lost for one more node.ttl`,
      );
    }
    if (this.#stats.isFailing)
      reasons.push('the last writes failed (a full disk?): changes are refused until there is room, reads go on');
    const absent = this.#pulse.absent();
    if (absent.length > 0)
      reasons.push(`${absent.join(', ')} cannot take heartbeats now: no node is declared lost until it can`);
    return { ready: live > 0, reasons };
  }

  /** Commands of the data folder's owner, over the socket in it. */
  async #control({ command }: ControlCommand): Promise<ControlAnswer> {
    if (command !== 'idp-disable') return { ok: false, message: `unknown command ${command}` };
    await this.#settings.changeIdp(
      { ...this.#settings.config.security.idp, enabled: false },
      { name: 'cairn idp disable', from: 'control socket' },
    );
    return { ok: true, message: 'the identity provider is disabled' };
  }
}

function selfMadeFiles(dataFolder: string): PairFiles {
  return { certFile: join(dataFolder, 'tls', 'server.crt'), keyFile: join(dataFolder, 'tls', 'server.pem') };
}

/** Bytes of an answer go on to the shard as they came from the pool, without a copy. */
function handedOver<T>(answer: T): T {
  if (!(answer instanceof Uint8Array) || answer.byteLength !== answer.buffer.byteLength) return answer;
  return new Transferred(answer, [answer.buffer as ArrayBuffer]) as unknown as T;
}
