/**
 * Laws of the bound on series: what the writer counts is what is stored, and room that is taken comes back, whatever fails,
 * crashes or is sent twice. The writer and its clients are production's; the ports hold messages until they are heard.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedStats } from '../../src/actors/shard/wire/shared-stats.ts';
import { SeriesRoom } from '../../src/actors/shard/writer/series-room.ts';
import { Writer } from '../../src/actors/shard/writer/writer.ts';
import { WriterClient } from '../../src/actors/shard/writer/writer-client.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { hasSeries, seriesKey, seriesRows } from '../../src/store/series/series-index.ts';
import { FaultyStore } from '../support/faulty-store.ts';
import { type HeldPipe, HeldPlatform, newHeldPipe } from '../support/held-pipe.ts';
import fc from '../support/laws/fast-check.ts';

const SHARDS = 2;
const MAX = 12;

const platform = new HeldPlatform();

class World {
  readonly store = new FaultyStore();
  readonly stats = new SharedStats(SHARDS);
  readonly writerPorts: HeldPipe[] = [];
  writer = this.startWriter();

  startWriter(): Writer {
    return new Writer(this.store, platform, {
      shardCount: SHARDS,
      pulse: () => {},
      countSeries: (count) => this.stats.setSeries(count),
      trimFailed: () => {},
      unreadableEvents: () => {},
    });
  }

  /** The writer takes all that was sent, as one burst. */
  commit(): void {
    for (const port of this.writerPorts) if (port.waiting.length > 0) port.take(port.waiting.shift());
  }
}

/** A thread that makes series, beside the simplest model of what it has taken room for. */
class Shard {
  readonly #world: World;
  readonly #index: number;
  readonly #room: SeriesRoom;
  readonly #client: WriterClient;
  readonly #port: HeldPipe;
  #batch = new WriteBatch();
  #number = 1;
  /** Names by the batch that brings them last. */
  readonly pending = new Map<string, number>();

  constructor(world: World, index: number) {
    this.#world = world;
    this.#index = index;
    this.#room = new SeriesRoom(world.stats, index, MAX);
    const [mine, writers] = newHeldPipe();
    this.#port = mine;
    world.writerPorts[index] = writers;
    world.writer.attach(index, writers);
    this.#client = new WriterClient(mine, platform, {
      attached: () => {},
      durable: (number) => {
        this.#room.durable(number);
        for (const [name, batch] of this.pending) if (batch <= number) this.pending.delete(name);
      },
      failed: () => {
        this.#room.failed();
        this.pending.clear();
        this.#batch = new WriteBatch();
        return ++this.#number;
      },
      delivery: () => {},
      events: () => {},
    });
  }

  /** What others have taken is in the model of the world. */
  add(objectId: string, metrics: readonly string[], takenByAll: number): void {
    const missing = metrics.filter((metric) => !hasSeries(this.#world.store, objectId, metric));
    if (missing.length === 0) return;
    const fresh = missing.filter((metric) => !this.pending.has(`${objectId} ${metric}`));
    const fits = this.#world.store.count('series') + takenByAll + fresh.length <= MAX;
    assert.equal(this.#room.take(objectId, missing, this.#number), fits);
    if (!fits) return;
    for (const metric of missing) this.pending.set(`${objectId} ${metric}`, this.#number);
    for (const { table, key, value } of seriesRows(objectId, missing)) this.#batch.put(table, key, value);
  }

  seal(): void {
    if (this.#batch.count === 0) return;
    this.#client.commit(this.#number++, this.#batch.seal(), []);
  }

  remove(objectId: string, metric: string): void {
    this.#batch.remove('series', seriesKey(objectId, metric));
  }

  hear(): void {
    this.#port.hear();
  }

  get index(): number {
    return this.#index;
  }
}

const object = fc.constantFrom('queue-a', 'queue-b', 'node-1', 'node-2');
const metrics = fc.subarray(['a', 'b', 'c', 'd', 'e'], { minLength: 1 });
const shard = fc.nat(SHARDS - 1);

type Command =
  | { readonly do: 'add'; readonly shard: number; readonly object: string; readonly metrics: readonly string[] }
  | { readonly do: 'remove'; readonly shard: number; readonly object: string; readonly metric: string }
  | { readonly do: 'seal' | 'hear' | 'restart'; readonly shard: number }
  | { readonly do: 'commit' | 'restartAll' }
  | { readonly do: 'disk'; readonly fails: boolean };

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), shard, object, metrics }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('seal' as const, 'hear' as const), shard }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('commit' as const) }) },
  fc.record({ do: fc.constant('remove' as const), shard, object, metric: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ do: fc.constant('disk' as const), fails: fc.boolean() }),
  fc.record({ do: fc.constant('restart' as const), shard }),
  fc.record({ do: fc.constant('restartAll' as const) }),
);

