/**
 * Aggregators, the pool's tasks and the series compaction over a store in memory, under the test's hand, beside a model that keeps
 * every acknowledged sample and computes each answer again from all of them.
 */
import assert from 'node:assert/strict';
import { aggregatorBehaviour } from '../../src/actors/aggregator/behaviour.ts';
import { KnownSeries } from '../../src/actors/aggregator/known-series.ts';
import { aggregatorAddress, type OpenPart, partitionAddress } from '../../src/actors/aggregator/messages.ts';
import { SampleBatch } from '../../src/actors/aggregator/sample-batch.ts';
import { addToSum, type ExactSum, roundSum } from '../../src/base/exact-sum.ts';
import { SeriesCompaction } from '../../src/control/maintenance/series-compaction.ts';
import {
  type BucketValue,
  definitionIdOf,
  JOB_DEFINITIONS,
  NODE_DEFINITIONS,
  type Point,
  sampleTimeFault,
} from '../../src/protocol/metric.ts';
import { LEVELS, type Level } from '../../src/protocol/rollup-retention.ts';
import { formatTimestampSeconds } from '../../src/protocol/timestamp.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { startOf } from '../../src/store/series/bucket.ts';
import { hasSeries, isKnownSeries, QUEUE_METRICS, seriesRows } from '../../src/store/series/series-index.ts';
import { SLICES_PER_PARTITION } from '../../src/store/series/series-layout.ts';
import { dailyRollup } from '../../src/workers/series/daily-rollup.ts';
import { mergeBlocks } from '../../src/workers/series/merge-blocks.ts';
import { expiredChunks, staleDays } from '../../src/workers/series/retention.ts';
import { seriesAnswer } from '../../src/workers/series/series-answer.ts';
import { endSeries, removeCoarse } from '../../src/workers/series/series-expiry.ts';
import { summaryAnswer } from '../../src/workers/series/summary.ts';
import { WindowTexts } from '../../src/workers/series/window-texts.ts';
import type { AnswerTask, TaskAnswers } from '../../src/workers/task/task.ts';
import { ActorWorld } from './actor-world.ts';

export interface TakenSample {
  readonly objectId: string;
  readonly metric: string;
  readonly timeMs: number;
  readonly subNs: number;
  readonly value: number;
}

interface SeriesName {
  readonly objectId: string;
  readonly metric: string;
}

/** Kills the process: what the checkpointer was about to commit never is. */
export class Killed extends Error {}

export class SeriesWorld {
  readonly world = new ActorWorld<unknown>([aggregatorBehaviour], {});
  readonly taken: TakenSample[] = [];
  /** Runs before each commit of the checkpointer; may send samples, or throw `Killed`. */
  beforeCommit: () => void = () => {};
  /** What the last pass of the checkpointer passed over. */
  skipped: readonly string[] = [];
  /** What a shard remembers of series. Forgotten with a restart. */
  known = new KnownSeries();
  /** Of a thread of the pool, few enough that some are dropped. */
  readonly #texts = new WindowTexts(1, 40_000);
  /** Rows that are written and not durable. */
  readonly #rowsInFlight = new Set<string>();

  get nowMs(): number {
    return this.world.clock.wallMs();
  }

  /** Samples of one call. They count for the model when they are acknowledged. */
  send(samples: readonly TakenSample[]): void {
    const batch = new SampleBatch();
    const good = samples.filter(({ timeMs }) => sampleTimeFault(timeMs, this.nowMs) === undefined);
    for (const { objectId, metric, timeMs, subNs, value } of good) batch.add(objectId, metric, timeMs, subNs, value);
    const added = this.#missingSeries(good);
    for (const { objectId, metric } of added) this.#rowsInFlight.add(`${objectId} ${metric}`);
    const rows = added.flatMap(({ objectId, metric }) => seriesRows(objectId, [metric]));
    this.world.system.persist(rows, batch.outgoing(), (failure) => {
      for (const { objectId, metric } of added) this.#rowsInFlight.delete(`${objectId} ${metric}`);
      if (!failure) this.taken.push(...good);
    });
  }

