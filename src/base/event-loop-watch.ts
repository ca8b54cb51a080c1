/** How long the event loop of a thread was held, from perf_hooks, as gauges of the thread's own metrics. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { MetricRegistry } from './metrics.ts';

const RESOLUTION_MS = 5;

/** Registers gauges that are read at each scrape: delay quantiles since the start, and utilization since the last scrape. */
export function watchEventLoop(registry: MetricRegistry, thread: string): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const quantiles = [0.5, 0.99, 0.999, 1].map((quantile) => ({
    quantile,
    gauge: registry.gauge('cairn_event_loop_delay_seconds', 'Event loop delay since the start', {
      thread,
      quantile: String(quantile),
    }),
  }));
  const busy = registry.gauge(
    'cairn_event_loop_utilization',
    'Share of time the event loop was busy, since the last scrape',
    { thread },
  );
  let last = performance.eventLoopUtilization();
  registry.onCollect(() => {
    // perf_hooks records the distance between two ticks of its timer, so its own resolution is taken off.
    for (const { quantile, gauge } of quantiles) {
      const ns = quantile === 1 ? delays.max : delays.percentile(quantile * 100);
      gauge.set(Math.max(0, ns / 1e9 - RESOLUTION_MS / 1000));
    }
    const now = performance.eventLoopUtilization();
    busy.set(performance.eventLoopUtilization(now, last).utilization);
    last = now;
  });
}
