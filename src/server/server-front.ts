/**
 * What callers meet of a server, whatever its role: its shards behind one listener, and the state that the shards work by. Made
 * before what uses it, started after it, and stopped before it.
 */
import { randomUUID } from 'node:crypto';
import { MainWatchdog } from '../actors/shard/stall/main-watchdog.ts';
import { ShardSupervisor } from '../actors/shard/supervisor/shard-supervisor.ts';
import type { SharedState } from '../actors/shard/wire/shared-state.ts';
import { threadPlatform } from '../actors/shard/wire/thread-platform.ts';
import { SharedBudget } from '../base/budget/shared-budget.ts';
import { systemClock } from '../base/clock.ts';
import type { ShardControl } from '../gateway/api/services.ts';
import { Listener } from '../gateway/listener/listener.ts';
import { ListenerConfiguration } from '../gateway/listener/listener-configuration.ts';
import { LiveShards } from './live-shards.ts';
import { mainServicesFor } from './main-services.ts';
import type { ServerOptions } from './options.ts';
import { databaseFolderOf, type ServerParts, selfMadeFiles } from './parts.ts';
import type { ClusterParts } from './replication.ts';

/** What the shards ask main for. */
export type FrontServices = Parameters<typeof mainServicesFor>[0];

export class ServerFront {
  readonly shards: LiveShards;
  readonly pulse: MainWatchdog;
  readonly listener: Listener;
  readonly configuration: ListenerConfiguration;
  readonly #options: ServerOptions;
  /** Of a follower some are replaced: they are looked up when they are needed. */
  readonly #parts: ServerParts;
  readonly #cluster: ClusterParts | null;

  /** `cluster` is null where the server stands alone. */
  constructor(options: ServerOptions, parts: ServerParts, cluster: ClusterParts | null) {
    this.#options = options;
    this.#parts = parts;
    this.#cluster = cluster;
    this.shards = new LiveShards(options.shards, cluster?.figures);
    this.pulse = new MainWatchdog(parts.stats, options.shards, threadPlatform);
    this.listener = new Listener({
      open: (generation, tls) => this.shards.open(generation, tls),
      retire: (generation) => this.shards.retire(generation),
    });
    this.configuration = new ListenerConfiguration(
      this.listener,
      selfMadeFiles(options.dataFolder),
      parts.logs.log,
      options.publicNames,
    );
    if (!cluster) return;
    this.configuration.addressFault = cluster.addressFault;
    this.configuration.onServed = (address, tls) => cluster.onServed(address, tls?.certFile ?? null);
  }

  get address(): string {
    return this.listener.address ?? this.#parts.settings.config.addr;
  }

  /** Resolves when every shard is up; nothing is listened on yet. */
  async spawn(services: FrontServices): Promise<void> {
    const options = this.#options;
    const { stats, writerThread, logs } = this.#parts;
    this.shards.run(
      await ShardSupervisor.start<ShardControl>(
        {
          shardCount: options.shards,
          entry: new URL('./shard.js', import.meta.url),
          databaseFolder: databaseFolderOf(options),
          stats: stats.buffer,
          state: () => this.#sharedState(),
          services: mainServicesFor(services),
          extraData: {
            logFolder: options.logFolder,
            limits: { buffer: SharedBudget.newBuffer(), salt: randomUUID() },
            behind: this.#cluster?.replication.behind ?? null,
          },
          clock: systemClock,
          log: logs.log,
          onRestarted: (shard, control) => this.#shardIsBack(shard, control),
          onGiveUp: options.onGiveUp,
        },
        writerThread,
      ),
    );
  }

  /** Tells the shards of what has changed in the parts or the cluster. */
  async publish(): Promise<void> {
    await this.shards.publish(this.#sharedState());
  }

  /** Reads the certificates again, as they are looked at every few seconds anyway. */
  async reload(): Promise<void> {
    this.#parts.logs.log.info({}, 'reading the certificates again');
    await this.configuration.reload();
  }

  /** No new connection comes. */
  close(): void {
    this.configuration.stop();
    this.listener.close();
  }

  /** Finishes what is in flight within the time. The writer of a cluster's server stays. */
  stop(withinMs: number): Promise<void> {
    return this.shards.stop(withinMs, this.#cluster !== null);
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
    await this.listener.addShard(shard, (generation, tls) => control.open(generation, tls));
    this.#parts.logs.log.info({ shard }, 'a shard has restarted');
  }
}