  /** As `POST metricValue` looks for them, and a job for those of its queue. */
  #missingSeries(samples: readonly TakenSample[]): SeriesName[] {
    this.known.age(this.nowMs);
    const missing = new Map<string, SeriesName>();
    for (const { objectId, metric } of samples) {
      const isQueue = objectId.startsWith('queue-');
      const isThere = isQueue
        ? hasSeries(this.world.store, objectId, QUEUE_METRICS[0] as string)
        : this.known.find(this.world.store, objectId, metric);
      if (isThere) continue;
      for (const name of isQueue ? QUEUE_METRICS : [metric]) {
        const key = `${objectId} ${name}`;
        if (!this.#rowsInFlight.has(key)) missing.set(key, { objectId, metric: name });
      }
    }
    return [...missing.values()];
  }

  isKnown(objectId: string, metric: string): boolean {
    return isKnownSeries(this.world.store, objectId, metric);
  }

  restart(): void {
    this.world.restart();
    this.known = new KnownSeries();
    this.#rowsInFlight.clear();
  }

  /** Time passes, step by step, with everything carried out. */
  pass(ms: number, steps = 1): void {
    for (let i = 0; i < steps; i++) {
      this.world.clock.advance(Math.floor(ms / steps));
      this.world.settle();
    }
    this.world.trim();
  }

  /** Long enough for every slice to have had its turn. */
  flushAll(): void {
    this.pass(5_000 * SLICES_PER_PARTITION, SLICES_PER_PARTITION);
  }

  /** False where it was killed on the way. */
  async keep(): Promise<boolean> {
    // A kill ends the process: whatever the checkpointer tries afterwards does not happen.
    let killed = false;
    const skipped: string[] = [];
    this.skipped = skipped;
    const checkpointer = new SeriesCompaction({
      reader: this.world.store,
      nowMs: () => this.nowMs,
      answer: async (task) => this.#answer(task) as never,
      close: async (partition, message) => this.world.reply(partitionAddress(partition), message),
      open: async (message) => this.world.reply(aggregatorAddress(message.objectId), message),
      commit: async (writes, packed) => {
        if (killed) throw new Killed();
        try {
          this.beforeCommit();
        } catch (error) {
          killed = error instanceof Killed;
          throw error;
        }
        const batch = new WriteBatch();
        if (packed) batch.addPacked(packed, 1);
        for (const { table, key, value } of writes) {
          if (value === null) batch.remove(table, key);
          else batch.put(table, key, value);
        }
        this.world.store.commit([batch.seal()]);
      },
    });
    try {
      await checkpointer.run(
        () => killed,
        (what) => skipped.push(what),
      );
      return true;
    } catch (error) {
      if (error instanceof Killed) return false;
      throw error;
    }
  }

