/**
 * The parts of main that need no shard, opened in the order in which they need each other:
 *
 *   configuration ─ logs ─ writer thread ─ reader, audit log ─ settings, metric definitions, identity
 */
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Write } from '../actors/runtime/behaviour.ts';
import { ShardSupervisor } from '../actors/shard/supervisor/shard-supervisor.ts';
import { CommitTimes } from '../actors/shard/wire/commit-times.ts';
import { SharedStats } from '../actors/shard/wire/shared-stats.ts';
import { MainWriter } from '../actors/shard/writer/main-writer.ts';
import { systemClock } from '../base/clock.ts';
import { AuditLog } from '../control/audit-log.ts';
import { MetricDefinitions } from '../control/metric-definitions.ts';
import { Orders } from '../control/orders.ts';
import { loadConfig } from '../control/settings/load-config.ts';
import { LogConfiguration } from '../control/settings/log-configuration.ts';
import { Settings, type SettingsHost } from '../control/settings/settings.ts';
import { Webhooks } from '../control/webhooks/webhooks.ts';
import type { PairFiles } from '../gateway/http/tls-files.ts';
import { uwsVersion } from '../gateway/http/uws.ts';
import { Identity } from '../gateway/identity/identity.ts';
import { withPort } from '../gateway/listener/listener.ts';
import type { Config } from '../protocol/config/config.ts';
import { ConfigFile } from '../store/files/config-file.ts';
import { textKey } from '../store/kv/keys.ts';
import { openLmdbReader } from '../store/kv/lmdb-store.ts';
import type { Reader } from '../store/kv/store.ts';
import { LogRoots } from '../store/logs/log-roots.ts';
import type { AuditEntry } from '../store/records/audit-record.ts';
import { FIRST_START_KEY, readFirstStart } from '../store/records/first-start.ts';
import type { ReplicaOptions } from '../store/replica/status.ts';
import type { ServerOptions } from './options.ts';
import { SharedRows, sharedConfigHash } from './shared-rows.ts';

/** The thread that writes, and what it shares. A server of a cluster keeps it whatever its role is. */
export interface WriterParts {
  readonly stats: SharedStats;
  readonly commitTimes: CommitTimes;
  readonly writerThread: Worker;
}

export interface ServerParts extends WriterParts {
  readonly logs: LogConfiguration;
  readonly writer: MainWriter;
  readonly reader: Reader;
  readonly settings: Settings;
  readonly metricDefinitions: MetricDefinitions;
  readonly audit: AuditLog;
  readonly identity: Identity;
  readonly webhooks: Webhooks;
  readonly orders: Orders;
}

/** With `replica` it is one of a cluster's. */
export async function openWriter(options: ServerOptions, replica?: ReplicaOptions): Promise<WriterParts> {
  const stats = new SharedStats(options.shards);
  const commitTimes = new CommitTimes();
  const writerThread = await ShardSupervisor.openWriter({
    folder: databaseFolderOf(options),
    stats: stats.buffer,
    commitTimes: commitTimes.buffer,
    shardCount: options.shards,
    ...(replica ? { replica } : {}),
  });
  return { stats, commitTimes, writerThread };
}

