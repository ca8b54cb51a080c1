import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import type { BeatsTaken } from '../../../../src/actors/shard/host/call-of-many.ts';
import type { BeatOfNode } from '../../../../src/actors/shard/host/heartbeat-dispatcher.ts';
import { type Failure, OUTCOME_UNKNOWN, UNCONFIRMED } from '../../../../src/base/errors.ts';
import { TurnQueue } from '../../../../src/gateway/body/turn-queue.ts';
import { SLICE_WEIGHT, takeBatch, UNUSUAL_WEIGHT } from '../../../../src/gateway/heartbeats/batch.ts';
import { LargeBatches } from '../../../../src/gateway/heartbeats/large-batch.ts';
import type { HeartbeatServices } from '../../../../src/gateway/heartbeats/services.ts';
import type { HeartbeatBatchReply } from '../../../../src/protocol/heartbeat.ts';

type Taken = (failure: Failure | null, taken: BeatsTaken) => void;

/** A shard behind an event loop that the test turns, and that knows which beats each turn has touched. */
class World {
  readonly parts: { readonly beats: readonly BeatOfNode[]; readonly done: Taken; readonly isPart: boolean }[] = [];
  readonly answers: { readonly failure: Failure | null; readonly reply: HeartbeatBatchReply | null }[] = [];
  readonly turnWeights: number[] = [];
  readonly batches: LargeBatches;
  readonly #services: HeartbeatServices;
  readonly #touched = new Map<number, number>();
  #turns: (() => void)[] = [];
  #made = 0;
  /** Of the shards that a part went to. */
  heard = Promise.resolve();

