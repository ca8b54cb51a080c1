/**
 * From two readings of the machine to the metrics of one heartbeat. Rates need two readings; what one of them lacks is
 * left out of the heartbeat, never sent as zero. MB and KB are 1,048,576 and 1,024 bytes, as `memoryInMB` counts.
 */
import type { CpuTicks, NetworkBytes } from './proc-text.ts';

export interface Reading {
  readonly atMs: number;
  readonly cpu: CpuTicks | null;
  readonly memoryUsedBytes: number | null;
  readonly disk: { readonly usedBytes: number; readonly totalBytes: number } | null;
  readonly network: ReadonlyMap<string, NetworkBytes> | null;
  readonly loadAverage1m: number | null;
}

export type BeatMetrics = Readonly<Record<string, number>>;

const KB = 1_024;
const MB = 1_048_576;

export function metricsBetween(before: Reading | null, after: Reading): BeatMetrics {
  const metrics: Record<string, number> = {};
  const put = (name: string, value: number | null): void => {
    if (value !== null && Number.isFinite(value)) metrics[name] = Math.round(value * 100) / 100;
  };
  put('cpuPercent', before && cpuPercent(before.cpu, after.cpu));
  put('memoryUsedMB', after.memoryUsedBytes === null ? null : after.memoryUsedBytes / MB);
  put('diskUsedMB', after.disk && after.disk.usedBytes / MB);
  put('diskTotalMB', after.disk && after.disk.totalBytes / MB);
  const moved = before && bytesMoved(before.network, after.network);
  const seconds = before ? (after.atMs - before.atMs) / 1_000 : 0;
  if (moved && seconds > 0) {
    put('networkReceivedKBps', moved.received / KB / seconds);
    put('networkSentKBps', moved.sent / KB / seconds);
  }
  put('loadAverage1m', after.loadAverage1m);
  return metrics;
}

/** Share of all cores' time that was not idle, 0 to 100. */
function cpuPercent(before: CpuTicks | null, after: CpuTicks | null): number | null {
  if (!before || !after) return null;
  const total = after.total - before.total;
  // Counters may go back a little (a core that was switched off, idle time that a hypervisor corrects).
  if (total <= 0) return null;
  return Math.min(100, Math.max(0, (100 * (after.busy - before.busy)) / total));
}

/** Sum over the interfaces that both readings have; one whose counter went back was reset and is left out. */
function bytesMoved(
  before: ReadonlyMap<string, NetworkBytes> | null,
  after: ReadonlyMap<string, NetworkBytes> | null,
): NetworkBytes | null {
  if (!before || !after) return null;
  let received = 0;
  let sent = 0;
  for (const [name, now] of after) {
    const then = before.get(name);
    if (!then || now.received < then.received || now.sent < then.sent) continue;
    received += now.received - then.received;
    sent += now.sent - then.sent;
  }
  return { received, sent };
}