  points(objectId: string, metric: string, level: Level, fromMs: number, toMs: number, value: BucketValue): Point[] {
    const open = this.world.reply(aggregatorAddress(objectId), { type: 'open', objectId, metric }) as OpenPart[];
    const definition = definitionOf(metric);
    const task = {
      type: 'series',
      objectId,
      definition,
      level: level.name,
      fromMs,
      toMs,
      value,
      format: 'json',
      open,
    } as const;
    return JSON.parse(Buffer.from(seriesAnswer(this.world.store, task, this.#texts)).toString()).points;
  }

  expectedPoints(
    objectId: string,
    metric: string,
    level: Level,
    fromMs: number,
    toMs: number,
    value: BucketValue,
  ): Point[] {
    const first = startOf(fromMs, level.intervalMs);
    const buckets = new Map<number, NaiveBucket>();
    for (const sample of this.taken) {
      if (sample.objectId !== objectId || sample.metric !== metric) continue;
      const startMs = startOf(sample.timeMs, level.intervalMs);
      if (startMs < first || startMs >= toMs) continue;
      const bucket = buckets.get(startMs) ?? new NaiveBucket();
      bucket.add(sample);
      buckets.set(startMs, bucket);
    }
    return [...buckets]
      .sort(([a], [b]) => a - b)
      .map(([startMs, bucket]) => ({ time: formatTimestampSeconds(startMs), value: bucket.value(value) + 0 }));
  }

  /** `<metric> <queue>` → time and value. */
  summary(fromMs: number, toMs: number): Record<string, Point> {
    const range = { fromMs: startOf(fromMs, LEVELS[0].intervalMs), toMs };
    const open = this.world.reply(partitionAddress(0), { type: 'totals', ...range });
    const task = {
      type: 'summary',
      fromMs,
      toMs,
      nowMs: this.nowMs,
      format: 'json',
      keys: null,
      open,
      queues: null,
    } as const;
    const { items } = JSON.parse(Buffer.from(summaryAnswer(this.world.store, task)).toString());
    const found: Record<string, Point> = {};
    for (const { id } of JOB_DEFINITIONS)
      for (const item of items[id]) found[`${id} ${item.metaData.queueName}`] = item.point;
    return found;
  }

  /** Both ends at whole minutes, or at whole days where 1m is no longer kept. */
  expectedSummary(fromMs: number, toMs: number): Record<string, Point> {
    const buckets = new Map<string, { bucket: NaiveBucket; newestMs: number; value: BucketValue }>();
    for (const sample of this.taken) {
      const startMs = startOf(sample.timeMs, LEVELS[0].intervalMs);
      if (!sample.objectId.startsWith('queue-') || startMs < fromMs || startMs >= toMs) continue;
      const definition = definitionOf(sample.metric);
      const key = `${definition.id} ${sample.objectId.slice('queue-'.length)}`;
      const entry = buckets.get(key) ?? { bucket: new NaiveBucket(), newestMs: 0, value: definition.aggregation };
      entry.bucket.add(sample);
      entry.newestMs = Math.max(entry.newestMs, startMs);
      buckets.set(key, entry);
    }
    return Object.fromEntries(
      [...buckets].map(([key, { bucket, newestMs, value }]) => [
        key,
        { time: formatTimestampSeconds(newestMs), value: bucket.value(value) + 0 },
      ]),
    );
  }

  #answer(task: AnswerTask): TaskAnswers[AnswerTask['type']] {
    const { store } = this.world;
    switch (task.type) {
      case 'mergeBlocks':
        return mergeBlocks(store, task);
      case 'dailyRollup':
        return dailyRollup(store, task);
      case 'staleDays':
        return staleDays(store, task);
      case 'expiredChunks':
        return expiredChunks(store, task);
      case 'removeCoarse':
        return removeCoarse(store, task);
      case 'endSeries':
        return endSeries(store, task);
      default:
        return assert.fail(`the keeper asks for ${task.type}`);
    }
  }
}

function definitionOf(metric: string): (typeof JOB_DEFINITIONS)[number] {
  const id = definitionIdOf(metric);
  const definition = [...JOB_DEFINITIONS, ...NODE_DEFINITIONS].find((candidate) => candidate.id === id);
  assert.ok(definition, metric);
  return definition;
}

class NaiveBucket {
  #count = 0;
  #sum: ExactSum = [];
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #last: TakenSample | undefined;

  add(sample: TakenSample): void {
    this.#count++;
    this.#sum = addToSum(this.#sum, sample.value);
    this.#min = Math.min(this.#min, sample.value);
    this.#max = Math.max(this.#max, sample.value);
    const last = this.#last;
    const isLast =
      !last || sample.timeMs > last.timeMs || (sample.timeMs === last.timeMs && sample.subNs >= last.subNs);
    if (isLast) this.#last = sample;
  }

  value(value: BucketValue): number {
    switch (value) {
      case 'count':
        return this.#count;
      case 'sum':
        return roundSum(this.#sum);
      case 'avg':
        return roundSum(this.#sum) / this.#count;
      case 'min':
        return this.#min;
      case 'max':
        return this.#max;
      case 'last':
        return this.#last?.value ?? Number.NaN;
    }
  }
}
