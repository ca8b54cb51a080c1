/**
 * The metrics engine on LMDB in this process, in virtual time: batches of a turn through the journal into the aggregators, their
 * blocks, merges and rollups. What a server does with samples once they are parsed, and nothing else.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { aggregatorBehaviour } from '../../src/actors/aggregator/behaviour.ts';
import { partitionAddress } from '../../src/actors/aggregator/messages.ts';
import { SampleBatch } from '../../src/actors/aggregator/sample-batch.ts';
import type { SealedBatch } from '../../src/actors/runtime/outbox.ts';
import { ActorSystem } from '../../src/actors/runtime/system.ts';
import { packMessages } from '../../src/actors/shard/wire/message-codec.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { SeriesCompaction } from '../../src/control/maintenance/series-compaction.ts';
import { nodeObjectId } from '../../src/protocol/metric.ts';
import { GroupCommit } from '../../src/store/commit/group-commit.ts';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { migrate } from '../../src/store/kv/schema.ts';
import type { Store } from '../../src/store/kv/store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';
import { seriesRows } from '../../src/store/series/series-index.ts';
import { SLICES } from '../../src/store/series/series-layout.ts';
import { dailyRollup } from '../../src/workers/series/daily-rollup.ts';
import { mergeBlocks } from '../../src/workers/series/merge-blocks.ts';
import { expiredChunks, staleDays } from '../../src/workers/series/retention.ts';
import { endSeries, removeCoarse } from '../../src/workers/series/series-expiry.ts';
import type { AnswerTask } from '../../src/workers/task/task.ts';
import { METRICS, type Measure, nodeName } from './measures.ts';

const TURN_MS = 3_750;

export class Engine {
  readonly store: Store;
  readonly #clock: ManualClock;
  readonly #system: ActorSystem<unknown>;
  readonly #group: GroupCommit;
  readonly #objects = new Map<number, string>();
  #sealed: SealedBatch[] = [];
  #batch = new SampleBatch();
  #received = 0;
  /** CPU microseconds of merges and rollups, which a server's pool does. */
  keeperCpu = 0;

  constructor(folder: string, startMs: number) {
    mkdirSync(join(folder, 'data', 'db'), { recursive: true });
    this.store = openLmdbStore(join(folder, 'data', 'db'));
    migrate(this.store, MIGRATIONS);
    this.#clock = new ManualClock(startMs);
    this.#group = new GroupCommit(this.store);
    this.#system = new ActorSystem<unknown>({
      clock: this.#clock,
      reader: this.store,
      env: {},
      behaviours: [aggregatorBehaviour],
      commit: (batch) => this.#sealed.push(batch),
      replay: () => [],
      send: ({ to, message }) => this.#system.post(to, message, null, 'system'),
      wake: () => {},
      onSignal: () => {},
      onCrash: (error) => {
        throw error;
      },
      onEscalate: () => {},
    });
  }

  /** Series must exist for a server that answers questions about them. */
  define(nodes: number): void {
    const batch = new WriteBatch();
    for (let node = 0; node < nodes; node++)
      for (const { table, key, value } of seriesRows(nodeObjectId(nodeName(node)), METRICS))
        batch.put(table, key, value);
    this.store.commit([batch.seal()]);
  }

  add({ node, timeMs, values }: Measure): void {
    let object = this.#objects.get(node);
    if (object === undefined) {
      object = nodeObjectId(nodeName(node));
      this.#objects.set(node, object);
    }
    for (let i = 0; i < METRICS.length; i++)
      this.#batch.add(object, METRICS[i] as string, timeMs, 0, values[i] as number);
  }

  /** What was added is journaled, folded, and whatever is due is flushed, step by step; then time is `toMs`. */
  turn(toMs: number, stepMs = TURN_MS): void {
    this.#system.persist([], this.#batch.outgoing());
    this.#settle();
    while (this.#clock.wallMs() < toMs) {
      this.#clock.advance(Math.min(stepMs, toMs - this.#clock.wallMs()));
      this.#settle();
    }
    this.#group.trim(this.#system.acknowledgedBelow(this.#received));
  }

  async keep(): Promise<void> {
    const before = process.cpuUsage();
    const keeper = new SeriesCompaction({
      reader: this.store,
      nowMs: () => this.#clock.wallMs(),
      answer: async (task) => this.#answer(task) as never,
      close: (partition, message) =>
        new Promise((resolve) => {
          this.#system.request(partitionAddress(partition), message, 1e9, (_, reply) => resolve(reply as never));
          this.#settle();
        }),
      open: async () => [],
      commit: async (writes, packed) => {
        const batch = new WriteBatch();
        if (packed) batch.addPacked(packed, 1);
        for (const { table, key, value } of writes) {
          if (value === null) batch.remove(table, key);
          else batch.put(table, key, value);
        }
        this.store.commit([batch.seal()]);
      },
    });
    await keeper.run(() => false);
    const { user, system } = process.cpuUsage(before);
    this.keeperCpu += user + system;
  }

  /** Bytes of keys and values of the tables that hold samples, by level. */
  sizes(): { readonly fine: number; readonly coarse: number; readonly blocks: number } {
    const sizes = { fine: 0, coarse: 0, blocks: 0 };
    this.store.refresh();
    for (const { key, value } of this.store.range('chunk'))
      sizes[key[0] === 0 ? 'fine' : 'coarse'] += key.byteLength + value.byteLength;
    for (const { key, value } of this.store.range('block')) sizes.blocks += key.byteLength + value.byteLength;
    return sizes;
  }

  /** CPU microseconds of rolling the day up, without writing it. */
  rollCpu(dayMs: number): number {
    const before = process.cpuUsage();
    for (let fromSlice = 0; fromSlice < SLICES; ) {
      const task = { type: 'dailyRollup', dayMs, fromSlice, staleOnly: false, bytesMax: 1_048_576 } as const;
      fromSlice = dailyRollup(this.store, task).nextSlice;
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #settle(): void {
    do {
      this.#system.runTurn();
      const sealed = this.#sealed;
      this.#sealed = [];
      for (const batch of sealed) this.#commit(batch);
    } while (this.#system.waiting > 0 || this.#system.unflushed > 0);
  }

  #commit(batch: SealedBatch): void {
    const messageBatches = packMessages(batch.messageBatches, 1);
    const [outcome] = this.#group.commit([
      { client: 0, epoch: 1, number: batch.number, writes: batch.writes, messageBatches },
    ]);
    if (outcome?.type !== 'durable') throw new Error('the store did not take a batch');
    if (outcome.seq > 0) {
      this.#received = outcome.seq;
      this.#system.deliver(outcome.seq, batch.messageBatches, false);
    }
    this.#system.batchDurable(batch.number);
  }

  #answer(task: AnswerTask): unknown {
    this.store.refresh();
    switch (task.type) {
      case 'mergeBlocks':
        return mergeBlocks(this.store, task);
      case 'dailyRollup':
        return dailyRollup(this.store, task);
      case 'staleDays':
        return staleDays(this.store, task);
      case 'expiredChunks':
        return expiredChunks(this.store, task);
      case 'removeCoarse':
        return removeCoarse(this.store, task);
      case 'endSeries':
        return endSeries(this.store, task);
      default:
        throw new Error(`the keeper asks for ${task.type}`);
    }
  }
}
