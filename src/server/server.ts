/**
 * Composition root of the server: builds the parts in the order in which they need each other, and stops them in reverse.
 *
 *   data directory lock ─ parts without shards ─ pool, node logs ─ listener ─ maintenance ─ shards
 */
import { randomUUID } from 'node:crypto';
import type { Write } from '../actors/runtime/behaviour.ts';
import { MainWatchdog } from '../actors/shard/stall/main-watchdog.ts';
import { ShardSupervisor } from '../actors/shard/supervisor/shard-supervisor.ts';
import type { SharedState } from '../actors/shard/wire/shared-state.ts';
import { threadPlatform } from '../actors/shard/wire/thread-platform.ts';
import { SharedBudget } from '../base/budget/shared-budget.ts';
import { systemClock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { CertificateRenewal } from '../control/acme/certificate-renewal.ts';
import type { Maintenance } from '../control/maintenance/maintenance.ts';
import { AgentPackages } from '../control/packages/agent-packages.ts';
import type { Settings } from '../control/settings/settings.ts';
import type { ShardControl } from '../gateway/api/services.ts';
import { Listener } from '../gateway/listener/listener.ts';
import { ListenerConfiguration } from '../gateway/listener/listener-configuration.ts';
import type { ControlAnswer, ControlCommand, DataDirectoryLock } from '../store/files/data-directory-lock.ts';
import { packLogChange } from '../store/logs/log-changes.ts';
import { logBaseTable } from '../store/logs/log-offsets.ts';
import { NodeLogFiles } from '../store/logs/node-log-files.ts';
import { Pool } from '../workers/pool.ts';
import { ServerDoctor } from './doctor.ts';
import { enterHouse, type House } from './house.ts';
import { LiveShards } from './live-shards.ts';
import { mainServicesFor } from './main-services.ts';
import { makeMaintenance } from './maintenance.ts';
import type { ServerOptions } from './options.ts';
import { databaseFolderOf, openParts, type ServerParts, selfMadeFiles } from './parts.ts';
import type { ClusterParts } from './replication.ts';
import { ServerStatus } from './status.ts';

const STOP_MS = 10_000;

export class Server {
  readonly log: Logger;
  readonly #options: ServerOptions;
  readonly #claim: DataDirectoryLock;
  /** Null where the server stands alone. */
  readonly #cluster: ClusterParts | null;
  readonly #parts: ServerParts;
  readonly #shards: LiveShards;
  readonly #pulse: MainWatchdog;
  readonly #pool: Pool;
  readonly #backgroundPool: Pool;
  readonly #nodeLogs: NodeLogFiles;
  readonly #listener: Listener;
  readonly #listenerConfiguration: ListenerConfiguration;
  /** Null where no authority is set. */
  readonly #renewal: CertificateRenewal | null;
  readonly #maintenance: Maintenance;
  readonly #status: ServerStatus;
  readonly #doctor: ServerDoctor;

  /** Resolves when the server answers. Throws a sentence for the operator. */
  static async start(options: ServerOptions): Promise<Server> {
    const house = await enterHouse(options);
    try {
      return await Server.#open(options, house, null);
    } catch (error) {
      await house.claim.release();
      throw error;
    }
  }

  /** The leader of a cluster, over a database that is up to date. House and writer stay when it stops. */
  static lead(options: ServerOptions, house: House, cluster: ClusterParts): Promise<Server> {
    return Server.#open(options, house, cluster);
  }

  static async #open(options: ServerOptions, house: House, cluster: ClusterParts | null): Promise<Server> {
    // The parts tell the shards of a change, which come after them.
    const publisher: { publish: () => Promise<void> } = { publish: async () => {} };
    const parts = await openParts(options, house.warnings, () => publisher.publish(), cluster?.writerParts);
    const server = new Server(options, house.claim, parts, cluster);
    publisher.publish = () => server.#shards.publish(server.#sharedState());
    try {
      await server.#run();
    } catch (error) {
      // A lone server's process ends. In a cluster the role may have changed meanwhile, and the other composition comes.
      if (cluster) await server.stop(0).catch(() => {});
      throw error;
    }
    return server;
  }

  private constructor(
    options: ServerOptions,
    claim: DataDirectoryLock,
    parts: ServerParts,
    cluster: ClusterParts | null,
  ) {
    const { logs, stats, writer, reader, settings } = parts;
    this.#options = options;
    this.#claim = claim;
    this.#cluster = cluster;
    this.#parts = parts;
    this.log = logs.log;
    this.#shards = new LiveShards(options.shards);
    this.#pulse = new MainWatchdog(stats, options.shards, threadPlatform);
    const databaseFolder = databaseFolderOf(options);
    this.#pool = new Pool({ databaseFolder, isBackground: false }, options.workers);
    this.#backgroundPool = new Pool({ databaseFolder, isBackground: true }, 1);
    this.#nodeLogs = new NodeLogFiles(
      options.logFolder,
      logBaseTable(reader, (writes) => writer.commit(writes as readonly Write[])),
      cluster && ((change) => writer.log(packLogChange(change))),
    );
    this.#listener = new Listener({
      open: (generation, tls) => this.#shards.open(generation, tls),
      retire: (generation) => this.#shards.retire(generation),
    });
    this.#listenerConfiguration = new ListenerConfiguration(
      this.#listener,
      selfMadeFiles(options.dataFolder),
      this.log,
      options.publicNames,
    );
    if (cluster)
      this.#listenerConfiguration.onServed = (address, tls) => cluster.onServed(address, tls?.certFile ?? null);
    this.#renewal = renewalFor(options, settings, this.log, () => this.#listenerConfiguration.reload());
    const replication = cluster?.replication ?? null;
    const made = { ...parts, shards: this.#shards, pool: this.#pool, nodeLogs: this.#nodeLogs, replication };
    this.#maintenance = makeMaintenance({ ...made, pool: this.#backgroundPool });
    const { dataFolder, logFolder } = options;
    this.#doctor = new ServerDoctor({ ...made, dataFolder, logFolder });
    this.#status = new ServerStatus({
      ...made,
      shardCount: options.shards,
      pulse: this.#pulse,
      dataFolder,
    });
    settings.addParticipant(logs);
    settings.addParticipant(this.#listenerConfiguration);
    settings.addParticipant({
      prepare: async () => ({ commit: () => this.#maintenance.retime(), rollback: () => {} }),
    });
  }

  get address(): string {
    return this.#listener.address ?? this.#parts.settings.config.addr;
  }

  async #run(): Promise<void> {
    const { stats, writerThread, settings } = this.#parts;
    const services = {
      ...this.#parts,
      pool: this.#pool,
      nodeLogs: this.#nodeLogs,
      listener: this.#listener,
      status: this.#status,
      doctor: this.#doctor,
      packages: new AgentPackages(this.#options.dataFolder, this.log),
      replication: this.#cluster?.replication ?? null,
    };
    this.#shards.run(
      await ShardSupervisor.start<ShardControl>(
        {
          shardCount: this.#options.shards,
          entry: new URL('./shard.js', import.meta.url),
          databaseFolder: databaseFolderOf(this.#options),
          stats: stats.buffer,
          state: () => this.#sharedState(),
          services: (shard) => mainServicesFor(shard, services),
          extraData: {
            logFolder: this.#options.logFolder,
            limits: { buffer: SharedBudget.newBuffer(), salt: randomUUID() },
            behind: this.#cluster?.replication.behind ?? null,
          },
          clock: systemClock,
          log: this.log,
          onRestarted: (shard, control) => this.#shardIsBack(shard, control),
          onGiveUp: this.#options.onGiveUp,
        },
        writerThread,
      ),
    );
    await this.#renewal?.setAsideExpired();
    await this.#listenerConfiguration.start(settings.config);
    void this.#renewal?.start();
    this.#pulse.start();
    this.#claim.onCommand((command) => this.#control(command));
    this.#maintenance.start();
    this.#parts.webhooks.start();
    this.log.info({ addr: this.address, shards: this.#options.shards, workers: this.#options.workers }, 'ready');
  }

  /** Stops listening, finishes what is in flight within the time, flushes. The writer and the folder of a cluster's server stay. */
  async stop(withinMs = STOP_MS): Promise<void> {
    const { identity, reader, logs, webhooks } = this.#parts;
    this.log.info({}, 'stopping');
    this.#pulse.stop();
    this.#maintenance.stop();
    await webhooks.stop();
    this.#doctor.stop();
    identity.stop();
    this.#renewal?.stop();
    this.#listenerConfiguration.stop();
    this.#listener.close();
    await this.#shards.stop(withinMs, this.#cluster !== null);
    await Promise.all([this.#pool.close(), this.#backgroundPool.close()]);
    await reader.close();
    this.log.info({}, 'stopped');
    await logs.close();
    if (!this.#cluster) await this.#claim.release();
  }

  /** Reads the certificates again, as they are looked at every few seconds anyway. */
  async reload(): Promise<void> {
    this.log.info({}, 'reading the certificates again');
    await this.#listenerConfiguration.reload();
  }

  /** Tells the shards of another state of the cluster. */
  async publishCluster(): Promise<void> {
    await this.#shards.publish(this.#sharedState());
  }

  crashShard(shard: number): Promise<void> {
    return this.#shards.crash(shard);
  }

  #sharedState(): SharedState {
    const { settings, metricDefinitions, identity, orders } = this.#parts;
    const { config, version: configVersion } = settings;
    const cluster = this.#cluster && { cluster: this.#cluster.replication.state };
    return {
      ...cluster,
      config,
      configVersion,
      definitions: metricDefinitions.list,
      identity: identity.state,
      orders: orders.byNode,
    };
  }

  async #shardIsBack(shard: number, control: ShardControl): Promise<void> {
    await control.update(this.#sharedState());
    await this.#listener.addShard(shard, (generation, tls) => control.open(generation, tls));
    this.log.info({ shard }, 'a shard has restarted');
  }

  /** Commands of the data folder's owner, over the socket in it. */
  async #control({ command }: ControlCommand): Promise<ControlAnswer> {
    if (command === 'doctor') return { ok: true, message: JSON.stringify(await this.#doctor.report()) };
    if (command !== 'idp-disable') return { ok: false, message: `unknown command ${command}` };
    const { settings } = this.#parts;
    await settings.changeIdp(
      { ...settings.config.security.idp, enabled: false },
      { name: 'cairn idp disable', from: 'control socket' },
    );
    return { ok: true, message: 'the identity provider is disabled' };
  }
}

/** Of the self-made pair's place; a pair of the operator's is the operator's to renew. */
function renewalFor(
  { acme, dataFolder }: ServerOptions,
  settings: Pick<Settings, 'config'>,
  log: Logger,
  takeUp: () => Promise<void>,
): CertificateRenewal | null {
  if (acme === null) return null;
  const files = selfMadeFiles(dataFolder);
  const isServed = (): boolean => settings.config.security.certFile === files.certFile;
  return new CertificateRenewal({ ...files, settings: acme, log, isServed, takeUp, nowMs: () => Date.now() });
}