  constructor() {
    this.batches = new LargeBatches(new TurnQueue((run) => void this.#turns.push(run)));
    const metrics = Array.from({ length: 64 }, (_, i) => ({ id: `metricDef-m${i}` }));
    const host = {
      shared: { definitions: metrics, configVersion: 7, orders: new Map() },
      stats: { seriesCount: 0 },
      clock: { wallMs: () => Date.UTC(2026, 10, 22) },
      beats: {
        many: (beats: readonly BeatOfNode[], done: Taken, isPart = false) => this.parts.push({ beats, done, isPart }),
        heard: () => this.heard,
      },
    };
    this.#services = { host, largeBatches: this.batches } as unknown as HeartbeatServices;
  }

  /** A beat with so many samples; a test that looks at one has touched it. */
  beat(node: string, samples: number, more: object = {}): object {
    const place = this.#made++;
    const metrics = Object.fromEntries(Array.from({ length: samples }, (_, i) => [`m${i}`, place]));
    const touch = (): string => {
      this.#touched.set(place, 1 + samples);
      return node;
    };
    return Object.defineProperty({ metrics, ...more }, 'id', { enumerable: true, get: touch });
  }

  take(beats: readonly unknown[]): void {
    takeBatch(beats, this.#services, (failure, reply) => this.answers.push({ failure, reply }));
  }

  /** Turns until nobody asks for one. */
  async turn(): Promise<void> {
    this.#touched.clear();
    while (this.#turns.length > 0) {
      const runs = this.#turns;
      this.#turns = [];
      for (const run of runs) run();
      await settle();
      this.turnWeights.push([...this.#touched.values()].reduce((sum, weight) => sum + weight, 0));
      this.#touched.clear();
    }
    await settle();
  }

  async durable(from = 0): Promise<void> {
    for (const { beats, done } of this.parts.slice(from))
      done(null, { accepted: beats.length, unknown: [], nextBeatMs: 30_000 });
    await settle();
  }
}

function list(length: number, make: (i: number) => object): object[] {
  return Array.from({ length }, (_, i) => make(i));
}

test('the largest batches side by side: no turn has more than one slice of them', async () => {
  const world = new World();
  for (const batch of ['a', 'b']) world.take(list(1_000, (i) => world.beat(`${batch}-${i}`, 64)));
  assert.equal(world.batches.inWork, 2);
  await world.turn();
  assert.ok(Math.max(...world.turnWeights) <= SLICE_WEIGHT, `a turn touched ${Math.max(...world.turnWeights)}`);
  assert.ok(Math.max(...world.turnWeights) > SLICE_WEIGHT / 2, 'slices are not crumbs');
  for (const batch of ['a', 'b']) {
    const ids = world.parts.flatMap(({ beats }) => beats.map(({ id }) => id)).filter((id) => id.startsWith(batch));
    assert.deepEqual(
      ids,
      list(1_000, (i) => `${batch}-${i}` as unknown as object),
      'each beat once, in its order',
    );
  }
  assert.ok(world.parts.every(({ isPart }) => isPart));
  assert.deepEqual(world.answers, []);
  await world.durable();
  const reply = { accepted: 1_000, unknown: [], nextBeatMs: 30_000, configVersion: 7 };
  assert.deepEqual(world.answers, [
    { failure: null, reply },
    { failure: null, reply },
  ]);
  assert.equal(world.batches.inWork, 0);
});

test('beats that go to the schema are checked in smaller slices', async () => {
  const world = new World();
  world.take(list(1_000, (i) => world.beat(`n-${i}`, 10, { time: null })));
  let checked = 0;
  await world.turn();
  for (const weight of world.turnWeights) {
    assert.ok(weight <= SLICE_WEIGHT);
    if (world.parts.length > 0 && weight > 0 && weight <= UNUSUAL_WEIGHT) checked++;
  }
  assert.ok(checked >= (1_000 * 11) / UNUSUAL_WEIGHT, `${checked} turns`);
  assert.equal(world.parts.flatMap(({ beats }) => beats).length, 1_000);
});

test('a batch of one slice is handed on at once, as a call', () => {
  const world = new World();
  world.take(list(1_000, (i) => world.beat(`n-${i}`, 3)));
  assert.equal(world.parts.length, 1);
  assert.equal(world.parts[0]?.isPart, false);
  assert.equal(world.batches.inWork, 0);
});

test('one bad beat in the last slice: nothing is taken, and it is named by its place in the whole', async () => {
  const world = new World();
  const beats = list(1_000, (i) => world.beat(`n-${i}`, 64));
  world.take([...beats, { id: 'n', metrics: { m0: 'x' } }]);
  await world.turn();
  assert.equal(world.parts.length, 0);
  const [answer] = world.answers;
  assert.equal(answer?.failure?.name, 'invalid');
  assert.deepEqual(Object.keys(answer?.failure?.fields ?? {}), ['1000.metrics.m0']);
  assert.equal(world.batches.inWork, 0);
});

test('more beats than a call may have are refused by their count', () => {
  const world = new World();
  assert.throws(() => world.take(new Array(10_001).fill(7)), { name: 'invalid' });
});

test('parts are answered as one: each unknown id once, the nearest next beat of those that are known', async () => {
  const world = new World();
  world.take(list(400, () => world.beat('n', 64)));
  await world.turn();
  const [first, second, ...others] = world.parts;
  assert.ok(others.length > 0);
  first?.done(null, { accepted: 0, unknown: ['x', 'y'], nextBeatMs: 1 });
  second?.done(null, { accepted: 5, unknown: ['y'], nextBeatMs: 20_000 });
  await world.durable(2);
  const accepted = 5 + others.reduce((sum, { beats }) => sum + beats.length, 0);
  assert.deepEqual(world.answers[0]?.reply, { accepted, unknown: ['x', 'y'], nextBeatMs: 20_000, configVersion: 7 });
});

test('a part that finds no room says so only where no other part was stored', async () => {
  for (const [isFirstStored, failure, told] of [
    [true, { name: 'overloaded' }, OUTCOME_UNKNOWN],
    [false, { name: 'overloaded' }, { name: 'overloaded' }],
    [true, { name: 'notLeader' }, UNCONFIRMED],
    [false, UNCONFIRMED, UNCONFIRMED],
  ] as const) {
    const world = new World();
    world.take(list(200, () => world.beat('n', 64)));
    await world.turn();
    for (const [i, { beats, done }] of world.parts.entries()) {
      const isStored = isFirstStored && i === 0;
      const taken = { accepted: isStored ? beats.length : 0, unknown: [], nextBeatMs: 1 };
      done(isStored ? null : failure, taken);
    }
    await settle();
    assert.deepEqual(world.answers[0]?.failure, told);
  }
});

test('the next slice waits until the shards of the last one have handled it', async () => {
  const world = new World();
  let handled = (): void => {};
  world.heard = new Promise((resolve) => {
    handled = resolve;
  });
  world.take(list(200, () => world.beat('n', 64)));
  await world.turn();
  assert.equal(world.parts.length, 1);
  handled();
  await settle();
  await world.turn();
  assert.equal(world.parts.flatMap(({ beats }) => beats).length, 200);
});
