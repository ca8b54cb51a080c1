/** Jobs and nodes as `/metrics` shows them (contract section 13), from the stored records and what the shards count. */
import type { QueueTotals } from '../../actors/job/job-totals.ts';
import type { NodeCounts } from '../../actors/node/node-tally.ts';
import type { Clock } from '../../base/clock.ts';
import { type MetricSnapshot, snapshotOf } from '../../base/metrics.ts';
import { JOB_DEFINITIONS } from '../../protocol/metric.ts';
import { NODE_STATES } from '../../protocol/node.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { QueueFigures } from '../../workers/task/figures-task.ts';
import type { AnswerTask, TaskAnswers } from '../../workers/task/task.ts';
import { PacedReading, type Reading } from './paced-reading.ts';
import type { QueueNames } from './queue-names.ts';

export interface FleetFiguresHost {
  readonly reader: Reader;
  readonly clock: Clock;
  readonly answer: <T extends AnswerTask>(task: T) => Promise<TaskAnswers[T['type']]>;
}

/** What each shard counts. */
export interface ShardFigures {
  readonly nodes: NodeCounts;
  readonly jobTotals: readonly QueueTotals[];
}

/** Rows of one task: 3 to 5 ms. */
const STEP = 500;
const SUMMED = new Set(JOB_DEFINITIONS.filter(({ aggregation }) => aggregation === 'sum').map(({ id }) => plain(id)));

interface Jobs {
  readonly queues: readonly QueueFigures[];
  readonly atMs: number;
}

export class FleetFigures {
  readonly #host: FleetFiguresHost;
  readonly #names: QueueNames;
  readonly #jobs: PacedReading<Jobs>;
  readonly #ended: PacedReading<NodeCounts>;

  constructor(host: FleetFiguresHost, names: QueueNames) {
    this.#host = host;
    this.#names = names;
    const { clock, reader } = host;
    this.#jobs = new PacedReading(
      clock,
      () => versionOf(reader, () => reader.version('job')),
      () => this.#readJobs(),
    );
    this.#ended = new PacedReading(
      clock,
      () => versionOf(reader, () => lastEnd(reader)),
      () => this.#readEnded(),
    );
  }

  async snapshots(shards: readonly ShardFigures[]): Promise<MetricSnapshot[]> {
    const [jobs, ended] = await Promise.all([this.#jobs.get(), this.#ended.get()]);
    return [
      ...this.#jobSnapshots(jobs),
      ...this.#totalSnapshots(
        shards.flatMap(({ jobTotals }) => jobTotals),
        jobs,
      ),
      ...nodeSnapshots([...shards.map(({ nodes }) => nodes), ended]),
    ];
  }

  #jobSnapshots({ queues, atMs }: Jobs): MetricSnapshot[] {
    const nowMs = this.#host.clock.wallMs();
    const counts = new Sums();
    const atRisk = new Sums();
    const unsaved = new Sums();
    const oldest = new Map<string, number>();
    for (const figures of byJobs(queues)) {
      const { queue, statuses, oldestMs } = figures;
      const label = this.#names.labelOf(queue);
      const since = Math.max(0, nowMs - atMs) / 1000;
      for (const [status, count] of statuses) counts.add({ status, queue: label }, count);
      atRisk.add({ queue: label }, figures.atRiskSeconds + figures.growing * since);
      unsaved.add({ queue: label }, figures.unsavedSeconds + figures.unsavedGrowing * since);
      if (oldestMs === null) continue;
      oldest.set(label, Math.max(oldest.get(label) ?? 0, Math.max(0, nowMs - oldestMs) / 1000));
    }
    return [
      ...counts.snapshots('cairn_jobs', 'gauge', 'Jobs by status and queue'),
      ...atRisk.snapshots(
        'cairn_work_at_risk_seconds',
        'gauge',
        'Run time of running jobs since their last good checkpoints, summed',
      ),
      ...unsaved.snapshots(
        'cairn_unsaved_work_seconds',
        'gauge',
        'Run time of running jobs that would be lost if every node went now: since their last good checkpoints or restores, summed',
      ),
      ...[...oldest].map(([queue, value]) =>
        snapshotOf(
          'cairn_oldest_checkpoint_seconds',
          'gauge',
          'Greatest age of a running job’s last good checkpoint, or of its start if it has none',
          { queue },
          value,
        ),
      ),
    ];
  }

  /** Rules look at increases, and there is none to what begins with its first event: every sum of a busy queue begins with 0. */
  #totalSnapshots(totals: readonly QueueTotals[], { queues }: Jobs): MetricSnapshot[] {
    const sums = new Sums();
    const busy = queues.filter(({ running }) => running > 0).map(({ queue }) => queue);
    const labels = new Set([...totals.map(([queue]) => queue), ...busy].map((queue) => this.#names.labelOf(queue)));
    for (const queue of labels) for (const definition of SUMMED) sums.add({ definition, queue }, 0);
    for (const [queue, metrics] of totals) {
      const label = this.#names.labelOf(queue);
      for (const [metric, total] of metrics)
        if (SUMMED.has(metric)) sums.add({ definition: metric, queue: label }, total);
    }
    return sums.snapshots('cairn_job_metric_total', 'counter', 'Job metrics that are sums, since the process began');
  }

  async #readJobs(): Promise<Reading<Jobs>> {
    const nowMs = this.#host.clock.wallMs();
    const queues = new Map<string, QueueFigures>();
    let tasks = 0;
    let afterKey: Uint8Array | null = null;
    do {
      tasks++;
      const page: TaskAnswers['jobFigures'] = await this.#host.answer({
        type: 'jobFigures',
        afterKey,
        limit: STEP,
        nowMs,
      });
      for (const one of page.queues) queues.set(one.queue, merged(queues.get(one.queue), one));
      afterKey = page.nextKey;
    } while (afterKey);
    return { value: { queues: [...queues.values()], atMs: nowMs }, tasks };
  }

  async #readEnded(): Promise<Reading<NodeCounts>> {
    const nodes: NodeCounts[number][] = [];
    let tasks = 0;
    let afterKey: Uint8Array | null = null;
    do {
      tasks++;
      const page: TaskAnswers['endedNodeFigures'] = await this.#host.answer({
        type: 'endedNodeFigures',
        afterKey,
        limit: STEP,
      });
      nodes.push(...page.nodes);
      afterKey = page.nextKey;
    } while (afterKey);
    return { value: nodes, tasks };
  }
}

