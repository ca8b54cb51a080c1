/** The server's maintenance with what it needs of the other parts. */
import { aggregatorAddress, type CloseReply, type OpenPart } from '../actors/aggregator/messages.ts';
import { systemClock } from '../base/clock.ts';
import { DefinitionExpiry } from '../control/maintenance/definition-expiry.ts';
import { Maintenance, type MaintenanceHost } from '../control/maintenance/maintenance.ts';
import { SeriesCompaction } from '../control/maintenance/series-compaction.ts';
import { settingsOf } from '../protocol/config/config.ts';
import type { NodeLogFiles } from '../store/logs/node-log-files.ts';
import type { Pool } from '../workers/pool.ts';
import type { LiveShards } from './live-shards.ts';
import type { ServerParts } from './parts.ts';

export interface MaintenanceParts extends ServerParts {
  readonly pool: Pool;
  readonly shards: LiveShards;
  readonly nodeLogs: NodeLogFiles;
}

export function makeMaintenance(parts: MaintenanceParts): Maintenance {
  const { settings, shards, pool, nodeLogs, logs } = parts;
  return new Maintenance({
    clock: systemClock,
    log: logs.log,
    pool,
    config: () => settings.config,
    ask: (kind, id, message) => shards.ask(kind, id, message),
    keepSeries: keepSeries(parts),
    removeNodeLogs: (nodeId) => nodeLogs.removeNode(nodeId),
    sweepNodeLogs: (onFailure) => {
      const { perLogBytesMax, nodeLogBytesMax } = settingsOf(settings.config);
      return nodeLogs.sweep(perLogBytesMax, nodeLogBytesMax, onFailure);
    },
  });
}

function keepSeries({
  reader,
  writer,
  pool,
  shards,
  metricDefinitions,
  logs,
}: MaintenanceParts): MaintenanceHost['keepSeries'] {
  const compaction = new SeriesCompaction({
    reader,
    nowMs: () => systemClock.wallMs(),
    answer: (task) => pool.answer(task),
    close: async (partition, message) => (await shards.ask('aggregator', String(partition), message)) as CloseReply,
    open: async (message) => {
      const { kind, id } = aggregatorAddress(message.objectId);
      return (await shards.ask(kind, id, message)) as readonly OpenPart[];
    },
    commit: writer.commit.bind(writer),
  });
  const definitions = new DefinitionExpiry({
    metricDefinitions,
    clock: systemClock,
    answer: (task) => pool.answer(task),
    log: logs.log,
  });
  return async (stopped, skip) => {
    try {
      await compaction.run(stopped, skip);
    } finally {
      await definitions.run(stopped);
    }
  };
}
