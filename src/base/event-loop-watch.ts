/** How long the event loop of a thread was held, from perf_hooks, as figures of the thread's own metrics. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { MetricRegistry } from './metrics.ts';

const RESOLUTION_MS = 5;

const QUANTILES = [0.5, 0.99, 0.999, 1];

/** Registers figures that are read at each scrape: delays since the start, and utilization since the last scrape. */
export function watchEventLoop(registry: MetricRegistry, thread: string): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const delay = registry.summary('cairn_event_loop_delay_seconds', 'Event loop delay since the start', { thread });
  const busy = registry.gauge(
    'cairn_event_loop_utilization',
    'Share of time the event loop was busy, since the last scrape',
    { thread },
  );
  let last = performance.eventLoopUtilization();
  registry.onCollect(() => {
    delay.quantiles = QUANTILES.map((quantile) => {
      const ns = quantile === 1 ? delays.max : delays.percentile(quantile * 100);
      return [quantile, secondsOf(ns)] as const;
    });
    delay.count = delays.count;
    delay.sum = delays.count === 0 ? 0 : delays.count * secondsOf(delays.mean);
    const now = performance.eventLoopUtilization();
    busy.set(performance.eventLoopUtilization(now, last).utilization);
    last = now;
  });
}

/** perf_hooks records the distance between two ticks of its timer, so its own resolution is taken off. */
function secondsOf(ns: number): number {
  return Math.max(0, ns / 1e9 - RESOLUTION_MS / 1000);
}