/** Adds up what has the same labels. */
class Sums {
  readonly #sums = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();

  add(labels: Readonly<Record<string, string>>, value: number): void {
    const key = JSON.stringify(Object.values(labels));
    const known = this.#sums.get(key);
    if (known) known.value += value;
    else this.#sums.set(key, { labels, value });
  }

  snapshots(name: string, kind: 'gauge' | 'counter', help: string): MetricSnapshot[] {
    return [...this.#sums.values()].map(({ labels, value }) => snapshotOf(name, kind, help, labels, value));
  }
}

const PAY_TYPES_MAX = 20;

/**
 * Pay types are what nodes say: the common ones by name, the rest as one. Each has all states, because a rule that looks for an
 * increase of lost nodes must have seen that there were none.
 */
function nodeSnapshots(parts: readonly NodeCounts[]): MetricSnapshot[] {
  const sums = new Sums();
  const named = new Set<string>();
  for (const [state, payType, count] of parts.flat()) {
    if (named.size < PAY_TYPES_MAX) named.add(payType);
    const pay_type = named.has(payType) ? payType : '_other';
    for (const every of NODE_STATES) sums.add({ state: every, pay_type }, every === state ? count : 0);
  }
  return sums.snapshots('cairn_nodes', 'gauge', 'Nodes by state and pay type');
}

/** Queues with most jobs first, so that those are named. */
function byJobs(queues: readonly QueueFigures[]): QueueFigures[] {
  const jobs = ({ statuses }: QueueFigures): number => statuses.reduce((sum, [, count]) => sum + count, 0);
  return [...queues].sort((a, b) => jobs(b) - jobs(a) || (a.queue < b.queue ? -1 : 1));
}

function merged(a: QueueFigures | undefined, b: QueueFigures): QueueFigures {
  if (!a) return b;
  const statuses = new Map(a.statuses);
  for (const [status, count] of b.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
  const times = [a.oldestMs, b.oldestMs].filter((ms) => ms !== null);
  return {
    queue: a.queue,
    statuses: [...statuses],
    running: a.running + b.running,
    growing: a.growing + b.growing,
    atRiskSeconds: a.atRiskSeconds + b.atRiskSeconds,
    unsavedSeconds: a.unsavedSeconds + b.unsavedSeconds,
    unsavedGrowing: a.unsavedGrowing + b.unsavedGrowing,
    oldestMs: times.length === 0 ? null : Math.min(...times),
  };
}

function versionOf(reader: Reader, read: () => number): number {
  reader.refresh();
  return read();
}

/** Changes when a node ends, comes back or is forgotten. */
function lastEnd(reader: Reader): number {
  let hash = reader.count('nodeEnded');
  for (const { key } of reader.range('nodeEnded', { reverse: true, limit: 1 }))
    for (const byte of key) hash = (Math.imul(hash, 31) + byte) | 0;
  return hash;
}

function plain(id: string): string {
  return id.replace(/^metricDef-/, '');
}
