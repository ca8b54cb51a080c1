/**
 * What must go in time: ended jobs, forgotten nodes with their logs, and what the series keeper does. The pool finds them by
 * index in small steps, actors remove them, and nothing here holds an event loop.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { type Config, type Settings, settingsOf } from '../../protocol/config.ts';
import type { Pool } from '../../workers/pool.ts';
import { Sweep } from './sweep.ts';

export interface HousekeepingHost {
  readonly clock: Clock;
  readonly log: Logger;
  readonly pool: Pool;
  readonly config: () => Config;
  readonly ask: (
    kind: string,
    id: string,
    message: { readonly type: string; readonly [field: string]: unknown },
  ) => Promise<unknown>;
  /** One pass of the series keeper; it gives up early once `stopped`. */
  readonly keepSeries: (stopped: () => boolean) => Promise<void>;
  readonly removeNodeLogs: (nodeId: string) => Promise<void>;
  /** Holds every stored log to its cap, and every node's logs to theirs. */
  readonly sweepNodeLogs: () => Promise<void>;
}

/** Found and removed in one step, of one answer of the pool and few transactions; then everybody else has a turn. */
const STEP = 500;
/** A job takes eleven rows with it: 100 jobs are a transaction of a few milliseconds, which a heartbeat may have to wait for. */
const JOBS_STEP = 100;
const NODE_HISTORY_MS = 30 * 86_400_000;
/** How late a merge or a rollup begins after it is due. */
const SERIES_EVERY_MS = 60_000;

export class Housekeeping {
  readonly #host: HousekeepingHost;
  readonly #sweeps: readonly Sweep[];
  #stopped = false;

  constructor(host: HousekeepingHost) {
    this.#host = host;
    const settings = (): Settings => settingsOf(host.config());
    this.#sweeps = [
      this.#sweep(
        'jobs',
        () => settings().retentionIntervalMs,
        () => this.#jobs(),
      ),
      this.#sweep(
        'nodes',
        () => settings().cleanLogIntervalMs,
        () => this.#nodes(),
      ),
      this.#sweep(
        'series',
        () => SERIES_EVERY_MS,
        () => host.keepSeries(() => this.#stopped),
      ),
    ];
  }

  start(): void {
    for (const sweep of this.#sweeps) sweep.start();
  }

  /** The intervals may have changed. */
  retime(): void {
    for (const sweep of this.#sweeps) sweep.retime();
  }

  stop(): void {
    this.#stopped = true;
    for (const sweep of this.#sweeps) sweep.stop();
  }

  #sweep(name: string, everyMs: () => number, run: () => Promise<void>): Sweep {
    return new Sweep({
      everyMs,
      run,
      onFailure: (error) => this.#host.log.warn({ error, sweep: name }, 'a sweep failed and will be tried again'),
    });
  }

  async #jobs(): Promise<void> {
    const { clock, pool } = this.#host;
    for (let removed = JOBS_STEP; removed > 0 && !this.#stopped; ) {
      const settings = settingsOf(this.#host.config());
      const nowMs = clock.wallMs();
      const limits = {
        succeededBeforeMs: nowMs - settings.successTtlMs,
        failedBeforeMs: nowMs - settings.failureTtlMs,
      };
      const ids = await pool.answer({ type: 'expiredJobs', ...limits, limit: JOBS_STEP });
      removed = (await this.#askAll('job', ids, { type: 'expire', ...limits })).length;
    }
  }

  async #nodes(): Promise<void> {
    const endedBeforeMs = this.#host.clock.wallMs() - NODE_HISTORY_MS;
    for (let removed = STEP; removed > 0 && !this.#stopped; ) {
      const ids = await this.#host.pool.answer({ type: 'endedNodes', endedBeforeMs, limit: STEP });
      // A node that has come back meanwhile keeps its logs.
      const gone = await this.#askAll('node', ids, { type: 'forget', endedBeforeMs });
      for (const id of gone) await this.#host.removeNodeLogs(id);
      removed = gone.length;
    }
    await this.#host.sweepNodeLogs();
  }

  /** Those that said that they are gone. */
  async #askAll(
    kind: string,
    ids: readonly string[],
    message: { readonly type: string; readonly [field: string]: unknown },
  ): Promise<readonly string[]> {
    const answers = await Promise.all(ids.map((id) => this.#host.ask(kind, id, message)));
    return ids.filter((_, i) => (answers[i] as { removed?: boolean } | undefined)?.removed);
  }
}