/** `publish` tells the shards of a change. Throws a sentence for the operator. */
export async function openParts(
  options: ServerOptions,
  warnings: readonly string[],
  publish: () => Promise<void>,
  writerParts?: WriterParts,
): Promise<ServerParts> {
  const file = new ConfigFile(options.dataFolder);
  const loaded = await loadConfig(file, await seedsOf(options), options.given);
  const roots = new LogRoots(options.logFolder, options.logRoots);
  const logFault = await roots.faultOf(loaded.config.log.file);
  const logs = new LogConfiguration(loaded.config, roots);
  const opened = writerParts ?? (await openWriter(options));
  const { writerThread } = opened;
  const writer = new MainWriter(ShardSupervisor.attachMain(writerThread));
  const reader = openLmdbReader(databaseFolderOf(options));
  if (readFirstStart(reader) === undefined)
    await writer.commit([{ table: 'meta', key: FIRST_START_KEY, value: textKey(String(systemClock.wallMs())) }]);
  const shared = writerParts ? new SharedRows(options.dataFolder, file, reader) : null;
  const config = shared ? await shared.take(loaded.config) : loaded.config;
  const controls = await openControls({
    options,
    file,
    config,
    asStored: loaded.stored,
    logs,
    writer,
    reader,
    publish,
    shared,
  });
  const rows = (await shared?.writes()) ?? [];
  if (rows.length > 0) await writer.commit(rows);
  logs.log.info(
    { version: process.version, uWebSockets: uwsVersion, dataFolder: options.dataFolder, isNew: loaded.isNew },
    'starting',
  );
  for (const warning of [...warnings, ...loaded.warnings]) logs.log.warn({}, warning);
  if (logFault !== undefined)
    logs.log.warn(
      { file: loaded.config.log.file },
      `log.file ${logFault}; the server keeps using it, but rejects a change to another such file`,
    );
  return { ...opened, logs, writer, reader, ...controls };
}

export interface ControlsHost {
  readonly options: ServerOptions;
  readonly file: ConfigFile;
  readonly config: Config;
  /** What the file held, if it was read by this start. */
  readonly asStored?: unknown;
  readonly logs: LogConfiguration;
  readonly writer: MainWriter;
  readonly reader: Reader;
  readonly publish: () => Promise<void>;
  /** Null where the server stands alone. */
  readonly shared: SharedRows | null;
  /** Nothing is written: another server leads. */
  readonly follows?: boolean;
}

export type Controls = Awaited<ReturnType<typeof openControls>>;

/** What changes by a person's hand, each change in the audit log. */
export async function openControls({
  options,
  file,
  config,
  asStored,
  logs,
  writer,
  reader,
  publish,
  shared,
  follows = false,
}: ControlsHost) {
  const { log } = logs;
  // A change of what is in files has been made there by now.
  const withShared = async (writes: readonly Write[]): Promise<readonly Write[]> =>
    shared ? [...writes, ...(await shared.writes())] : writes;
  const audit = new AuditLog({
    reader,
    clock: systemClock,
    log,
    commit: (writes, events) => writer.commit(writes, undefined, events),
  });
  const commit = (writes: readonly Write[], entry?: AuditEntry): Promise<void> =>
    entry ? audit.commit(entry, writes) : writer.commit(writes);
  const host: SettingsHost = {
    file,
    reader,
    clock: systemClock,
    log,
    commit: async (writes, events, entry) => {
      const all = await withShared(writes);
      await (entry ? audit.commit(entry, all, events) : writer.commit(all, undefined, events));
    },
    publish,
    ...(shared ? { hashOf: sharedConfigHash } : {}),
  };
  const settings = follows ? Settings.follow(host, config) : await Settings.open(host, config, asStored);
  const metricDefinitions = new MetricDefinitions({ reader, commit, nowMs: () => systemClock.wallMs(), publish });
  const identity = await Identity.open({
    dataFolder: options.dataFolder,
    reader,
    clock: systemClock,
    log,
    env: process.env,
    config: () => settings.config,
    commit: async (entry, writes) => audit.commit(entry, await withShared(writes)),
    publish,
  });
  const webhooks = await Webhooks.open({ reader, clock: systemClock, log, config: () => settings.config, commit });
  const orders = new Orders({ reader, clock: systemClock, commit, publish });
  return { audit, settings, metricDefinitions, identity, webhooks, orders };
}

export async function seedsOf(options: ServerOptions) {
  return {
    addr: await withPort(options.addr),
    staticFolder: options.staticFolder,
    logFile: join(options.logFolder, 'cairn.log'),
    ...selfMadeFiles(options.dataFolder),
  };
}

export function databaseFolderOf({ dataFolder }: Pick<ServerOptions, 'dataFolder'>): string {
  return join(dataFolder, 'db');
}

/** The pair that the server makes for itself. */
export function selfMadeFiles(dataFolder: string): PairFiles {
  return { certFile: join(dataFolder, 'tls', 'server.crt'), keyFile: join(dataFolder, 'tls', 'server.pem') };
}
