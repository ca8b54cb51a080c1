import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregatorBehaviour, FLUSH_AFTER_MS } from '../../../../src/actors/aggregator/behaviour.ts';
import { aggregatorAddress, type OpenPart, partitionAddress } from '../../../../src/actors/aggregator/messages.ts';
import { SampleBatch, sampleMessages, visitSamples } from '../../../../src/actors/aggregator/sample-batch.ts';
import { ObjectList, tableMessages } from '../../../../src/actors/aggregator/sample-table.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { rollupStateWrite } from '../../../../src/store/series/rollup-state.ts';
import { DAY_MS, dayOf, SLICES_PER_PARTITION } from '../../../../src/store/series/series-layout.ts';
import { ActorWorld } from '../../../support/actor-world.ts';

const OBJECT = 'node-1';

function newWorld(): ActorWorld<unknown> {
  return new ActorWorld<unknown>([aggregatorBehaviour], {});
}

function send(world: ActorWorld<unknown>, timeMs: number, value: number): void {
  world.system.persist([], sampleMessages([OBJECT], [['cpuPercent', timeMs, 0, value]]));
  world.settle();
}

function open(world: ActorWorld<unknown>, objectId = OBJECT): (readonly [startMs: number, count: number])[] {
  const parts: OpenPart[] = world.reply(aggregatorAddress(objectId), {
    type: 'open',
    objectId,
    metric: 'cpuPercent',
  });
  return parts.flatMap(({ buckets }) => buckets.map(({ startMs, count }) => [startMs, count] as const));
}

function rows(world: ActorWorld<unknown>, table: 'block' | 'stale' | 'journal'): number {
  return [...world.store.range(table)].length;
}

/** Every slice has had its turn. */
function flushAll(world: ActorWorld<unknown>): void {
  const stepMs = FLUSH_AFTER_MS / SLICES_PER_PARTITION;
  for (let i = 0; i <= SLICES_PER_PARTITION; i++) {
    world.clock.advance(stepMs + 50);
    world.settle();
  }
}

test('samples of a batch come out in order, object by object, with every digit', () => {
  const batch = new SampleBatch();
  const sent = [
    ['node-1', 'a', 1_769_847_300_123, 999_999, 0.1 + 0.2],
    ['node-1', 'b', 1_769_847_300_124, 0, -1e290],
    ['queue-x', 'a', 0, 1, 3],
    ['node-1', 'a', 5, 0, 4],
  ] as const;
  for (const [objectId, metric, timeMs, subNs, value] of sent) batch.add(objectId, metric, timeMs, subNs, value);
  const found: unknown[] = [];
  const outgoing = batch.outgoing();
  for (const { message } of outgoing) {
    let objectId = '';
    visitSamples(message as never, {
      turn: (id) => {
        objectId = id;
      },
      take: (...rest) => void found.push([objectId, ...rest]),
    });
  }
  assert.equal(outgoing.length, 2, 'one message a partition');
  assert.deepEqual(found, [sent[2], sent[0], sent[1], sent[3]]);
  assert.deepEqual(batch.outgoing(), [], 'a batch is empty once its messages are taken');
});

test('what is open is answered until its block is durable, and is in the block from then on', () => {
  const world = newWorld();
  const { wallMs } = world.clock.now();
  send(world, wallMs, 1);
  send(world, wallMs, 2);
  assert.deepEqual(open(world), [[wallMs, 2]]);
  flushAll(world);
  assert.deepEqual(open(world), []);
  assert.equal(rows(world, 'block'), 1);
  world.trim();
  assert.equal(rows(world, 'journal'), 0, 'what is in blocks needs no journal');
});

test('a restart reads again what is in no block, and nothing else', () => {
  const world = newWorld();
  const { wallMs } = world.clock.now();
  send(world, wallMs, 1);
  flushAll(world);
  send(world, wallMs, 2);
  world.restart();
  assert.deepEqual(open(world), [[wallMs, 1]]);
});

const LIST = new ObjectList(Array.from({ length: 40 }, (_, i) => `node-${i}`));

function sendTable(world: ActorWorld<unknown>, timeMs: number, value: number): void {
  const columns = [new Float64Array(LIST.ids.length).fill(value)];
  world.system.persist(
    [],
    tableMessages({ list: LIST, metrics: ['cpuPercent'], columns, times: Float64Array.of(timeMs, 0) }),
  );
  world.settle();
}

function openOfAll(world: ActorWorld<unknown>): (readonly unknown[])[] {
  return LIST.ids.map((objectId) => open(world, objectId));
}

/** Some slices have had their turn, and others have not: the aggregators stay awake. */
function flushSome(world: ActorWorld<unknown>): void {
  for (let i = 0; i < SLICES_PER_PARTITION / 2; i++) {
    world.clock.advance(FLUSH_AFTER_MS / SLICES_PER_PARTITION + 50);
    world.settle();
  }
}

test('a restart reads again those rows of a table that are in no block, and no others', () => {
  const world = newWorld();
  const { wallMs } = world.clock.now();
  sendTable(world, wallMs, 1);
  flushSome(world);
  const before = openOfAll(world);
  assert.deepEqual(new Set(before.map((buckets) => buckets.length)), new Set([0, 1]));
  world.restart();
  assert.deepEqual(openOfAll(world), before);
});

test('a closed day is written at once, and what comes later of it is marked as stale', () => {
  const world = newWorld();
  const { wallMs } = world.clock.now();
  const today = dayOf(wallMs);
  send(world, today - 60_000, 1);
  send(world, wallMs, 2);
  const reply = world.reply(partitionAddress(Number(aggregatorAddress(OBJECT).id)), { type: 'close', beforeMs: today });
  assert.deepEqual(reply, { left: 0 });
  assert.equal(rows(world, 'stale'), 1);
  send(world, wallMs, 3);
  flushAll(world);
  assert.equal(rows(world, 'stale'), 1, 'today is not closed');
  send(world, today - 30_000, 4);
  flushAll(world);
  assert.equal(rows(world, 'stale'), 2);
});

test('which days are closed is known again after a restart', () => {
  const world = newWorld();
  const today = dayOf(world.clock.wallMs());
  const batch = new WriteBatch();
  const state = rollupStateWrite({ closedBeforeMs: today, rolledBeforeMs: today, nextSlice: 0, generation: 0 });
  batch.put(state.table, state.key, state.value);
  world.store.commit([batch.seal()]);
  send(world, today - DAY_MS / 2, 1);
  flushAll(world);
  assert.equal(rows(world, 'stale'), 1);
});

test('a slice that a flood of late samples fills is flushed before its time', () => {
  const world = newWorld();
  const { wallMs } = world.clock.now();
  for (let call = 0; call < 4; call++) {
    const batch = new SampleBatch();
    for (let i = 0; i < 6_000; i++) batch.add(OBJECT, `m${call}`, wallMs - i * 60_000, 0, 1);
    world.system.persist([], batch.outgoing());
    world.settle();
  }
  assert.ok(rows(world, 'block') > 0);
});

test('a delivery weighs as much as its samples, so that a turn folds a bounded number of them', () => {
  const weightOf = (count: number): number | undefined => {
    const samples = Array.from({ length: count }, (_, i) => ['cpuPercent', i, 0, i] as const);
    const messages = sampleMessages([OBJECT], samples).map(({ message }) => message);
    return aggregatorBehaviour.weightOf?.({ type: 'delivery', seq: 1, replayed: false, messages });
  };
  assert.equal(weightOf(1), 1);
  assert.equal(weightOf(64 * 256), 257);
});
