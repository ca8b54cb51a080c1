/** How many follow what on a shard, read when asked. */
import type { MetricRegistry } from '../../base/metrics.ts';
import type { EventHub } from './event-hub.ts';
import type { LogHub } from './log-hub.ts';

export function registerStreamMetrics(registry: MetricRegistry, shard: number, events: EventHub, logs: LogHub): void {
  const labels = { shard: String(shard) };
  const readers = registry.gauge('cairn_event_readers', 'Open readers of the event stream', labels);
  const followers = registry.gauge('cairn_log_followers', 'Open log followers', labels);
  const unreadable = registry.counter(
    'cairn_event_records_unreadable_total',
    'Unreadable event log records that were skipped, counted each time they are read',
    labels,
  );
  registry.onCollect(() => {
    unreadable.value = events.unreadable;
    readers.set(events.readers);
    followers.set(logs.followers);
  });
}
