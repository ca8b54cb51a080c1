/**
 * Reads the texts of Linux's /proc. Pure; what a kernel does not say is null, never a guess. `cpuinfo` and its ARM names
 * are in `cpu-identity.ts`.
 */
export interface CpuTicks {
  readonly busy: number;
  readonly total: number;
}

export interface NetworkBytes {
  readonly received: number;
  readonly sent: number;
}

/** First line of /proc/stat: `cpu user nice system idle iowait irq softirq steal guest guest_nice`. */
export function cpuTicksOf(stat: string): CpuTicks | null {
  const line = /^cpu +([\d ]+)$/m.exec(stat)?.[1];
  if (line === undefined) return null;
  // The last two are counted within user and nice already.
  const ticks = line.trim().split(/ +/).slice(0, 8).map(Number);
  if (ticks.length < 4) return null;
  const total = ticks.reduce((sum, value) => sum + value, 0);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { busy: total - idle, total };
}

/** Start of the machine, epoch seconds. */
export function bootTimeOf(stat: string): number | null {
  const seconds = /^btime (\d+)$/m.exec(stat)?.[1];
  return seconds === undefined ? null : Number(seconds);
}

/** Total and available memory in KiB; MemAvailable is what can be allocated without swapping, caches included. */
export function memoryKbOf(meminfo: string): { readonly total: number; readonly available: number } | null {
  const field = (name: string): number | undefined => {
    const value = new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(meminfo)?.[1];
    return value === undefined ? undefined : Number(value);
  };
  const total = field('MemTotal');
  const available = field('MemAvailable') ?? field('MemFree');
  return total === undefined || available === undefined ? null : { total, available };
}

/** Interfaces whose traffic passes another one that is counted: loopback, and the inner side of bridges and containers. */
const INNER = /^(lo$|veth|docker|br-|virbr|cni|cali|flannel)/;

/** Counters of /proc/net/dev by interface, without loopback and the inner sides of bridges. */
export function networkBytesOf(dev: string): ReadonlyMap<string, NetworkBytes> {
  const interfaces = new Map<string, NetworkBytes>();
  for (const line of dev.split('\n')) {
    const parts = /^ *([^\s:]+): *(.*)$/.exec(line);
    const name = parts?.[1];
    if (name === undefined || INNER.test(name)) continue;
    const counters = (parts?.[2] ?? '').trim().split(/ +/).map(Number);
    const received = counters[0];
    const sent = counters[8];
    if (received !== undefined && sent !== undefined) interfaces.set(name, { received, sent });
  }
  return interfaces;
}

export function loadAverage1mOf(loadavg: string): number | null {
  const first = /^(\d+\.\d+) /.exec(loadavg)?.[1];
  return first === undefined ? null : Number(first);
}
