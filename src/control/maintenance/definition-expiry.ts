/**
 * Lets metric definitions go that have had no series for their longest retention: there are as many as there may be, and one
 * worker with odd names would use them up for good. A series lives as long as its coarsest level holds a value, so what has
 * none, and was not made since, has had no sample for that long.
 *
 *   once a day: old ones without a series retire ──15 min──► still none: gone; one now: known again
 *
 * A sample that a shard was handling when it heard of the removal arrives within seconds. See docs/decisions/0071-definitions-go.md.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { shortNameOf } from '../../protocol/metric.ts';
import { LEVELS } from '../../protocol/rollup-retention.ts';
import type { TaskAnswers, UsedMetricsTask } from '../../workers/task/task.ts';
import type { MetricDefinitions } from '../metric-definitions.ts';

export interface DefinitionExpiryHost {
  readonly metricDefinitions: MetricDefinitions;
  readonly clock: Clock;
  readonly answer: (task: UsedMetricsTask) => Promise<TaskAnswers['usedMetrics']>;
  readonly log: Pick<Logger, 'info'>;
}

const RETENTION_MS = Math.max(...LEVELS.map(({ retentionMs }) => retentionMs));
const LOOK_EVERY_MS = 86_400_000;
/** Far longer than any call lives, or any stall that a shard survives. */
const RETIRING_MS = 900_000;
/** Rows of one question to the pool: some 10 ms of its thread. */
const ROWS = 20_000;

export class DefinitionExpiry {
  readonly #host: DefinitionExpiryHost;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #retiredMs = Number.NEGATIVE_INFINITY;

  constructor(host: DefinitionExpiryHost) {
    this.#host = host;
  }

  /** What is due; it ends early once `stopped`, and then changes nothing. Never two at a time. */
  async run(stopped: () => boolean): Promise<void> {
    const { metricDefinitions, clock } = this.#host;
    if (metricDefinitions.retiring.length > 0) {
      if (clock.monotonicMs() >= this.#retiredMs + RETIRING_MS) await this.#end(metricDefinitions.retiring, stopped);
      return;
    }
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#lookedMs + LOOK_EVERY_MS) return;
    const old = await metricDefinitions.madeBefore(clock.wallMs() - RETENTION_MS);
    const { unused } = await this.#look(old, stopped);
    if (stopped()) return;
    this.#lookedMs = nowMs;
    if (unused.length === 0) return;
    await metricDefinitions.retire(unused);
    this.#retiredMs = clock.monotonicMs();
  }

  async #end(ids: readonly string[], stopped: () => boolean): Promise<void> {
    const { used, unused } = await this.#look(ids, stopped);
    if (stopped()) return;
    if (used.length > 0) await this.#host.metricDefinitions.keep(used);
    const gone = await this.#host.metricDefinitions.forget(unused);
    if (gone.length > 0)
      this.#host.log.info(
        { definitions: gone },
        'removed metric definitions that had no series for their longest retention',
      );
  }

  async #look(ids: readonly string[], stopped: () => boolean): Promise<{ used: string[]; unused: string[] }> {
    const sought = new Set(ids.map(shortNameOf));
    for (const table of ['series', 'leaving'] as const) {
      let afterKey: Uint8Array | null = null;
      while (sought.size > 0 && !stopped()) {
        const task = { type: 'usedMetrics', metrics: [...sought], table, afterKey, limit: ROWS } as const;
        const found: TaskAnswers['usedMetrics'] = await this.#host.answer(task);
        for (const metric of found.used) sought.delete(metric);
        afterKey = found.nextKey;
        if (!afterKey) break;
      }
    }
    const isUnused = (id: string): boolean => sought.has(shortNameOf(id));
    return { used: ids.filter((id) => !isUnused(id)), unused: ids.filter(isUnused) };
  }
}
