/**
 * What must go in time: ended jobs, forgotten nodes with their logs, and what the series keeper does. The pool finds them by
 * index in small steps, actors remove them, and nothing here holds an event loop.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { type Config, settingsOf } from '../../protocol/config.ts';
import type { Pool } from '../../workers/pool.ts';

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

/** Found and removed in one step; then the loop breathes. */
const STEP = 500;
const NODE_HISTORY_MS = 30 * 86_400_000;
/** What a timer can hold; a longer interval is a chain of them. */
const TIMER_MAX_MS = 2_147_483_647;
/** How late a merge or a rollup begins after it is due. */
const SERIES_EVERY_MS = 60_000;

export class Housekeeping {
  readonly #host: HousekeepingHost;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #stopped = false;

  constructor(host: HousekeepingHost) {
    this.#host = host;
  }

  start(): void {
    this.#loop(
      'jobs',
      () => settingsOf(this.#host.config()).retentionIntervalMs,
      () => this.#jobs(),
    );
    this.#loop(
      'nodes',
      () => settingsOf(this.#host.config()).cleanLogIntervalMs,
      () => this.#nodes(),
    );
    this.#loop(
      'series',
      () => SERIES_EVERY_MS,
      () => this.#host.keepSeries(() => this.#stopped),
    );
  }

  /** The intervals may have changed: every sweep is timed anew. */
  retime(): void {
    this.stop();
    this.#stopped = false;
    this.start();
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #loop(name: string, everyMs: () => number, sweep: () => Promise<void>): void {
    const plan = (waitMs: number): void => {
      if (this.#stopped) return;
      const laterMs = waitMs - TIMER_MAX_MS;
      const next = (): void => (laterMs > 0 ? plan(laterMs) : void run());
      this.#timers.set(name, setTimeout(next, Math.min(waitMs, TIMER_MAX_MS)));
    };
    const run = async (): Promise<void> => {
      try {
        await sweep();
      } catch (error) {
        this.#host.log.warn({ error, sweep: name }, 'a sweep failed and will be tried again');
      }
      plan(everyMs());
    };
    plan(everyMs());
  }

  async #jobs(): Promise<void> {
    const { clock, pool } = this.#host;
    for (let removed = STEP; removed > 0 && !this.#stopped; ) {
      const settings = settingsOf(this.#host.config());
      const nowMs = clock.wallMs();
      const limits = {
        succeededBeforeMs: nowMs - settings.successTtlMs,
        failedBeforeMs: nowMs - settings.failureTtlMs,
      };
      const ids = await pool.answer({ type: 'expiredJobs', ...limits, limit: STEP });
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
