import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../src/base/clock.ts';
import { DefinitionExpiry } from '../../../../src/control/maintenance/definition-expiry.ts';
import { MetricDefinitions } from '../../../../src/control/metric-definitions.ts';
import {
  BUILT_IN_DEFINITIONS,
  DEFINITIONS_MAX,
  type Definition,
  heartbeatDefinition,
} from '../../../../src/protocol/metric.ts';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { expiryKey, expiryValue, seriesKey, seriesRows } from '../../../../src/store/series/series-index.ts';
import { usedMetrics } from '../../../../src/workers/series/used-metrics.ts';
import { writeAll } from '../../../support/write-all.ts';

const RETENTION_MS = LEVELS[2].retentionMs;
const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const OWN: Definition = { ...heartbeatDefinition('own'), unit: 'things', aggregation: 'max' };

class World {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 31));
  readonly store = new MemoryStore();
  /** What shards know: the list as it was published last. */
  known: readonly Definition[] = [];
  metricDefinitions = this.#openDefinitions();
  #checkpointer = this.#newKeeper();
  /** Runs whenever the checkpointer has asked the pool. */
  onLook: () => void = () => {};

  restart(): void {
    this.metricDefinitions = this.#openDefinitions();
    this.known = this.metricDefinitions.list;
    this.#checkpointer = this.#newKeeper();
  }

  run(stopped = (): boolean => false): Promise<void> {
    return this.#checkpointer.run(stopped);
  }

  /** Time passes, with the day's looks and what follows them. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.run();
    this.clock.advance(QUARTER_MS);
    await this.run();
  }

  knows(name: string): boolean {
    return this.known.some(({ id }) => id === `metricDef-${name}`);
  }

  #openDefinitions(): MetricDefinitions {
    const metricDefinitions: MetricDefinitions = new MetricDefinitions({
      reader: this.store,
      nowMs: () => this.clock.wallMs(),
      commit: async (writes) => writeAll(this.store, writes),
      publish: async () => {
        this.known = metricDefinitions.list;
      },
    });
    return metricDefinitions;
  }

  #newKeeper(): DefinitionExpiry {
    return new DefinitionExpiry({
      metricDefinitions: this.metricDefinitions,
      clock: this.clock,
      answer: async (task) => {
        // A few rows at a time, so that there are several looks.
        const found = usedMetrics(this.store, { ...task, limit: 2 });
        this.onLook();
        return found;
      },
      log: { info: () => {} },
    });
  }
}

function addSeries({ store }: World, objectId: string, metric: string): void {
  writeAll(store, seriesRows(objectId, [metric]));
}

test('a definition that never had a series goes when it is as old as the longest retention, and not before', async () => {
  const world = new World();
  await world.metricDefinitions.define(OWN, false);
  await world.metricDefinitions.define(heartbeatDefinition('odd'), true);
  await world.pass(RETENTION_MS - DAY_MS);
  assert.deepEqual([world.knows('own'), world.knows('odd')], [true, true]);
  await world.pass(2 * DAY_MS);
  assert.deepEqual([world.knows('own'), world.knows('odd')], [false, false]);
  assert.equal(world.store.count('definition'), 0);
  assert.deepEqual(world.known, BUILT_IN_DEFINITIONS, 'the built-in ones stay');
});

test('a definition with a series stays, wherever among many its row is, and one whose series leaves as well', async () => {
  const world = new World();
  for (const name of ['first', 'last', 'leaves', 'none'])
    await world.metricDefinitions.define(heartbeatDefinition(name), true);
  addSeries(world, 'a', 'first');
  for (let i = 0; i < 20; i++) addSeries(world, `node-${i}`, 'cpuPercent');
  addSeries(world, 'z', 'last');
  writeAll(world.store, [{ table: 'leaving', key: expiryKey('o', 'leaves'), value: expiryValue(0) }]);
  await world.pass(RETENTION_MS + DAY_MS);
  assert.deepEqual(
    ['first', 'last', 'leaves', 'none'].map((name) => world.knows(name)),
    [true, true, true, false],
  );
  writeAll(world.store, [{ table: 'series', key: seriesKey('z', 'last'), value: null }]);
  await world.pass(DAY_MS);
  assert.deepEqual([world.knows('first'), world.knows('last')], [true, false], 'a later day looks again');
});

test('names that heartbeats brought no longer end custom metrics for good', async () => {
  const world = new World();
  for (let i = BUILT_IN_DEFINITIONS.length; i < DEFINITIONS_MAX; i++)
    await world.metricDefinitions.define(heartbeatDefinition(`odd-${i}`), true);
  await assert.rejects(world.metricDefinitions.define(OWN, false));
  await world.pass(RETENTION_MS + DAY_MS);
  await world.metricDefinitions.define(OWN, false);
  assert.ok(world.knows('own'));
});

test('no shard knows a definition for a quarter of an hour before it goes, and a sample of then keeps it', async () => {
  const world = new World();
  await world.metricDefinitions.define(OWN, false);
  world.clock.advance(RETENTION_MS + DAY_MS);
  await world.run();
  assert.equal(world.knows('own'), false);
  world.clock.advance(QUARTER_MS - 1);
  await world.run();
  assert.equal(world.store.count('definition'), 1, 'it is not gone yet');
  addSeries(world, 'o', 'own');
  world.clock.advance(1);
  await world.run();
  assert.deepEqual(world.known.at(-1), OWN);
});

test('a definition that is wanted again while it retires stays: as it was, or as a person changes it', async () => {
  for (const isHeartbeat of [true, false]) {
    const world = new World();
    await world.metricDefinitions.define(OWN, false);
    world.clock.advance(RETENTION_MS + DAY_MS);
    await world.run();
    const wanted = isHeartbeat ? heartbeatDefinition('own') : { ...OWN, unit: 'others' };
    const expected = isHeartbeat ? OWN : wanted;
    assert.deepEqual(await world.metricDefinitions.define(wanted, isHeartbeat), expected);
    await world.pass(QUARTER_MS);
    await world.pass(RETENTION_MS - DAY_MS);
    assert.deepEqual(world.known.at(-1), expected, 'its time starts over');
    world.restart();
    assert.deepEqual(world.known.at(-1), expected);
  }
});

test('one that is wanted again while the last look is in flight stays', async () => {
  const world = new World();
  await world.metricDefinitions.define(OWN, false);
  world.clock.advance(RETENTION_MS + DAY_MS);
  await world.run();
  world.clock.advance(QUARTER_MS);
  let again: Promise<Definition> | undefined;
  world.onLook = () => {
    again ??= world.metricDefinitions.define(OWN, false);
  };
  await world.run();
  await again;
  assert.ok(world.knows('own'));
  assert.equal(world.store.count('definition'), 1);
});

test('after a restart a definition that was retiring is known, and retires again', async () => {
  const world = new World();
  await world.metricDefinitions.define(OWN, false);
  world.clock.advance(RETENTION_MS + DAY_MS);
  await world.run();
  world.restart();
  assert.ok(world.knows('own'));
  await world.pass(0);
  assert.equal(world.knows('own'), false);
});

test('a definition of a server that wrote no time is as old as when this one first saw it, restarts or not', async () => {
  const world = new World();
  writeAll(world.store, [{ table: 'definition', key: textKey(OWN.id), value: textKey(JSON.stringify(OWN)) }]);
  world.restart();
  await world.pass(0);
  assert.deepEqual(world.known.at(-1), OWN);
  await world.pass(RETENTION_MS - DAY_MS);
  assert.ok(world.knows('own'));
  world.restart();
  await world.pass(2 * DAY_MS);
  assert.equal(world.knows('own'), false);
});

test('a pass that is stopped changes nothing', async () => {
  const world = new World();
  await world.metricDefinitions.define(OWN, false);
  world.clock.advance(RETENTION_MS + DAY_MS);
  await world.run(() => true);
  assert.ok(world.knows('own'));
  await world.run();
  world.clock.advance(QUARTER_MS);
  await world.run(() => true);
  assert.equal(world.store.count('definition'), 1);
});
