/**
 * Reads the machine for `meter.ts`. Files of /proc are read synchronously: the kernel makes them up at once, no disk is
 * asked, and a hop to another thread costs more than the reading. Only the file system's size may hang (a dead network
 * file system), so that one is asked in the background and left out while it does not answer.
 */
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { cpus, freemem, loadavg, platform, totalmem } from 'node:os';
import type { Reading } from './meter.ts';
import { type CpuTicks, cpuTicksOf, loadAverage1mOf, memoryKbOf, networkBytesOf } from './proc-text.ts';

/** Longer than any healthy file system takes, shorter than a heartbeat should wait. */
const DISK_WAIT_MS = 500;

export class Probe {
  readonly #diskPath: string;
  readonly #monotonicMs: () => number;
  #diskIsAsked = false;

  constructor(diskPath: string, monotonicMs: () => number) {
    this.#diskPath = diskPath;
    this.#monotonicMs = monotonicMs;
  }

  async read(): Promise<Reading> {
    const disk = await this.#disk();
    const atMs = this.#monotonicMs();
    return platform() === 'linux' ? { atMs, disk, ...readProc() } : { atMs, disk, ...readRuntime() };
  }

  async #disk(): Promise<Reading['disk']> {
    if (this.#diskIsAsked) return null;
    this.#diskIsAsked = true;
    const asked = statfs(this.#diskPath)
      .then(
        ({ bsize, blocks, bfree }) => ({ usedBytes: (blocks - bfree) * bsize, totalBytes: blocks * bsize }),
        () => null,
      )
      .finally(() => {
        this.#diskIsAsked = false;
      });
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, DISK_WAIT_MS, null);
    });
    const answer = await Promise.race([asked, waited]);
    clearTimeout(timer);
    return answer;
  }
}

type HostReading = Omit<Reading, 'atMs' | 'disk'>;

function readProc(): HostReading {
  const memory = memoryKbOf(tryRead('/proc/meminfo'));
  return {
    cpu: cpuTicksOf(tryRead('/proc/stat')),
    memoryUsedBytes: memory && (memory.total - memory.available) * 1_024,
    network: networkBytesOf(tryRead('/proc/net/dev')),
    loadAverage1m: loadAverage1mOf(tryRead('/proc/loadavg')),
  };
}

/** Outside Linux: what the runtime knows. Network counters it does not, and Windows has no load average. */
function readRuntime(): HostReading {
  const ticks = cpus().reduce<CpuTicks>(
    ({ busy, total }, { times }) => {
      const all = times.user + times.nice + times.sys + times.irq + times.idle;
      return { busy: busy + all - times.idle, total: total + all };
    },
    { busy: 0, total: 0 },
  );
  return {
    cpu: ticks,
    memoryUsedBytes: totalmem() - freemem(),
    network: null,
    loadAverage1m: platform() === 'win32' ? null : (loadavg()[0] ?? null),
  };
}

/** Empty where it cannot be read: the parsers answer null to that. */
export function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
