/**
 * How fast an archive is written beside a server that works. Left to the kernel, gigabytes of it wait in memory and are
 * written back in one go, and the server's commits wait behind them. So each step is flushed before the next one begins,
 * and is followed by a pause as long as it took: the disk and the processor are the server's for half of the time at least,
 * and a disk that is busy slows the backup down by itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export interface PaceHost {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Some 20 ms of a disk with 400 MB/s: a commit waits behind no more than that. */
export const STEP_BYTES = 8 * 1024 * 1024;
/** A pause of a step's own length makes a backup last twice as long, which is what its slowness may cost. */
const PAUSE_SHARE = 1;
/** After a stall of the disk, or of the machine, the backup goes on. */
const PAUSE_MS_MAX = 2_000;

export class Pace {
  readonly #host: PaceHost;
  #begunMs: number;
  #bytes = 0;

  constructor(host: PaceHost = { nowMs: () => performance.now(), sleep }) {
    this.#host = host;
    this.#begunMs = host.nowMs();
  }

  /** After so many bytes more were handed to the kernel; `flush` brings all of them to the disk. */
  async wrote(bytes: number, flush: () => Promise<void>): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < STEP_BYTES) return;
    this.#bytes = 0;
    await flush();
    const tookMs = this.#host.nowMs() - this.#begunMs;
    await this.#host.sleep(Math.min(tookMs * PAUSE_SHARE, PAUSE_MS_MAX));
    this.#begunMs = this.#host.nowMs();
  }
}
