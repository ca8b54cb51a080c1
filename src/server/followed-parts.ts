/**
 * The parts of a server that follows. What people change (configuration, definitions, keys, tokens, orders) arrives by the
 * stream: it is read again whenever its rows have changed.
 */
import type { Worker } from 'node:worker_threads';
import { ShardSupervisor } from '../actors/shard/supervisor/shard-supervisor.ts';
import type { CommitTimes } from '../actors/shard/wire/commit-times.ts';
import type { SharedStats } from '../actors/shard/wire/shared-stats.ts';
import { MainWriter } from '../actors/shard/writer/main-writer.ts';
import type { AuditLog } from '../control/audit-log.ts';
import type { MetricDefinitions } from '../control/metric-definitions.ts';
import type { Orders } from '../control/orders.ts';
import { loadConfig } from '../control/settings/load-config.ts';
import { LogConfiguration } from '../control/settings/log-configuration.ts';
import type { Settings } from '../control/settings/settings.ts';
import type { Webhooks } from '../control/webhooks/webhooks.ts';
import type { Identity } from '../gateway/identity/identity.ts';
import { ConfigFile } from '../store/files/config-file.ts';
import { openLmdbReader } from '../store/kv/lmdb-store.ts';
import type { Reader } from '../store/kv/store.ts';
import { LogRoots } from '../store/logs/log-roots.ts';
import type { ServerOptions } from './options.ts';
import { type Controls, databaseFolderOf, openControls, type ServerParts, seedsOf, type WriterParts } from './parts.ts';
import { digestOfChanges, withDigest } from './shared-digest.ts';
import { SharedRows } from './shared-rows.ts';

export interface FollowedHost {
  readonly options: ServerOptions;
  readonly warnings: readonly string[];
  readonly writerParts: WriterParts;
  readonly publish: () => Promise<void>;
}

export class FollowedParts implements ServerParts {
  readonly logs: LogConfiguration;
  readonly writer: MainWriter;
  readonly reader: Reader;
  readonly stats: SharedStats;
  readonly commitTimes: CommitTimes;
  readonly writerThread: Worker;
  // Replaced whenever what they are made of has changed: look them up when they are needed.
  settings: Settings;
  metricDefinitions: MetricDefinitions;
  audit: AuditLog;
  identity: Identity;
  webhooks: Webhooks;
  orders: Orders;
  readonly #host: FollowedHost;
  readonly #file: ConfigFile;
  readonly #shared: SharedRows;
  #seen: string;
  #refreshing: Promise<boolean> | null = null;

  private constructor(
    host: FollowedHost,
    opened: Pick<ServerParts, 'logs' | 'writer' | 'reader'>,
    files: { readonly file: ConfigFile; readonly shared: SharedRows },
    controls: Controls,
    seen: string,
  ) {
    this.#host = host;
    this.#file = files.file;
    this.#shared = files.shared;
    this.logs = opened.logs;
    this.writer = opened.writer;
    this.reader = opened.reader;
    this.stats = host.writerParts.stats;
    this.commitTimes = host.writerParts.commitTimes;
    this.writerThread = host.writerParts.writerThread;
    this.settings = controls.settings;
    this.metricDefinitions = controls.metricDefinitions;
    this.audit = controls.audit;
    this.identity = controls.identity;
    this.webhooks = controls.webhooks;
    this.orders = controls.orders;
    this.#seen = seen;
  }

  static async open(host: FollowedHost): Promise<FollowedParts> {
    const { options, writerParts, warnings, publish } = host;
    const reader = openLmdbReader(databaseFolderOf(options));
    const { digest, made } = await withDigest(reader, async () => {
      const file = new ConfigFile(options.dataFolder);
      const loaded = await loadConfig(file, await seedsOf(options), options.given);
      const shared = new SharedRows(options.dataFolder, file, reader);
      const config = await shared.take(loaded.config);
      const logs = new LogConfiguration(loaded.config, new LogRoots(options.logFolder, options.logRoots));
      const writer = new MainWriter(ShardSupervisor.attachMain(writerParts.writerThread));
      const opened = { logs, writer, reader };
      const controls = await openControls({ ...opened, options, file, config, publish, shared, follows: true });
      for (const warning of [...warnings, ...loaded.warnings]) logs.log.warn({}, warning);
      return { opened, files: { file, shared }, controls };
    });
    return new FollowedParts(host, made.opened, made.files, made.controls, digest);
  }

  /** Reads again what has changed; false where nothing has. */
  refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<boolean> {
    const { options, publish } = this.#host;
    const { logs, writer, reader } = this;
    if (digestOfChanges(reader) === this.#seen) return false;
    const before = this.identity;
    const { digest, made } = await withDigest(reader, async () =>
      openControls({
        ...{ options, logs, writer, reader, publish },
        config: await this.#shared.take(this.settings.config),
        file: this.#file,
        shared: this.#shared,
        follows: true,
      }),
    );
    Object.assign(this, made);
    before.stop();
    this.#seen = digest;
    return true;
  }
}
