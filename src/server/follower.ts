/**
 * A server of a cluster while another one leads: the same gateway over the own database, and no actors. It reads, and passes
 * on what only the leader can do.
 */
import { randomUUID } from 'node:crypto';
import { MainWatchdog } from '../actors/shard/stall/main-watchdog.ts';
import { ShardSupervisor } from '../actors/shard/supervisor/shard-supervisor.ts';
import type { SharedState } from '../actors/shard/wire/shared-state.ts';
import { threadPlatform } from '../actors/shard/wire/thread-platform.ts';
import { SharedBudget } from '../base/budget/shared-budget.ts';
import { systemClock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { AgentPackages } from '../control/packages/agent-packages.ts';
import type { ShardControl } from '../gateway/api/services.ts';
import { Listener } from '../gateway/listener/listener.ts';
import { ListenerConfiguration } from '../gateway/listener/listener-configuration.ts';
import type { ControlAnswer } from '../store/files/data-directory-lock.ts';
import { logBaseTable } from '../store/logs/log-offsets.ts';
import { NodeLogFiles } from '../store/logs/node-log-files.ts';
import { Pool } from '../workers/pool.ts';
import { ServerDoctor } from './doctor.ts';
import { FollowedParts } from './followed-parts.ts';
import type { House } from './house.ts';
import { LiveShards } from './live-shards.ts';
import { mainServicesFor } from './main-services.ts';
import type { ServerOptions } from './options.ts';
import { databaseFolderOf, selfMadeFiles } from './parts.ts';
import type { ClusterParts } from './replication.ts';
import { ServerStatus } from './status.ts';

export interface FollowerHost {
  readonly options: ServerOptions;
  readonly house: House;
  readonly cluster: ClusterParts;
}

/** How late a change of what the servers share is taken up, at most. */
const REFRESH_MS = 200;

export class FollowerServer {
  readonly log: Logger;
  readonly #host: FollowerHost;
  readonly #parts: FollowedParts;
  readonly #shards: LiveShards;
  readonly #pulse: MainWatchdog;
  readonly #pool: Pool;
  readonly #listener: Listener;
  readonly #listenerConfiguration: ListenerConfiguration;
  readonly #doctor: ServerDoctor;
  readonly #nodeLogs: NodeLogFiles;
  #timer: NodeJS.Timeout | undefined;

  /** Resolves when the server answers. Throws a sentence for the operator. */
  static async start(host: FollowerHost): Promise<FollowerServer> {
    const { options, house, cluster } = host;
    const publisher: { publish: () => Promise<void> } = { publish: async () => {} };
    const parts = await FollowedParts.open({
      options,
      warnings: house.warnings,
      writerParts: cluster.writerParts,
      publish: () => publisher.publish(),
    });
    const server = new FollowerServer(host, parts);
    publisher.publish = () => server.publishCluster();
    try {
      await server.#run();
    } catch (error) {
      await server.stop(0).catch(() => {});
      throw error;
    }
    return server;
  }

  private constructor(host: FollowerHost, parts: FollowedParts) {
    const { options, cluster } = host;
    this.#host = host;
    this.#parts = parts;
    this.log = parts.logs.log;
    this.#shards = new LiveShards(options.shards);
    this.#pulse = new MainWatchdog(parts.stats, options.shards, threadPlatform);
    this.#pool = new Pool({ databaseFolder: databaseFolderOf(options), isBackground: false }, options.workers);
    // Its files are written by the writer thread, as the stream has them.
    this.#nodeLogs = new NodeLogFiles(
      options.logFolder,
      logBaseTable(parts.reader, () => Promise.resolve()),
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
    this.#listenerConfiguration.onServed = (address, tls) => cluster.onServed(address, tls?.certFile ?? null);
    const { dataFolder, logFolder } = options;
    const view = { shards: this.#shards, replication: cluster.replication, dataFolder, logFolder };
    // Made of the parts, not copied from them: some of them are replaced.
    this.#doctor = new ServerDoctor(Object.assign(Object.create(parts) as FollowedParts, view));
  }

  get address(): string {
    return this.#listener.address ?? this.#parts.settings.config.addr;
  }

  async #run(): Promise<void> {
    const { options, house, cluster } = this.#host;
    const parts = this.#parts;
    const { replication } = cluster;
    const made = { pool: this.#pool, nodeLogs: this.#nodeLogs, listener: this.#listener, replication };
    const more = {
      shards: this.#shards,
      shardCount: options.shards,
      pulse: this.#pulse,
      dataFolder: options.dataFolder,
    };
    const services = Object.assign(Object.create(parts) as FollowedParts, {
      ...made,
      status: new ServerStatus(Object.assign(Object.create(parts) as FollowedParts, made, more)),
      doctor: this.#doctor,
      packages: new AgentPackages(options.dataFolder, this.log),
      refresh: () => this.#refresh(),
    });
    this.#shards.run(
      await ShardSupervisor.start<ShardControl>(
        {
          shardCount: options.shards,
          entry: new URL('./shard.js', import.meta.url),
          databaseFolder: databaseFolderOf(options),
          stats: parts.stats.buffer,
          state: () => this.#sharedState(),
          services: (shard) => mainServicesFor(shard, services),
          extraData: {
            logFolder: options.logFolder,
            limits: { buffer: SharedBudget.newBuffer(), salt: randomUUID() },
            behind: replication.behind,
          },
          clock: systemClock,
          log: this.log,
          onRestarted: (shard, control) => this.#shardIsBack(shard, control),
          onGiveUp: options.onGiveUp,
        },
        parts.writerThread,
      ),
    );
    await this.#listenerConfiguration.start(parts.settings.config);
    this.#pulse.start();
    this.#timer = setInterval(() => void this.#refresh(), REFRESH_MS).unref();
    house.claim.onCommand(({ command }) => this.#control(command));
    this.log.info({ addr: this.address, leader: replication.status.leader?.url ?? null }, 'following');
  }

  async stop(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.#pulse.stop();
    this.#doctor.stop();
    this.#parts.identity.stop();
    this.#listenerConfiguration.stop();
    this.#listener.close();
    await this.#shards.stop(withinMs, true);
    await this.#pool.close();
    await this.#parts.reader.close();
    this.log.info({}, 'no longer following');
    await this.#parts.logs.close();
  }

  async reload(): Promise<void> {
    this.log.info({}, 'reading the certificates again');
    await this.#listenerConfiguration.reload();
  }

  async publishCluster(): Promise<void> {
    await this.#shards.publish(this.#sharedState());
  }

  async #refresh(): Promise<void> {
    try {
      if (await this.#parts.refresh()) await this.publishCluster();
    } catch (error) {
      this.log.error({ kind: 'environment', error }, 'cannot take up what the leader has changed');
    }
  }

  #sharedState(): SharedState {
    const { settings, metricDefinitions, identity, orders } = this.#parts;
    const { config, version: configVersion } = settings;
    return {
      config,
      configVersion,
      definitions: metricDefinitions.list,
      identity: identity.state,
      orders: orders.byNode,
      cluster: this.#host.cluster.replication.state,
    };
  }

  async #shardIsBack(shard: number, control: ShardControl): Promise<void> {
    await control.update(this.#sharedState());
    await this.#listener.addShard(shard, (generation, tls) => control.open(generation, tls));
    this.log.info({ shard }, 'a shard has restarted');
  }

  async #control(command: string): Promise<ControlAnswer> {
    if (command === 'doctor') return { ok: true, message: JSON.stringify(await this.#doctor.report()) };
    if (command === 'idp-disable')
      return { ok: false, message: 'another server of the cluster leads: disable it there' };
    return { ok: false, message: `unknown command ${command}` };
  }
}