function check(world: World, shards: readonly Shard[]): void {
  const stored = world.store.count('series');
  assert.equal(world.stats.seriesCount, stored, 'the writer counts what is stored');
  assert.ok(stored <= MAX, 'the bound holds');
  assert.equal(world.stats.seriesTaken, takenOf(shards), 'room is taken for what is on its way, and for nothing else');
}

function takenOf(shards: readonly Shard[]): number {
  return shards.reduce((sum, { pending }) => sum + pending.size, 0);
}

function carryOut(world: World, shards: Shard[], step: Command): void {
  switch (step.do) {
    case 'add':
      shards[step.shard]?.add(step.object, step.metrics, takenOf(shards));
      return;
    case 'remove':
      shards[step.shard]?.remove(step.object, step.metric);
      return;
    case 'seal':
      shards[step.shard]?.seal();
      return;
    case 'hear':
      shards[step.shard]?.hear();
      return;
    case 'commit':
      world.commit();
      return;
    case 'disk':
      world.store.fails = () => step.fails;
      return;
    case 'restart':
      shards[step.shard] = new Shard(world, step.shard);
      return;
    case 'restartAll':
      world.writer = world.startWriter();
      for (const { index } of [...shards]) shards[index] = new Shard(world, index);
  }
}

test('series are counted as they are stored, never more than fit, and room that was taken comes back', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (steps) => {
      const world = new World();
      const shards = Array.from({ length: SHARDS }, (_, index) => new Shard(world, index));
      for (const step of steps) {
        carryOut(world, shards, step);
        check(world, shards);
      }
      world.store.fails = () => false;
      for (const each of shards) each.seal();
      world.commit();
      for (const each of shards) each.hear();
      check(world, shards);
      assert.equal(world.stats.seriesTaken, 0, 'nothing is on its way any more');
      const left = MAX - world.store.count('series');
      const names = Array.from({ length: left + 1 }, (_, i) => `m${i}`);
      const room = new SeriesRoom(world.stats, 0, MAX);
      assert.equal(room.take('other', names, 1), false, 'one too many');
      assert.equal(room.take('other', names.slice(1), 1), true, 'as many as fit');
    }),
    { numRuns: 1_000 },
  );
});

test('a series that a batch brings and removes, and the next one brings again, keeps its room until that one', () => {
  const stats = new SharedStats(1);
  const room = new SeriesRoom(stats, 0);
  room.take('queue-q', ['a', 'b'], 1);
  room.take('queue-q', ['a'], 2);
  room.durable(1);
  assert.equal(stats.seriesTaken, 1, 'b is stored; a may have been removed by batch 1');
  room.durable(2);
  assert.equal(stats.seriesTaken, 0);
});

test('a thousand jobs of one new queue in a call take the room of one queue', () => {
  const stats = new SharedStats(1);
  const room = new SeriesRoom(stats, 0);
  const queueMetrics = Array.from({ length: 18 }, (_, i) => `m${i}`);
  for (let job = 0; job < 1_000; job++) assert.ok(room.take('queue-q', queueMetrics, 1));
  assert.equal(stats.seriesTaken, 18);
});
