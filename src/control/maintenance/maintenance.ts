/**
 * What must go in time: ended jobs, forgotten nodes with their logs, and what the series compaction does. The pool finds them by
 * index in small steps, actors remove them, and nothing here holds an event loop.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { type Config, type Settings, settingsOf } from '../../protocol/config/config.ts';
import type { Pool } from '../../workers/pool.ts';
import type { TaskAnswers } from '../../workers/task/task.ts';
import { isOfOneThing, Skips } from './skips.ts';
import { Sweep } from './sweep.ts';

export interface MaintenanceHost {
  readonly clock: Clock;
  readonly log: Logger;
  readonly pool: Pool;
  readonly config: () => Config;
  readonly ask: (
    kind: string,
    id: string,
    message: { readonly type: string; readonly [field: string]: unknown },
  ) => Promise<unknown>;
  /** One pass of the series compaction; it gives up early once `stopped`. */
  readonly keepSeries: (stopped: () => boolean, skip: (what: string, error: unknown) => void) => Promise<void>;
  readonly removeNodeLogs: (nodeId: string) => Promise<void>;
  /** Holds every stored log to its cap, and every node's logs to theirs; `onFailure` is called for a node whose logs cannot be cut. */
  readonly sweepNodeLogs: (onFailure: (nodeId: string, error: unknown) => void) => Promise<void>;
}

/** Found and removed in one step, of one answer of the pool and few transactions; then everybody else has a turn. */
const STEP = 500;
/** A job takes eleven rows with it: 100 jobs are a transaction of a few milliseconds, which a heartbeat may have to wait for. */
const JOBS_STEP = 100;
const NODE_HISTORY_MS = 30 * 86_400_000;
/** How late a merge or a rollup begins after it is due. */
const SERIES_EVERY_MS = 60_000;

export class Maintenance {
  readonly #host: MaintenanceHost;
  readonly #sweeps: readonly Sweep[];
  readonly #skips: Readonly<Record<'jobs' | 'nodes' | 'series', Skips>>;
  #stopped = false;

  constructor(host: MaintenanceHost) {
    this.#host = host;
    this.#skips = { jobs: new Skips(host.log), nodes: new Skips(host.log), series: new Skips(host.log) };
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
        () => this.#series(),
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
      onFailure: (error) => this.#host.log.warn({ error, sweep: name }, 'a sweep failed and will be retried'),
    });
  }

  async #jobs(): Promise<void> {
    const { clock, pool } = this.#host;
    let after: Uint8Array | null = null;
    do {
      const settings = settingsOf(this.#host.config());
      const nowMs = clock.wallMs();
      const limits = {
        succeededBeforeMs: nowMs - settings.successTtlMs,
        failedBeforeMs: nowMs - settings.failureTtlMs,
      };
      const found: TaskAnswers['expiredJobs'] = await pool.answer({
        type: 'expiredJobs',
        ...limits,
        after,
        limit: JOBS_STEP,
      });
      await this.#askAll('jobs', 'job', found.ids, { type: 'expire', ...limits });
      after = found.next;
    } while (after && !this.#stopped);
    this.#skips.jobs.end('jobs');
  }

  async #nodes(): Promise<void> {
    const endedBeforeMs = this.#host.clock.wallMs() - NODE_HISTORY_MS;
    const skips = this.#skips.nodes;
    let after: Uint8Array | null = null;
    do {
      const found: TaskAnswers['endedNodes'] = await this.#host.pool.answer({
        type: 'endedNodes',
        endedBeforeMs,
        after,
        limit: STEP,
      });
      // A node that has come back meanwhile keeps its logs.
      for (const id of await this.#askAll('nodes', 'node', found.ids, { type: 'forget', endedBeforeMs }))
        await this.#host.removeNodeLogs(id).catch((error) => skips.skip('nodes', `the logs of node ${id}`, error));
      after = found.next;
    } while (after && !this.#stopped);
    await this.#host.sweepNodeLogs((id, error) => skips.skip('nodes', `the logs of node ${id}`, error));
    skips.end('nodes');
  }

  async #series(): Promise<void> {
    const skips = this.#skips.series;
    await this.#host.keepSeries(
      () => this.#stopped,
      (what, error) => skips.skip('series', what, error),
    );
    skips.end('series');
  }

  /** The jobs or nodes whose actors confirm that they are gone. One that cannot be asked stays; if none can be, the sweep ends. */
  async #askAll(
    sweep: 'jobs' | 'nodes',
    kind: string,
    ids: readonly string[],
    message: { readonly type: string; readonly [field: string]: unknown },
  ): Promise<readonly string[]> {
    const answers = await Promise.allSettled(ids.map((id) => this.#host.ask(kind, id, message)));
    const gone: string[] = [];
    for (const [i, id] of ids.entries()) {
      const answer = answers[i] as PromiseSettledResult<unknown>;
      if (answer.status === 'fulfilled') {
        if ((answer.value as { removed?: boolean } | undefined)?.removed) gone.push(id);
      } else if (isOfOneThing(answer.reason)) this.#skips[sweep].skip(sweep, `${kind} ${id}`, answer.reason);
      else throw answer.reason;
    }
    return gone;
  }
}
