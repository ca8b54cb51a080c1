/** How the server is: its own figures, and whether it is ready. */
import { heldUntil } from '../actors/node/liveness.ts';
import type { MainWatchdog } from '../actors/shard/stall/main-watchdog.ts';
import type { CommitTimes } from '../actors/shard/wire/commit-times.ts';
import type { SharedStats } from '../actors/shard/wire/shared-stats.ts';
import { systemClock } from '../base/clock.ts';
import { watchEventLoop } from '../base/event-loop-watch.ts';
import { MetricRegistry, mergeSnapshots, renderPrometheus } from '../base/metrics.ts';
import { FleetFigures } from '../control/figures/fleet-figures.ts';
import { HostFigures } from '../control/figures/host-figures.ts';
import type { Settings } from '../control/settings/settings.ts';
import type { Readiness } from '../gateway/api/services.ts';
import { mustDurationMs } from '../protocol/duration.ts';
import type { Reader } from '../store/kv/store.ts';
import type { Pool } from '../workers/pool.ts';
import type { LiveShards } from './live-shards.ts';
import type { Replication } from './replication.ts';

export interface StatusParts {
  readonly shardCount: number;
  readonly shards: LiveShards;
  readonly stats: SharedStats;
  readonly pool: Pool;
  readonly pulse: MainWatchdog;
  readonly reader: Reader;
  readonly commitTimes: CommitTimes;
  readonly settings: Settings;
  readonly dataFolder: string;
  /** Null where the server stands alone. */
  readonly replication: Replication | null;
}

export class ServerStatus {
  readonly #parts: StatusParts;
  readonly #fleet: FleetFigures;
  readonly #host: HostFigures;
  readonly #metrics = new MetricRegistry();

  constructor(parts: StatusParts) {
    this.#parts = parts;
    const { reader, pool, shards } = parts;
    this.#fleet = new FleetFigures(
      { reader, clock: systemClock, answer: (task) => pool.answer(task) },
      shards.process.queueNames,
    );
    this.#host = new HostFigures(parts.dataFolder, () => parts.settings.config);
    watchEventLoop(this.#metrics, 'main');
  }

  /** The figures of all threads, in Prometheus' text form. */
  async metricsText(): Promise<string> {
    const { shards, stats, pool, commitTimes, replication } = this.#parts;
    const [ofShards, figures] = await Promise.all([shards.metrics(), shards.figures()]);
    const [ofFleet, ofHost] = await Promise.all([this.#fleet.snapshots(figures), this.#host.snapshots()]);
    this.#metrics.gauge('cairn_series', 'Metric series').set(stats.seriesCount);
    this.#metrics.gauge('cairn_pool_waiting', 'Tasks that are waiting for a pool thread').set(pool.waiting);
    this.#metrics.counter('cairn_shard_restarts_total', 'Shard threads restarted after a crash').value =
      shards.restarts;
    const lost = 'Unreadable records that were removed from the beginning of the event log';
    this.#metrics.counter('cairn_event_records_lost_total', lost).value = shards.unreadableEvents;
    return renderPrometheus(
      mergeSnapshots([
        this.#metrics.snapshot(),
        [commitTimes.snapshot(), ...ofHost, ...(replication?.metrics() ?? [])],
        ofFleet,
        ...ofShards,
      ]),
    );
  }

  readiness(): Readiness {
    const { shardCount, shards, stats, pulse, replication, settings } = this.#parts;
    const reasons = replication?.reasons ?? [];
    const live = shards.count;
    if (live < shardCount) reasons.push(`${shardCount - live} of ${shardCount} shards are restarting`);
    // Without actors no time runs for nodes, and no thread tells that it is there.
    const leads = !replication || replication.status.role === 'leader';
    const { suspended, running } = stats.totals();
    if (leads && suspended > 0) {
      const until =
        stats.heldFrom === 0 ? 'yet' : `before ${heldUntil(stats.heldFrom, mustDurationMs(settings.config.node.ttl))}`;
      reasons.push(
        `${suspended} of ${running} nodes fell silent at once. The cause may be this server or its network, so they are not marked lost ${until}`,
      );
    }
    if (leads && stats.isFailing)
      reasons.push(
        'the last writes failed (is the disk full?): changes are refused until writes succeed; reads continue',
      );
    const absent = leads ? pulse.absent() : [];
    if (absent.length > 0)
      reasons.push(`${absent.join(', ')} cannot accept heartbeats now: no node is marked lost until it can`);
    return { ready: live > 0, reasons, ...(replication ? { cluster: replication.readiness } : {}) };
  }
}
