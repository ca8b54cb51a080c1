/** A shard's own figures, read when asked. */
import type { MetricRegistry } from '../../../base/metrics.ts';
import type { ShardHost } from './shard-host.ts';

export function registerShardMetrics(registry: MetricRegistry, host: ShardHost): void {
  const shard = String(host.index);
  const { system } = host;
  const actors = ['node', 'job', 'aggregator'].map((kind) => ({
    kind,
    gauge: registry.gauge('cairn_actors', 'Live actors by kind', { kind }),
  }));
  const handled = registry.counter('cairn_actor_messages_total', 'Messages handled by actors');
  const refused = registry.counter('cairn_actor_refused_total', 'Messages refused because a bounded queue was full');
  const dead = registry.counter(
    'cairn_actor_dead_letters_total',
    'Messages whose recipient is gone, and replies that nothing waits for',
  );
  const restarts = registry.counter('cairn_actor_restarts_total', 'Actors restarted after a failure');
  const waiting = registry.gauge('cairn_actors_ready', 'Actors with messages waiting', { shard });
  const unflushed = registry.gauge('cairn_batches_unflushed', 'Batches that are not durable yet', { shard });
  const running = registry.gauge('cairn_nodes_running', 'Running nodes', { shard });
  const stalls = registry.counter('cairn_stalls_total', 'Times the shard was unresponsive for more than 250 ms', {
    shard,
  });
  const stalled = registry.counter('cairn_stalled_seconds_total', 'Stall time that is excluded from liveness checks', {
    shard,
  });
  registry.onCollect(() => {
    for (const { kind, gauge } of actors) gauge.set(system.countOf(kind));
    handled.value = system.counts.handled;
    refused.value = system.counts.refused;
    dead.value = system.counts.deadLetters;
    restarts.value = system.counts.restarts;
    waiting.set(system.waiting);
    unflushed.set(system.unflushed);
    running.set(host.runningNodes);
    stalls.value = host.clock.stalls.count;
    stalled.value = host.clock.stalls.totalMs / 1000;
  });
}
